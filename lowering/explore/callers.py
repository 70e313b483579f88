"""The program's ops that each kernel comes from: the ops that call it.

A kernel that several calls share has the locations of the first of them in its body, and so have the
kernels that it is fused into.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from lowering.explore.program_text import Line
from lowering.explore.source_locations import SourceLocations
from relax_dialect.ir.call_graph import own_references


def symbol_of(op: Operation) -> str | None:
    """Return the symbol of a function."""
    symbol = op.properties.get("sym_name") or op.attributes.get("sym_name")
    return symbol.data if isinstance(symbol, StringAttr) else None


def called_from(
    module: ModuleOp, relax_functions: Collection[str], places: SourceLocations
) -> dict[str, set[int]]:
    """Return the source locations of the calls of each function in Relax functions, direct or through
    kernels."""
    found: dict[str, set[int]] = {}
    by_kernels: list[tuple[str, str]] = []
    for function in module.ops:
        caller = symbol_of(function)
        for op in function.walk():
            for callee in own_references(op):
                if caller in relax_functions:
                    found.setdefault(callee, set()).update(places.of(op.location))
                elif caller is not None and caller != callee:
                    by_kernels.append((caller, callee))
    changed = True
    while changed:
        changed = False
        for caller, callee in by_kernels:
            known = found.setdefault(callee, set())
            if not found.get(caller, known) <= known:
                known |= found[caller]
                changed = True
    return found


def kernels_called(module: ModuleOp, relax_functions: Collection[str]) -> set[str]:
    """Return the kernels that Relax functions call directly."""
    own = (f for f in module.ops if symbol_of(f) in relax_functions)
    called = {callee for f in own for op in f.walk() for callee in own_references(op)}
    return called - set(relax_functions)


def narrowed(lines: list[Line], calls: set[int]) -> list[Line]:
    """Restrict the locations of a kernel's lines to those of its calls; lines left with none get all of
    them."""
    every = tuple(sorted(calls))
    return [
        (text, (tuple(p for p in own if p in calls) or every) if own else own)
        for text, own in lines
    ]
