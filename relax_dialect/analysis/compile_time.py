"""Which bindings of a function can be computed before its run-time inputs are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from relax_dialect.analysis.variables import free_vars
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import topological_order
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.symbol_scopes import escaping_symbols, named_symbols
from relax_dialect.ir.traits import has_trait, region_is_graph
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp

NUM_INPUT = "num_input"
"""The attribute of a function with the number of parameters that are inputs at run time."""


def weights(func: FuncOp, num_input: int | None = None) -> Sequence[SSAValue]:
    """Return the parameters that are known before the run: those after the first `num_input`, by default
    the value of the function's attribute of that name (an error if it is out of range), or else none."""
    params = func.body.block.args
    if num_input is None:
        num_input = checked_num_input(func) if NUM_INPUT in func.attributes else len(params)
    return params[num_input:]


def checked_num_input(func: FuncOp) -> int:
    """Return the number of a function's parameters that are inputs, from its attribute; raises an error if
    it is out of range."""
    said, count = func.attributes.get(NUM_INPUT), len(func.body.block.args)
    if isinstance(said, IntegerAttr) and 0 <= said.value.data <= count:
        return said.value.data
    raise RelaxError(
        f"@{func.sym_name.data}: attribute {NUM_INPUT}: expected an integer from 0 to {count}, the number "
        f"of parameters, found {said}; correct it"
    )


def computable_at_compile_time(func: FuncOp, num_input: int | None = None) -> list[SSAValue]:
    """Return the variables that depend on constants and weights alone, in order of evaluation.

    The first `num_input` parameters are passed at run time; the others are weights, which are known before.
    By default the function's attribute of that name applies, or else all parameters are passed at run time.
    Ops that name a size of a run-time input, or have an effect, are excluded.
    """
    params = func.body.block.args
    known: dict[SSAValue, None] = dict.fromkeys(weights(func, num_input))
    symbols = set(defined_variables(p.type for p in params))
    known_symbols = set(defined_variables(p.type for p in known))
    unknown_symbols = symbols - known_symbols
    lookup = ModuleSymbols(func)
    for op in bindings(func):
        if isinstance(op, BlockOp):
            pairs = zip(op.results, op.output.operands)
            known.update(dict.fromkeys(result for result, value in pairs if value in known))
        elif (
            all(value in known for value in free_vars(op))
            and unknown_symbols.isdisjoint(named_symbols(op))
            and is_pure(op, lookup)
        ):
            known.update(dict.fromkeys(op.results))
            known_symbols.update(escaping_symbols(op))
        else:
            unknown_symbols.update(n for n in escaping_symbols(op) if n not in known_symbols)
    return [value for value in known if value not in params]


def bindings(func: FuncOp) -> Iterator[Operation]:
    """Yield the bindings of a function and of its blocks, each block after its contents."""
    stack: list[Iterator[Operation]] = [iter(func.body.block.ops)]
    blocks: list[BlockOp] = []
    while stack:
        op = next(stack[-1], None)
        if op is None:
            stack.pop()
            if blocks:
                yield blocks.pop()
        elif isinstance(op, BlockOp):
            blocks.append(op)
            body = op.body.block
            stack.append(iter(topological_order(body) if region_is_graph(op, False) else body.ops))
        elif not has_trait(op, IsTerminator):
            yield op
