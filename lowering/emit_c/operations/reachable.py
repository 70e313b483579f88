"""The functions of a module that are emitted: those exported to C callers, and their callees."""

from __future__ import annotations

from collections.abc import Iterable

from lowering.emit_c.operations.c_intrinsics import kind_of
from lowering.emit_c.syntax.analysis import ModuleAnalysis
from relax_dialect.errors import RelaxError
from relax_dialect.prim.signature import ENTRY


def roots(analysis: ModuleAnalysis) -> dict[str, bool]:
    """Return the functions that C callers see, and whether as entry points."""
    found: dict[str, bool] = {}
    for symbol, f in analysis.functions.items():
        is_private = f.sym_visibility is not None and f.sym_visibility.data == "private"
        if ENTRY in f.attributes:
            found[symbol] = True
        elif not is_private and symbol not in analysis.allocating:
            found[symbol] = False
    if not found:
        raise RelaxError(
            "C: no function to emit: expected one with the attribute relax.entry, or a "
            "public one that allocates nothing"
        )
    return found


def reachable(analysis: ModuleAnalysis, symbols: Iterable[str]) -> list[str]:
    """Functions and all that they call, in the module's order; intrinsics are none."""
    seen = set(symbols)
    work = list(seen)
    while work:
        for callee in analysis.callees[work.pop()]:
            function = analysis.functions.get(callee)
            if callee not in seen and function is not None and kind_of(function) is None:
                seen.add(callee)
                work.append(callee)
    return [symbol for symbol in analysis.functions if symbol in seen]
