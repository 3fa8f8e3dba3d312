"""The styles and the script of pictures. They are of an element of class `fx-show`."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
.fx-show { --ink: #1f2430; --soft: #667085; --line: #e4e7ec; --ground: #ffffff; --card: #f8f9fb; --blue: #175cd3;
  --blue-ground: #eff6ff; --gold: #93500b; --gold-ground: #fef6e7; --accent: #5b4bd6; --peak: #c4320a;
  box-sizing: border-box; max-width: 100rem; margin: 0 auto; padding: 1.25rem; color: var(--ink);
  background: var(--ground); font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { .fx-show { --ink: #e6e8ee; --soft: #98a2b3; --line: #333a48; --ground: #14171f;
  --card: #1c212c; --blue: #84b6ff; --blue-ground: #18263f; --gold: #f5b95f; --gold-ground: #33270f; --accent: #a79bff;
  --peak: #ff8a5c } }
.fx-show *, .fx-show *::before { box-sizing: border-box }
.fx-show code, .fx-show var { font: 12.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.fx-show h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25 }
.fx-show h2 { margin: 1.5rem 0 .5rem; font-size: 1rem }
.fx-show h3 { margin: 0; font-size: 1rem }
.fx-show a { color: var(--accent); text-decoration: none }
.fx-show a:hover { text-decoration: underline }
.fx-cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); gap: .75rem }
.fx-card { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card) }
.fx-card p { margin: .15rem 0 .5rem; color: var(--soft); font-size: 12.5px }
.fx-card dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem .75rem; margin: 0 }
.fx-card dt { color: var(--soft) }
.fx-card dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
.fx-note, .fx-more, .fx-io, .fx-legend { margin: .5rem 0; color: var(--soft); font-size: 12.5px }
.fx-lines { border: 1px solid var(--line); border-radius: .6rem; overflow: hidden }
.fx-row { display: grid; grid-template-columns: minmax(12rem, 1fr) repeat(var(--columns), minmax(0, 1.2fr));
  border-top: 1px solid var(--line) }
.fx-row:first-child { border-top: 0 }
.fx-head { background: var(--card); font-weight: 600 }
.fx-head > * { padding: .4rem .6rem }
.fx-source { display: flex; padding: .4rem .6rem; background: var(--card) }
.fx-source i { flex: none; width: 2.6em; padding-right: .8em; color: var(--soft); font-style: normal;
  text-align: right }
.fx-source span { white-space: pre-wrap }
.fx-quiet .fx-source { padding-block: .1rem; color: var(--soft) }
.fx-cell { padding: .35rem .6rem; border-left: 1px solid var(--line) }
.fx-show .fx-eq { display: block; margin: 0 -.25rem; padding: 0 .25rem; border-radius: .25rem }
.fx-show .fx-legend .fx-eq { display: inline; margin: 0; border: 1px solid var(--line) }
.fx-show .fx-derivative { color: var(--blue); background: var(--blue-ground) }
.fx-show .fx-backward { color: var(--gold); background: var(--gold-ground) }
.fx-eq a, .fx-eq u { display: inline-block; min-width: 1.6em; color: var(--soft) !important; text-decoration: none;
  font-size: 11px; opacity: .75 }
.fx-eq em { padding: 0 .35em; border: 1px solid var(--line); border-radius: .6em; color: var(--soft); font-size: 11px;
  font-style: normal }
.fx-params, .fx-eq small { color: var(--soft); font-size: 11px }
.fx-show var { font-style: normal; cursor: help; border-radius: .2em }
.fx-show var.fx-same { background: var(--accent); color: var(--ground) }
.fx-cost { display: block; color: var(--soft); font-size: 11px; text-align: right; font-variant-numeric: tabular-nums }
.fx-program { margin-top: 1rem; padding: .6rem 1rem; border: 1px solid var(--line); border-radius: .6rem }
.fx-show summary { cursor: pointer }
.fx-program ol { margin: .25rem 0; padding: 0; list-style: none }
.fx-program li { display: grid; grid-template-columns: 1fr 4.5rem 7rem 9rem; gap: 0 .6rem; align-items: baseline;
  padding: .1rem .25rem; border-top: 1px solid var(--line) }
.fx-program li > details { grid-column: 1 / -1; margin: .15rem 0 .3rem 1rem; padding-left: .8rem;
  border-left: 2px solid var(--line) }
.fx-program li:target { outline: 2px solid var(--accent) }
.fx-at { color: var(--soft); font-size: 11px }
.fx-bar { display: block; align-self: center; height: .5rem; border-radius: .25rem; background: var(--line);
  overflow: hidden }
.fx-bar s { display: block; height: 100%; background: var(--accent); border-radius: .25rem }
.fx-peak > .fx-bar s { background: var(--peak) }
.fx-peak > .fx-bar { outline: 2px solid var(--peak); outline-offset: 1px }
.fx-boxes td { padding: .35rem .6rem; border: 1px solid var(--line) }
.fx-boxes { border-collapse: collapse; color: inherit; font: inherit; font-variant-numeric: tabular-nums }
@media (max-width: 44rem) {
  .fx-show { padding: .75rem }
  .fx-row { display: block }
  .fx-row.fx-head { display: none }
  .fx-cell { border-left: 0; border-top: 1px dashed var(--line) }
  .fx-empty { display: none }
  .fx-cell::before { content: attr(data-column); color: var(--soft); font-size: 11px; font-weight: 600 }
  .fx-program { padding: .5rem }
  .fx-program li { grid-template-columns: auto 1fr auto }
  .fx-program li > .fx-eq { grid-column: 1 / -1 }
  .fx-program li > details { margin-left: 0 }
}
"""

SCRIPT: Final = """
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
"""
