"""Generator of the page of PyTorch's operators, from the converters and PyTorch's tags.

`python test/unit/support/torch_page.py` writes docs/torch-operators.md; `test_torch_page.py` checks that it is up to date.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from relax_dialect.frontends.torch import registry
from relax_dialect.frontends.torch.coverage import LEFT_OUT
from relax_dialect.frontends.torch.prepare import decompositions

PAGE = Path(__file__).resolve().parents[3] / "docs" / "torch-operators.md"
CONVERTED, DECOMPOSED, SIZE, LEFT = "converter", "decomposition", "size", "left out"

INTRODUCTION = """\
# PyTorch: operators

Written by `python test/unit/support/torch_page.py`; `test/unit/docs/test_torch_page.py` checks that it is up to date with PyTorch
{version}. [pytorch.md](pytorch.md) describes the import of models, and
[relax_dialect/frontends/torch](../relax_dialect/frontends/torch/__init__.py) how to write converters.

PyTorch tags {names} operators as core ATen, with {overloads} overloads: {supported} operators are supported, {left} are not.
A *converter* translates an operator, and is compared with PyTorch over random arguments
(`test/unit/support/torch_cases.py`); PyTorch's *decomposition* replaces it by operators with converters; a *size* is
evaluated during import.

| overload | implemented by | reason |
|---|---|---|
"""

MORE = """
## Other operators

Operators outside of core ATen that have converters, so that they arrive whole; a name without an overload has all of them.
Every other operator is decomposed by PyTorch, if it has a decomposition.

"""


def core() -> Iterator[Any]:
    """The overloads that are tagged as core ATen. `dir(torch.ops.aten)` has those that were used before."""
    schemas = torch._C._jit_get_all_schemas()
    aten = "aten::"
    for name in sorted({each.name for each in schemas if each.name.startswith(aten)}):
        packet = getattr(torch.ops.aten, name.removeprefix(aten), None)
        for overload in packet.overloads() if hasattr(packet, "overloads") else ():
            found = getattr(packet, overload)
            if torch.Tag.core in found.tags and not overload.startswith("out"):
                yield found


def returns_size(overload: Any) -> bool:
    return {str(r.type) for r in overload._schema.returns} <= {"SymInt", "int"}


def status(overload: Any, decomposed: Any) -> str:
    """How an overload is implemented."""
    name = registry.name_of(overload)
    if name.partition(".")[0] in LEFT_OUT:
        return LEFT
    if registry.find(name) is not None:
        return CONVERTED
    if returns_size(overload):
        return SIZE
    return DECOMPOSED if overload in decomposed else LEFT


def page() -> str:
    """The text of the page."""
    decomposed = decompositions()
    found = {registry.name_of(o): status(o, decomposed) for o in core()}
    lines = [f"| `{n}` | {s} | {reason(n) if s == LEFT else ''} |" for n, s in found.items()]
    operators = {name.rpartition(".")[0]: s for name, s in found.items()}
    left = Counter(operators.values())[LEFT]
    head = INTRODUCTION.format(
        version=".".join(torch.__version__.split("+")[0].split(".")[:2]),
        names=len(operators), overloads=len(found), supported=len(operators) - left, left=left,
    )  # fmt: skip
    others = sorted(
        n
        for n in registry.table()
        if not n.startswith("_") and n.partition(".")[0] not in operators
    )
    return (
        f"{head}"
        + "\n".join(lines)
        + f"\n{MORE}"
        + ", ".join(f"`{name}`" for name in others)
        + ".\n"
    )


def reason(name: str) -> str:
    return LEFT_OUT[name.partition(".")[0]]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
