"""Prim funcs that nothing calls any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Operation

from relax_dialect.ir.call_graph import is_private, ops_inside


def erase_uncalled(
    module: ModuleOp, symbols: Mapping[str, Operation], names: Iterable[str]
) -> None:
    """Erase those of the functions named that are private and that no op names."""
    if not (names := set(names)):
        return
    called = {
        attribute.root_reference.data
        for op in ops_inside(module)
        for attribute in (*op.properties.values(), *op.attributes.values())
        if isinstance(attribute, SymbolRefAttr)
    }
    for name in names - called:
        function = symbols[name]
        if isinstance(function, func.FuncOp) and is_private(function):
            function.detach()
            function.erase()
