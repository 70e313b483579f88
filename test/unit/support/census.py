"""Which operators need which part of the passes on loops: the table of docs/architecture.md.

`python test/unit/support/census.py` writes it anew, from what changes loops of the cases of each operator.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from lowering.loops import (
    bounded_reductions,
    split_reductions,
)
from lowering.pipeline import PASSES, lower
from lowering.support import target
from relax_dialect.ir.walk import walk_ops

PAGE = Path(__file__).parents[3] / "docs/architecture.md"
BEGIN, END = "<!-- census -->\n", "<!-- end of census -->\n"

PARTS: Mapping[str, tuple[Any, str]] = {
    "split_reductions": (split_reductions._Splitter, "split"),
    "bounded_reductions: sums": (bounded_reductions._BoundedReduction, "_narrow_sums"),
    "bounded_reductions: extremes": (bounded_reductions._BoundedReduction, "_until_reached"),
}
"""The function of each part that changes a loop; the loop is an argument, or that of the object."""

CPU = "x86-64-v4"
"""The one that the table is of: loops of few turns are the more left alone the wider vectors are."""

Fired = dict[str, set[str]]
"""The names of the functions that each part has changed."""


@contextmanager
def watched() -> Iterator[Fired]:
    """The functions that each part changes meanwhile."""
    fired: Fired = {part: set() for part in PARTS}
    before: list[tuple[Any, str, Callable[..., Any]]] = []
    for part, (holder, name) in PARTS.items():
        original = getattr(holder, name)
        before.append((holder, name, original))

        def record(*args: Any, part: str = part, original: Callable[..., Any] = original) -> Any:
            ops = (*args, *(getattr(each, "loop", None) for each in args))
            function = next(op for op in ops if isinstance(op, Operation))
            while not isinstance(function, FuncOp):
                parent = function.parent_op()
                assert parent is not None
                function = parent
            fired[part].add(function.sym_name.data)
            return original(*args)

        setattr(holder, name, record)
    try:
        yield fired
    finally:
        for holder, name, original in before:
            setattr(holder, name, original)


def of_operators(fired: Fired, module: ModuleOp, cases: Mapping[str, Any]) -> Fired:
    """The operators whose functions, or those that they call, were changed; a lowered module has a function
    for each operator."""
    calls: defaultdict[str, set[str]] = defaultdict(set)
    for function in module.ops:
        if isinstance(function, FuncOp):
            for op in walk_ops(function):
                if isinstance(op, CallOp):
                    calls[function.sym_name.data].add(op.callee.root_reference.data)

    def reached(name: str) -> set[str]:
        found, open_ = {name}, [name]
        while open_:
            new = calls[open_.pop()] - found
            found |= new
            open_ += new
        return found

    needs: Fired = {part: set() for part in fired}
    for name, case in cases.items():
        around = reached(name)
        for part, functions in fired.items():
            if functions & around:
                needs[part].add(operator_name(case))
    return needs


def check(needs: Fired, cases: Mapping[str, Any]) -> None:
    """The page says of the operators of some cases what they need, if that is known of this machine."""
    if target.native().vector_bytes != target.find(CPU).vector_bytes:
        return
    operators = {operator_name(case) for case in cases.values()}
    for part, listed in table().items():
        message = f"{PAGE.name}: the operators that need {part}; run {Path(__file__).name}"
        assert needs[part] == listed & operators, message


def operator_name(case: Any) -> str:
    """The name of the operator of a case, as the docs call it."""
    return case.tested.name.removeprefix("relax.")


def needs_of(cases: Mapping[str, Any]) -> Fired:
    """Which parts the operators of some cases need."""
    module = ModuleOp([case.function(name) for name, case in cases.items()])
    last = tuple(PASSES).index("relax-lower-functions") + 1
    with watched() as fired:
        lower(module, tuple(PASSES)[:last], cpu=CPU)
    return of_operators(fired, module, cases)


@cache
def table() -> Mapping[str, frozenset[str]]:
    """The table of the page."""
    text = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]*) \|$", text, re.MULTILINE)
    return {part: frozenset(operators.split(", ")) for part, operators in rows}


def write(needs: Mapping[str, set[str]]) -> None:
    """Put the operators into the page."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    rows, _, after = rest.partition(END)

    def row(found: re.Match[str]) -> str:
        return f"{found[1]}| {', '.join(sorted(needs[found[2]]))} |"

    rows = re.sub(r"^(\| `([^`]+)` \|.*)\|[^|]*\|$", row, rows, flags=re.MULTILINE)
    PAGE.write_text(before + BEGIN + rows + END + after, "utf-8")


def main(families: Sequence[str]) -> None:
    from operators import entries

    needs: dict[str, set[str]] = {part: set() for part in PARTS}
    for family in dict.fromkeys(entry.family for entry in entries()):
        if families and family not in families:
            continue
        cases = [case for e in entries() if e.family == family for case in e.cases]
        for part, found in needs_of({f"f{i}": c for i, c in enumerate(cases)}).items():
            needs[part] |= found
        print(family, flush=True)
    write(needs)


if __name__ == "__main__":
    main(sys.argv[1:])
