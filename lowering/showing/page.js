(() => {
  const root = document.currentScript.parentElement;
  const mark = (event, on) => {
    const name = event.target.closest("var")?.dataset.v;
    const same = name ? root.querySelectorAll(`var[data-v="${CSS.escape(name)}"]`) : [];
    same.forEach(each => each.classList.toggle("fx-same", on));
  };
  root.addEventListener("mouseover", event => mark(event, true));
  root.addEventListener("mouseout", event => mark(event, false));
  root.addEventListener("click", event => {
    const link = event.target.closest('a[href^="#"]');
    const target = link && document.getElementById(link.getAttribute("href").slice(1));
    for (let each = target; each && each !== root; each = each.parentElement) each.open = true;
  });
})();
