"""Expressions for every rule of gradients, by name."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation

from relax_dialect.builder import BlockBuilder
from relax_dialect.ir.types import TensorType

from . import elementwise, losses, moving, networks, products, recurrent, reductions, windows
from .case import Case

PARTS = (elementwise, reductions, moving, products, losses, networks, recurrent, windows)
CASES: dict[str, Case] = {name: case for part in PARTS for name, case in part.CASES.items()}


@cache
def cases_of() -> dict[type[Operation], list[str]]:
    """The cases that each operator stands in."""
    found: dict[type[Operation], list[str]] = {}
    for name, case in CASES.items():
        builder = BlockBuilder()
        types = {f"x{i}": TensorType(shape, "f64") for i, shape in enumerate(case.shapes)}
        with builder.function("f", types) as parameters:
            builder.emit_func_output(builder.emit(case.build(*parameters)))
        for op in dict.fromkeys(type(each) for each in builder.get().walk()):
            found.setdefault(op, []).append(name)
    return found
