"""Generator of the page of TVM's names beside ours, from `tvm_names` and the signatures of the operators.

`python test/unit/support/tvm_names_page.py` writes docs/from-tvm-names.md; `test_coming_from.py` checks that it is up
to date, that ours are there, and that none of TVM's is forgotten.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "from-tvm-names.md"
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "unit" / "support")]

import tvm_names  # noqa: E402

from lowering.tools.tvm_comparison.tvm_pass_names import PASSES as PASS_NAMES  # noqa: E402
from lowering.tools.tvm_comparison.tvm_pass_names import cells  # noqa: E402
from lowering.tools.tvm_comparison.tvm_passes import names_of  # noqa: E402
from relax_dialect.dialect import COMMUNICATION, OPERATOR_FAMILIES  # noqa: E402
from relax_dialect.frontends.tvmscript.operators import TABLE, Operator  # noqa: E402

INTRODUCTION = """\
# TVM's names and ours

Written by `python test/unit/support/tvm_names_page.py`; `test/unit/docs/test_coming_from.py` checks that it is up to
date and that all of our names exist. If TVM {version} is installed, it also checks that the page has all of its passes, analyses, operators,
patterns, methods of the builder, and other names of `tvm.relax` and `tvm.script.relax`. [Coming from TVM](from-tvm.md) shows how to use them.
"""
VERSION = "0.27"
OPERATORS = """\
After `relax.op.` from Python, after `R.` in a script. Ours have the same names without the group: `R.nn.softmax` is
`relax.softmax`, and `op.nn.softmax` works from Python. Patterns and the builder also accept Relay's names (`dense`,
`batch_matmul`). [operators.md](operators.md) lists our constraints and defaults."""
LACKING = "For export to TVM, relax-legalize first makes each a prim func."
NAME = re.compile(r"`(!?[\w.-]+)`")

NONE = "-"
"""Marks a name without a counterpart."""

Row = tuple[list[str], list[str], str]
"""TVM's names, ours, a note."""


@dataclass(frozen=True)
class Namespace:
    """A package of TVM's whose public names are all listed."""

    theirs: str
    rows: str
    ours: str
    """Where most of ours are, "" where they have no package."""

    def names(self) -> list[str]:
        """TVM's, without the package."""
        return [name for theirs, *_ in cells(self.rows) for name in theirs.split(", ")]

    def full(self) -> Iterator[Row]:
        """The rows with whole names."""
        for theirs, ours, note in cells(self.rows):
            short = theirs.split(", ")
            found = ours.split(", ") if ours else [self.same(name) for name in short]
            yield [f"{self.theirs}.{name}" for name in short], [*filter(NONE.__ne__, found)], note

    def same(self, name: str) -> str:
        """Ours of TVM's name."""
        return f"{self.ours}.{name}" if self.ours else names_of(name)[0]

    def table(self) -> str:
        """The rows as the page has them, without the packages."""

        def shown(names: Iterable[str], package: str) -> str:
            return ", ".join(f"`{name.removeprefix(f'{package}.')}`" for name in names)

        rows = [(shown(a, self.theirs), shown(b, self.ours), note) for a, b, note in self.full()]
        return table(
            "| TVM | here | |",
            ((a, "the same" if a == b else b or "not here", note) for a, b, note in rows),
        )


BUILDER = Namespace("relax.BlockBuilder", tvm_names.BUILDER, "relax_dialect.BlockBuilder")
PATTERNS = Namespace("relax.dpl", tvm_names.PATTERNS, "relax_dialect.dpl")
PASSES = Namespace("relax.transform", PASS_NAMES, "")
ANALYSES = Namespace("relax.analysis", tvm_names.ANALYSES, "relax_dialect.analysis")
OTHERS = Namespace("relax.op", tvm_names.OPERATORS, "relax_dialect.builder.op")
NAMESPACES = (BUILDER, PATTERNS, PASSES, ANALYSES, OTHERS)
TABLES = (tvm_names.TYPES, tvm_names.BUILDING, tvm_names.TRAINING, tvm_names.RUNNING)


def all_names() -> tuple[list[str], list[str]]:
    """TVM's names and ours, of all tables."""
    theirs = [f"{OTHERS.theirs}.{name}" for name in TABLE.lines]
    ours: list[str] = []
    for a, b, _ in chain.from_iterable(each.full() for each in NAMESPACES):
        theirs += a
        ours += b
    for a, b, _ in chain.from_iterable(map(cells, TABLES)):
        theirs += NAME.findall(a)
        ours += NAME.findall(b)
    return theirs, ours


def table(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, "|---" * (head.count("|") - 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)])


def plain(rows: str) -> str:
    """A table whose cells are as they stand."""
    return table("| TVM | here | |", cells(rows))


def operator_tables() -> Iterator[str]:
    """A table for each family of ours with the operators of TVM's that are read."""
    for family in (*COMMUNICATION, *OPERATOR_FAMILIES):
        if found := [operator for operator in TABLE if operator.op in family.OPS]:
            title = family.__name__.rpartition(".")[2].replace("_", " ").capitalize()
            rows = map(operator_row, found)
            yield f"### {title}\n\n{table('| TVM | here | arguments of TVM |', rows)}"


def operator_row(operator: Operator) -> tuple[str, ...]:
    """The cells of an operator."""
    ours = operator.op.name.removeprefix("relax.")
    arguments = TABLE.lines[operator.name].split("(", 1)[1].rpartition(")")[0]
    for parameter in operator.parameters:
        if parameter.order:
            arguments = arguments.replace(f"{parameter.name}: {parameter.order}", parameter.name)
    page = "language.md#communication" if ours.startswith("ccl.") else f"operators.md#{ours}"
    return (
        f"`{operator.name}`",
        f"[`relax.{ours}`]({page})",
        f"`{arguments}`" if arguments else "",
    )


def only_ours() -> str:
    """The operators that TVM lacks."""
    known = {op.name for op in TABLE.by_op} | {
        name for _, ours, _ in OTHERS.full() for name in ours
    }
    every = (op.name for family in OPERATOR_FAMILIES for op in family.OPS)
    short = (name.removeprefix("relax.") for name in every if name not in known)
    links = ", ".join(f"[{name}](operators.md#{name})" for name in sorted(short))
    return f"{LACKING}\n\n{links}"


def sections() -> Iterator[tuple[str, str]]:
    """The headings and what stands under them."""
    yield "Types, values and words of scripts", plain(tvm_names.TYPES)
    yield "The builder", f"{_of(BUILDER)}\n\n{plain(tvm_names.BUILDING)}"
    yield "Patterns", _of(PATTERNS)
    yield "Passes", f"Of `tvm.relax.transform`; ours run by `relax-opt -p`.\n\n{PASSES.table()}"
    yield "Analyses", _of(ANALYSES)
    yield "Training", plain(tvm_names.TRAINING)
    yield "Compiling and running", plain(tvm_names.RUNNING)
    yield "Operators", "\n\n".join([OPERATORS, *operator_tables()])
    yield "Calls, memory, devices", f"The rest of `tvm.relax.op`.\n\n{OTHERS.table()}"
    yield "Operators that TVM lacks", only_ours()


def _of(names: Namespace) -> str:
    return f"Of `tvm.{names.theirs}`; ours of `{names.ours}`, if no package is named.\n\n{names.table()}"


def page() -> str:
    """The text of the page."""
    text = INTRODUCTION.format(version=VERSION)
    return text + "".join(f"\n## {title}\n\n{body}\n" for title, body in sections())


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
