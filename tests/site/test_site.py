"""The site: it builds without a warning, every link leads somewhere, every public name has an entry."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Final
from urllib.parse import unquote

import pytest

import effects
import handlers
import lowering
from tests.boundaries.sources import NAMESPACES, ROOT
from tests.site.browser import CHROMIUM, evaluate

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """The links of a page, and the names that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if name := values.get("id"):
            self.names.append(name)
        if tag == "a" and (link := values.get("href")):
            self.links.append(unquote(link))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the pages."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "-q",
        "--strict",
        "-f",
        ".ci/site/mkdocs.yml",
        "-d",
        str(folder),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {str(path.relative_to(site)): Page(path.read_text()) for path in site.rglob("*.html")}


def test_links_lead_to_what_there_is(site: Path, pages: dict[str, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link):
                continue
            target, _, name = link.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not (site / file).exists() or (name and file in pages and name not in pages[file].names):
                broken.append((path, link))
    assert not broken


def test_names_are_unique_on_each_page(pages: dict[str, Page]) -> None:
    for path, page in pages.items():
        assert len(page.names) == len(set(page.names)), path


def test_every_public_name_has_an_entry(pages: dict[str, Page]) -> None:
    entries = {name for path, page in pages.items() if path.startswith("reference/") for name in page.names}
    packages = {"fx.": effects, "": handlers, " ": lowering}
    packages |= {f"fx.{name}.": getattr(effects, name) for name in NAMESPACES}
    packages["fx.nn.initializers."] = effects.nn.initializers
    for prefix, package in packages.items():
        names = [name for name in package.__all__ if not name.startswith("__")]
        values = [name for name in names if not isinstance(getattr(package, name), ModuleType)]
        assert {f"{prefix.strip()}{name}" for name in values} <= entries


def test_entries_tell_arguments_errors_and_other_names(site: Path) -> None:
    text = (site / "reference" / "reductions.html").read_text()
    entry = text[text.index('id="fx.max"') : text.index('id="fx.mean"')]
    row = r"<td><code>axis</code></td>\s*<td><code>Axes</code></td>\s*<td><code>None</code></td>\s*<td>The axis, or a"
    assert re.search(row, entry)
    assert re.search(r"<strong>Raises</strong> <a href=\"errors.html#fx.ShapeError\"><code>ShapeError</code>", entry)
    assert "inspect" not in text and not re.search(r"0x[0-9a-f]{6}", text)
    aliases = (site / "reference" / "manipulation.html").read_text()
    assert re.search(r"Another name of <a href=\"[^\"]*#fx.concat\"><code>concat</code></a>", aliases)
    loader = (site / "reference" / "compilation-and-devices.html").read_text()
    assert re.search(r"is saved beside the parameters:</p>\s*<div class=\"[^\"]*highlight", loader)


def test_entries_have_options_and_properties(site: Path) -> None:
    signals = (site / "reference" / "fx-signal.html").read_text()
    welch = signals[signals.index('id="fx.signal.welch"') :]
    assert re.search(r"<td><code>nperseg</code></td>\s*<td><code>int | None</code></td>", welch)
    assert 'id="fx.optimize.Minimum.converged"' in (site / "reference" / "fx-optimize.html").read_text()
    for path in (site / "reference").glob("*.html"):
        assert not re.search(r"Unpack|>_[A-Z]\w*<", path.read_text()), path


def test_code_is_as_it_is_written(site: Path) -> None:
    text = re.sub(r"<[^>]*>", "", (site / "index.html").read_text())
    assert "def attend[T, S, D](q: F32[T, D], k:" in text and "&gt;&gt;&gt;" not in text
    for path in site.rglob("*.html"):
        shown = re.sub(r"(?s)<pre.*?</pre>|<script.*?</script>", "", path.read_text())
        assert not re.search(r"(?:</code>|\w)\]\([\w/.-]+[.#]|<code>[^<]*\\\|", shown), path


PHONE: Final = """
const widths = {};
for (const path of PATHS) {
  const view = await page(path, 390, false);
  widths[path] = view.document.documentElement.scrollWidth;
}
return widths;
"""
SEARCH: Final = """
const view = await page("index.html", 1200);
const input = view.document.querySelector(".md-search__input");
input.focus();
input.value = "fx.einsum";
input.dispatchEvent(new view.KeyboardEvent("keyup", {bubbles: true}));
input.dispatchEvent(new view.Event("input", {bubbles: true}));
for (let i = 0; i < 200; i++) {
  const found = [...view.document.querySelectorAll(".md-search-result__link")].map(link => link.href);
  if (found.length) return found;
  await wait(50);
}
return [];
"""
COPY: Final = """
const view = await page("index.html", 1200);
const code = [...view.document.querySelectorAll(".highlight")].find(block => block.innerText.includes("def loss"));
const button = code.querySelector("[data-clipboard-target]");
return view.document.querySelector(button.dataset.clipboardTarget).innerText;
"""


EVERYTHING: Final = """
const widths = await (async () => { PHONE })();
const results = await (async () => { SEARCH })();
const copied = await (async () => { COPY })();
return {widths, results, copied};
"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
def test_in_a_browser(site: Path, pages: dict[str, Page]) -> None:
    script = EVERYTHING.replace("PHONE", PHONE).replace("SEARCH", SEARCH).replace("COPY", COPY)
    answer = evaluate(site, script.replace("PATHS", repr(sorted(pages))))
    assert isinstance(answer, dict) and "error" not in answer, answer
    widths = answer["widths"]
    assert widths.keys() == pages.keys()
    assert {path for path, width in widths.items() if width > 390} == set()
    assert any(["reference/" in link and "fx.einsum" in link for link in answer["results"][:5]])
    assert answer["copied"].startswith("def loss(w, x, y):\n    return fx.mean(")
