"""Lines of docstrings that begin with `>>>` as a block of Python, which Markdown takes for quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

FENCE = re.compile(r"\s*(```|~~~)")


class Fences(Preprocessor):
    """Puts fences around them, but for those that stand in some."""

    def run(self, lines: list[str]) -> list[str]:
        return list(self._fenced(lines))

    def _fenced(self, lines: list[str]) -> Iterator[str]:
        is_code = is_open = False
        for line in lines:
            is_code ^= bool(FENCE.match(line))
            if line.startswith(">>> ") and not is_code and not is_open:
                is_open = True
                yield "```pycon"
            elif is_open and not line.strip():
                is_open = False
                yield "```"
            yield line
        if is_open:
            yield "```"


class Prompts(Extension):
    """The preprocessor, before all others."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors.register(Fences(md), "prompts", 100)
