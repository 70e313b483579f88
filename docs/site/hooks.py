"""The parts of the site besides the pages in docs/: other pages, files they link to, docstrings.

Links are as on GitHub, relative to the file. Here those that leave docs/ go to what the file becomes: a
page for `.md`, its text for any other, a list of names for a folder.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.structure.files import File, Files  # pyright: ignore[reportMissingImports]

sys.path.insert(0, str(Path(__file__).parent))
import mlir_lexer
from prompts import Prompts

mlir_lexer.register()

ROOT = Path(__file__).parents[2]
DOCS = PurePosixPath("docs")
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "bench/README.md": "bench/README.md",
    "examples/c/README.md": "examples/c/README.md",
    "examples/digits/README.md": "examples/digits/README.md",
    "examples/models/README.md": "examples/models/README.md",
    "examples/notebooks/README.md": "examples/notebooks/README.md",
    "examples/ocr/README.md": "examples/ocr/README.md",
    "examples/lm/README.md": "examples/lm/README.md",
    "examples/llm/README.md": "examples/llm/README.md",
    "examples/distributed/README.md": "examples/distributed/README.md",
    "examples/extension/README.md": "examples/extension/README.md",
    "examples/pip/README.md": "examples/pip/README.md",
}
"""Pages that do not stand in docs/, and what they are called here."""

MODULES = {
    "relax_dialect": "Reading, checking, comparing",
    "relax_dialect.ir.types": "Types",
    "relax_dialect.symbolic": "Symbolic sizes",
    "relax_dialect.builder": "Building programs",
    "relax_dialect.te": "Tensor expressions",
    "relax_dialect.visitor": "Visitors and mutators",
    "relax_dialect.dpl": "Patterns and rules",
    "relax_dialect.analysis": "Questions about programs",
    "relax_dialect.interpret": "The interpreter",
    "relax_dialect.ops.fields": "Fields of operators",
    "relax_dialect.extensions": "Extensions",
    "lowering": "Compiling",
    "lowering.pipeline": "The pipeline",
    "lowering.runtime.loading": "Compiled models",
    "lowering.support.target": "CPUs",
    "lowering.legalize.registry": "Rules of legalisation",
    "lowering.schedule.schedule": "Schedules",
    "lowering.external": "Code generators",
}
"""The modules whose docstrings are pages, and their titles."""

LINK = re.compile(r"(?<!\\)\]\(([^()\s#]+)(#[^()\s]*)?\)")
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
OUTSIDE = re.compile(r"[a-z][a-z+.-]*:")
ITEM = re.compile(r"^ {2,3}(?=[*-] )", re.MULTILINE)
"""An item of a list in a list, which Python-Markdown wants four spaces further in."""


def source_of(page: File) -> PurePosixPath:
    """The path in the repository of the text of a page."""
    others = {here: there for there, here in PAGES.items()}
    return PurePosixPath(others.get(page.src_uri, str(DOCS / page.src_uri)))


def page_of(path: PurePosixPath) -> str:
    """The name of a repository's file here."""
    if str(path) in PAGES:
        return PAGES[str(path)]
    if path.is_relative_to(DOCS) and path.suffix in (".md", ".png"):
        return str(path.relative_to(DOCS))
    return f"files/{path}.txt"


def targets(text: str, source: PurePosixPath) -> set[PurePosixPath]:
    """The files of the repository that a page links to."""
    links = (m[1] for part in CODE.split(text)[::2] for m in LINK.finditer(part))
    return {PurePosixPath(normpath(source.parent / x)) for x in links if not OUTSIDE.match(x)}


def text_of(path: PurePosixPath) -> str:
    """A file that is no page, or the names in a folder."""
    file = ROOT / path
    if file.is_dir():
        return "".join(
            f"{path}/{p.name}\n" for p in sorted(file.iterdir()) if p.name[0] not in "_."
        )
    return file.read_text("utf-8")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that do not stand in docs/, those of modules, and the files that pages link to."""
    made = {here: (ROOT / there).read_text("utf-8") for there, here in PAGES.items()}
    for name, title in MODULES.items():
        made[f"python/{name}.md"] = f"# {title}\n\n`{name}`\n\n::: {name}\n"
    for here, text in made.items():
        files.append(File.generated(config, here, content=text))
    linked = {
        target
        for page in files.documentation_pages()
        if not page.src_uri.startswith("python/")
        for target in targets(page.content_string, source_of(page))
    }
    for target in sorted(linked):
        if page_of(target).startswith("files/") and (ROOT / target).exists():
            files.append(File.generated(config, page_of(target), content=text_of(target)))
    for name in ("site.css", "iframe-worker.js"):
        text = (Path(__file__).parent / name).read_text("utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_config(config: Any) -> Any:
    """The pages of modules, in their place of the book, and what their docstrings need."""
    config["markdown_extensions"].append(Prompts())
    (place,) = (part for part in config["nav"] if "Python" in part)
    place["Python"] = [{title: f"python/{name}.md"} for name, title in MODULES.items()]
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Rewrite links to the pages of the site."""
    if page.file.src_uri.startswith("python/"):
        return markdown
    source, here = source_of(page.file), PurePosixPath(page.file.src_uri)

    def moved(match: re.Match[str]) -> str:
        if OUTSIDE.match(match[1]):
            return match[0]
        target = page_of(PurePosixPath(normpath(source.parent / match[1])))
        return f"]({relpath(target, here.parent)}{match[2] or ''})"

    parts = CODE.split(markdown)
    parts[::2] = (ITEM.sub("    ", LINK.sub(moved, part)) for part in parts[::2])
    return "".join(parts)
