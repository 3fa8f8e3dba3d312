"""A page in a browser: no wider than a phone's screen, links open what they lead into, variables light up together."""

from __future__ import annotations

from pathlib import Path

import pytest

import effects as fx
from handlers import grad, scan, vmap
from lowering import jit, show
from tests.site.browser import CHROMIUM, evaluate

SCRIPT = """
const seen = {};
for (const width of [360, 1280]) {
  const window = await page("page.html", width), document = window.document;
  seen[`width ${width}`] = document.documentElement.scrollWidth;
  const cells = [...document.querySelectorAll(".fx-row:not(.fx-head):not(.fx-quiet) > *")].slice(0, 4);
  seen[`tops ${width}`] = new Set(cells.map(each => each.getBoundingClientRect().top)).size;
}
const window = await page("page.html", 1280), document = window.document;
const link = [...document.querySelectorAll("dd a")].at(-1);
const target = document.getElementById(link.getAttribute("href").slice(1));
seen.before = target.checkVisibility();
link.click();
seen.after = target.checkVisibility();
const name = document.querySelector("var"), marked = () => document.querySelectorAll("var.fx-same").length;
name.dispatchEvent(new window.MouseEvent("mouseover", {bubbles: true}));
seen.same = marked();
seen.all = document.querySelectorAll(`var[data-v="${name.dataset.v}"]`).length;
name.dispatchEvent(new window.MouseEvent("mouseout", {bubbles: true}));
seen.rest = marked();
seen.title = name.title;
return seen;
"""


def total(x: fx.Array) -> fx.Array:
    return scan(lambda carry, value: (carry * fx.sin(value), None), 1.0, x)[0]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
def test_a_page_in_a_browser(tmp_path: Path) -> None:
    show(vmap(jit(grad(total))), fx.ones((20, 30))).save(tmp_path / "page.html")
    seen = evaluate(tmp_path, SCRIPT)
    assert isinstance(seen, dict) and "error" not in seen, seen
    assert seen["width 360"] <= 360 and seen["width 1280"] <= 1280
    assert seen["tops 360"] > 1 == seen["tops 1280"], "columns are beside each other where there is room"
    assert (seen["before"], seen["after"]) == (False, True), "the link opens what it leads into"
    assert seen["same"] == seen["all"] > 1 and seen["rest"] == 0 and "float64" in seen["title"]
