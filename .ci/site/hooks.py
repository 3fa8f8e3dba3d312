"""Parts that mkdocs lacks: the README as the first page, the reference, links, and code that can be copied."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(HERE)]

import reference  # noqa: E402  # it lies beside this file

FENCE: Final = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
NAME: Final = re.compile(r"\[[^\]\n]*\]\([^)\n]*\)|(?<![\[`\w])`([\w.]+)(\([^`\n]*\))?`(?!\])")
"""Links, which stay as they are, and names in code."""
CODE: Final = re.compile(r"`[^`\n]+`")
LINK: Final = re.compile(r"(?<!`)`[^`\n]+`(?!\])|\]\((?!\w+:|#)([^)\n]*)\)")
"""Code, which stays as it is, and what links within the repository lead to."""


@cache
def _anchors() -> dict[str, str]:
    return reference.anchors(reference.groups())


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The pages of the reference, in the place that is kept for them."""
    for section in config.nav or []:
        if section.get("Reference") == "REFERENCE":
            pages = [{group.title: reference.file_name(group)} for group in reference.groups()]
            section["Reference"] = ["arguments.md", *pages]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages that are no files of docs/."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files.append(
        File.generated(config, "index.md", content=f"---\nhide: [navigation]\n---\n\n{readme.replace('](docs/', '](')}")
    )
    files.append(File.generated(config, "site.css", content=(HERE / "site.css").read_text()))
    for group, values in reference.groups().items():
        files.append(File.generated(config, reference.file_name(group), content=reference.page(group, values)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to the repository and to the reference; examples without prompts, their output below them."""
    path = page.file.src_uri
    home = f"{config.repo_url}/blob/main/"
    up = "../" if "/" in path else ""
    if path == "gallery.md":
        page.meta["hide"] = ["navigation", "toc"]  # the width is for its cards
    markdown = markdown.replace(f"]({up}../", f"]({home}") if not path.startswith("reference/") else markdown

    def linked(match: re.Match[str]) -> str:
        place = _anchors().get(match[1] or "")
        return match[0] if place is None else f"[{match[0]}]({up}{place})"

    def led(match: re.Match[str]) -> str:
        target = match[1] and match[1].partition("#")[0]
        return f"]({home}{match[1]})" if target and not files.get_file_from_path(target) else match[0]

    def text(line: str) -> str:
        line = LINK.sub(led, line) if path == "index.md" else line
        line = line if line.startswith("#") else NAME.sub(linked, line)
        return CODE.sub(lambda m: m[0].replace(r"\|", "|"), line) if line.startswith("|") else line

    parts = FENCE.split(_without_prompts(markdown))
    return "".join(part if i % 2 else _outside_of_code(part, text) for i, part in enumerate(parts))


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """The page of what is not there, by links that lead somewhere wherever the site lies."""
    if template_name != "404.html":
        return output
    return re.sub(r'((?:href|src|"base": |new URL\()=?")/(?!/)', r"\1./", output)


def _outside_of_code(markdown: str, change: Callable[[str], str]) -> str:
    return "\n".join(line if line.startswith("    ") else change(line) for line in markdown.split("\n"))


def _without_prompts(markdown: str) -> str:
    """Doctests as code that can be copied, and what it prints."""
    bare = re.compile(r"^(>>> .*\n(?:.+\n?)*)", re.MULTILINE)
    parts = FENCE.split(markdown)
    for i, part in enumerate(parts):
        if i % 2 and ">>> " in part and part.startswith("```python\n"):
            parts[i] = _cells(part.removeprefix("```python\n").removesuffix("```"))
        elif not i % 2:
            parts[i] = bare.sub(lambda m: _cells(m[1]) + "\n", part)
    return "".join(parts)


def _cells(text: str) -> str:
    cells, code = [], ""
    for piece in doctest.DocTestParser().parse(text):
        if not isinstance(piece, doctest.Example):
            continue
        code += piece.source
        if piece.want:
            output = piece.want.replace(doctest.BLANKLINE_MARKER, "")
            cells += [f"```python\n{code}```\n", f'<div class="output" markdown>\n```text\n{output}```\n</div>\n']
            code = ""
    if code:
        cells.append(f"```python\n{code}```\n")
    return "\n".join(cells)
