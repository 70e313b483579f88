"""Commands that a page shows, and what they print: `...` stands for anything."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from typing import Any


def commands(console: str) -> list[tuple[str, str]]:
    """The commands of a block, and what the block says that each prints."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)


def assert_printed(found: str, expected: str) -> None:
    """A command has printed what is told."""
    pattern = ".*".join(re.escape(part) for part in expected.rstrip().split("..."))
    assert re.fullmatch(pattern, found.strip(), re.DOTALL), found


def told_by_tool(command: str, capsys: Any) -> str:
    """What a command of ours prints, run in this process."""
    tool, *words = shlex.split(command)
    failed = import_module(f"lowering.tools.{tool.replace('-', '_')}").main(words)
    told = capsys.readouterr()
    assert bool(failed) is ("error: " in told.err), told.err
    return told.out + told.err
