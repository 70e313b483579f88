"""Symbolic variables that a match defines as sizes which are known: written as these sizes throughout."""

from __future__ import annotations

from collections import Counter

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols
from relax_dialect.ir.types import Sized, TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import MatchOp, RelaxOp
from relax_dialect.ops.blocks import BlockOp, OutputOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.symbolic import Expr
from relax_dialect.transform.binding import FunctionRemaker
from relax_dialect.transform.regions import set_type


def known_variables(function: FuncOp) -> dict[str, Expr]:
    """Return the variables that one match alone defines, and the sizes that its operand is known to have
    there."""
    definitions: Counter[str] = Counter(function.function_type.bound)
    matches: list[MatchOp] = []
    for op in walk_ops(function):
        definitions.update(set(candidate_symbols(op)))
        definitions.update(entry_symbols(op))
        if isinstance(op, MatchOp):
            matches.append(op)
    found: dict[str, Expr] = {}
    for op in matches:
        source, target = op.operands[0].type, op.results[0].type
        if not isinstance(source, Sized) or not isinstance(target, Sized):
            continue
        for known, new in zip(source.shape or (), target.shape or ()):
            if known is None or new is None or new.name is None or definitions[new.name] != 1:
                continue
            size = known.substitute(found)
            if new.name not in found and found.keys().isdisjoint(size.free_variables):
                found = {name: old.substitute({new.name: size}) for name, old in found.items()}
                if new.name not in size.free_variables:
                    found[new.name] = size
    return found


def write_known_sizes(function: FuncOp) -> bool:
    """Replace the variables that are other names of known sizes; whether there were any."""
    known = known_variables(function)
    if not known:
        return False
    remaker = FunctionRemaker(function, known, ModuleSymbols(function))
    for param in function.body.block.args:
        remaker.keep_parameter(param)
    try:
        remaker.finish()
    except (
        RelaxError
    ):  # a size too large to be written, or a contradiction, which is reported at run time
        return False
    while _narrow(function):
        pass
    return True


def _narrow(function: FuncOp) -> bool:
    """Infer the types of tensors again, once in the order of the text; return whether one became
    narrower."""
    changed = False
    for op in walk_ops(function):
        holder = op.parent_op()
        if isinstance(op, OutputOp) and isinstance(holder, BlockOp):
            op, types = holder, [value.type for value in op.operands]
        elif isinstance(op, BlockOp):
            continue  # once its output is known
        elif isinstance(op, RelaxOp) and not op.regions and not isinstance(op, MatchOp):
            types = op.checked_types()
        else:
            continue
        for result, type in zip(op.results, types):
            narrows = type != result.type and is_subtype(type, result.type)
            if narrows and (isinstance(op, BlockOp) or isinstance(type, TensorType)):
                set_type(result, type)
                changed = True
    return changed
