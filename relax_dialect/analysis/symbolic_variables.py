"""The symbolic variables of a function, block or binding."""

from __future__ import annotations

from xdsl.ir import Operation

from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols, own_symbols
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import FuncOp


def defined_symbolic_vars(op: Operation) -> list[str]:
    """Return the symbolic variables that an op defines: by parameters, and by `relax.match_*`.

    A match of a variable defined outside the op only checks; in a single block the two cannot be
    distinguished, so it counts as a definition there.
    """
    found: dict[str, None] = {}
    for inner in walk_ops(op):
        if isinstance(inner, FuncOp):
            found.update(dict.fromkeys(defined_variables(inner.function_type.inputs)))
        found.update(dict.fromkeys(entry_symbols(inner)))
        found.update(dict.fromkeys(candidate_symbols(inner)))
    return list(found)


def free_symbolic_vars(op: Operation) -> list[str]:
    """Return the symbolic variables that an op names and does not define: none for a function."""
    defined = set(defined_symbolic_vars(op))
    named = dict.fromkeys(name for inner in walk_ops(op) for name in own_symbols(inner))
    return [name for name in named if name not in defined]


bound_symbolic_vars = defined_symbolic_vars
