"""Dropout in training: masks are drawn from keys, different in each step and at each call site.

    %y, %mask = relax.dropout %x {rate = 0.1 : f64}
    ->
    %kept = relax.less (relax.random_uniform %key, shape of %x), 0.9
    %y = relax.where %kept, %x / 0.9, 0.0

The random numbers are functions of the key (Threefry), so the backward pass reuses the mask of the forward
pass, and the same seed reproduces the training run. Keys derive from the seed, the step number and the
index of the dropout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import FuncType, TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.ops.normalization import DropoutOp
from relax_dialect.training.errors import TrainingError
from relax_dialect.visitor import ExprMutator

SEEDS = 2**31
"""The number of seeds: keys are `seed * 2**32 + step`."""


def check(function: FuncOp, seed: int) -> None:
    """Refuse an invalid seed, and a function without dropouts."""
    where = f"@{function.sym_name.data}"
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < SEEDS:
        raise TrainingError(
            f"{where}: seed: expected a whole number from 0 to {SEEDS - 1}, found {seed!r}; correct it"
        )
    name = function.sym_name.data
    for called, callee in CallGraph.below([name], module_symbols(function)).symbols.items():
        if called != name and isinstance(callee, FuncOp) and places(callee):
            raise TrainingError(
                f"{where}: seed: expected dropouts in the function itself, found some in @{called}, which "
                "it calls; run relax-inline-private-functions before"
            )
    if not places(function):
        raise TrainingError(
            f"{where}: seed: expected a relax.dropout with a rate above 0 in the function, found none; "
            "leave the seed out"
        )


def places(function: FuncOp) -> Sequence[DropoutOp]:
    """Return the dropouts of a function that leave out anything; `TrainingError` for one in a loop."""
    found = [o for o in walk_ops(function) if isinstance(o, DropoutOp) and o.rate > 0]
    for each in found:
        around = each.parent_op()
        while around is not None and around is not function:
            if isinstance(around, WhileOp):
                raise TrainingError(
                    f"@{function.sym_name.data}: {describe(each)}: expected dropouts outside of loops, "
                    "whose iterations would all have one mask, found one in a relax.while; move it out, or "
                    "draw the mask by relax.random_uniform with a key of the iteration"
                )
            around = around.parent_op()
    return found


def draw_masks(function: FuncOp) -> int:
    """Make the dropouts of a function draw their masks from keys, a tensor appended to its parameters;
    returns the number of keys."""
    found = places(function)
    block, type = function.body.block, function.function_type
    keys = block.insert_arg(TensorType([len(found)], i64), len(block.args))
    keys.name_hint = "keys"
    inputs = [a.type for a in block.args]
    variables = [v.data for v in type.variables]
    function.function_type = FuncType(inputs, type.output, variables)
    _Masks(keys, found).visit_expr(function)
    return len(found)


def keys(builder: BlockBuilder, seed: int, state: Value, count: int) -> Value:
    """Return the keys of a step. The optimizer's state begins with the number of steps done."""
    return builder.emit(op.random_bits(state[0] + seed * 2**32, [count]), "keys")


class _Masks(ExprMutator):
    """Replaces dropouts by masks that are drawn by keys."""

    def __init__(self, keys: SSAValue, found: Sequence[DropoutOp]):
        super().__init__()
        self._keys = Value(keys)
        self._number = {each: i for i, each in enumerate(found)}

    def visit_dropout(self, dropout: DropoutOp) -> Any:
        if dropout not in self._number:
            return None
        x, emit = Value(dropout.x), self.builder.emit
        place = op.strided_slice(
            self._keys, [0], [self._number[dropout]], [self._number[dropout] + 1]
        )
        key = op.squeeze(place, [0])
        share = 1.0 - dropout.rate
        kept = emit(op.less(op.random_uniform(key, op.shape_of(x)), share), "kept")
        scaled = x * (1.0 / share) if share > 0 else x
        return emit(op.where(kept, scaled, 0.0)), emit(kept.astype(x.dtype))
