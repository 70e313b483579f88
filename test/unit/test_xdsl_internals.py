"""Private names of xDSL are used as `relax_dialect/xdsl_internals.py` lists them, and are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import xdsl

from relax_dialect import xdsl_internals
from relax_dialect.xdsl_internals import INTERNALS, missing

ROOT = Path(__file__).parents[2]
PACKAGES = ("relax_dialect", "lowering", "bench", "examples", "test")
LISTED = {name for names in INTERNALS.values() for name in names}

PRIVATE = r"(_[A-Za-z]\w*)"
DEFINED = re.compile(
    rf"^ *(?:def|class) {PRIVATE}|(?<=\w)\.{PRIVATE}(?:, [\w., ]+)? *(?::[^=\n]+)?=[^=]|^ *{PRIVATE} *[:=]",
    re.M,
)
USED = re.compile(rf"\.{PRIVATE}|^from xdsl[\w.]* import .*\b{PRIVATE}|^ +{PRIVATE},", re.M)
INHERITED = re.compile(rf"super\(\)\.{PRIVATE}")


def found(pattern: re.Pattern[str], text: str) -> set[str]:
    """The names in the groups of a pattern."""
    return {name for match in pattern.finditer(text) for name in match.groups() if name}


@cache
def texts() -> dict[Path, str]:
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {path: path.read_text("utf-8") for path in paths if path != Path(__file__)}


@cache
def names_of_xdsl() -> frozenset[str]:
    files = Path(xdsl.__file__).parent.rglob("*.py")
    return frozenset().union(*(found(DEFINED, file.read_text("utf-8")) for file in files))


def uses(text: str, others: set[str] | frozenset[str]) -> set[str]:
    """The private names of xDSL in a file: those that neither it nor one of the other files defines, or that are asked
    of `super()`."""
    own = found(DEFINED, text)
    return names_of_xdsl() & ((found(USED, text) - own - others) | found(INHERITED, text))


def test_the_installed_xdsl_has_them_all():
    assert list(missing()) == []


def test_a_name_that_xdsl_lacks_is_missing(monkeypatch: pytest.MonkeyPatch):
    gone = {"xdsl.printer.Printer": {"_ssa_values": "", "_gone": ""}, "xdsl.no": {"_a": ""}}
    monkeypatch.setattr(xdsl_internals, "INTERNALS", gone)
    assert list(missing()) == ["xdsl.printer.Printer._gone", "xdsl.no._a"]


def wrong() -> Iterator[str]:
    """The uses that are not listed; names that files of ours define too are xDSL's where they are listed."""
    others = frozenset().union(*(found(DEFINED, text) for text in texts().values())) - LISTED
    for path, text in texts().items():
        for name in uses(text, others) - LISTED:
            yield f"{path.relative_to(ROOT)}: {name}"


@pytest.mark.slow
def test_every_use_is_listed_and_every_listed_name_is_used():
    assert list(wrong()) == [], "list them in relax_dialect/xdsl_internals.py, with the reason"
    table = Path(xdsl_internals.__file__)
    used = [found(USED, text) for path, text in texts().items() if path != table]
    assert LISTED - frozenset().union(*used) == set()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from xdsl.interpreter import _InterpreterFunctionImpls", {"_InterpreterFunctionImpls"}),
        ("def f(parser): return parser._current_token", {"_current_token"}),
        ("class A:\n    def _parse_block(self): return super()._parse_block()", {"_parse_block"}),
        ("class A:\n    def _run_op(self): return self._run_op()", set()),
        ("from xdsl.ir import Block", set()),
    ],
)
def test_what_counts_as_a_use(text: str, names: set[str]):
    assert uses(text, frozenset()) == names
