"""relax-forward-last-row: a loop-carried value is read from the last of the rows that the loop collects.

    %y, %ys = relax.while (%s = %x, %t = %rows) {          %ys = relax.while (%t = %rows) {
      ...                                                    ...
    } do {                                                 } do {
      %a = relax.match_cast %t                               %a = relax.match_cast %t
      %z = f(%s)                                      ->     %s = relax.take %a, -1 {axis = 0}
      %row = relax.expand_dims %z {axis = [0]}               %z = f(%s)
      %b = relax.concat %a, %row {axis = 0}                  %row = relax.expand_dims %z {axis = [0]}
      relax.yield %z, %b                                     %b = relax.concat %a, %row {axis = 0}
    }                                                        relax.yield %b
                                                           }

The rows begin with `%x` alone, and only the loop body reads the state: a row is then written directly where
it is collected, and not copied there. Loops with a backward pass have this form.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect.ir.locations import inherit
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import ConstantOp, MatchCastOp
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.ops.manipulate import ExpandDimsOp
from relax_dialect.transform.loop_states import without_states


def forward_last_rows(module: ModuleOp) -> None:
    """Make the loops of a module read their rows."""
    for loop in [op for op in walk_ops(module) if isinstance(op, WhileOp)]:
        found = [(state, cast) for state in range(len(loop.inits)) if (cast := _rows(loop, state))]
        for state, cast in found:
            _read(loop, state, cast)
        if found:
            without_states(loop, {state for state, _ in found})


def _rows(loop: WhileOp, state: int) -> MatchCastOp | None:
    """Return the match_cast that names the number of rows that a state is the last of, if it may be read
    from there."""
    value, test = loop.next_state[state], loop.condition.block.args[state]
    if test.first_use or loop.results[state].first_use:
        return None
    for use in value.uses:
        row = use.operation
        concat = row.results[0].get_user_of_unique_use() if _is_row(row, value) else None
        if not isinstance(concat, ConcatOp) or concat.axis != 0 or len(concat.operands) != 2:
            continue
        cast = concat.operands[0].owner
        if not isinstance(cast, MatchCastOp) or concat.operands[1].owner is not row:
            continue
        rows, body = cast.value, loop.body.block
        if rows.owner is not body or not rows.has_one_use() or cast.parent is not body:
            continue
        index = body.args.index(rows)
        init = loop.inits[index].owner
        if loop.next_state[index] is concat.result and _is_row(init, loop.inits[state]):
            return cast
    return None


def _is_row(op: object, value: SSAValue) -> bool:
    """Return whether an op makes a row of a value."""
    return isinstance(op, ExpandDimsOp) and op.x is value and tuple(op.axis) == (0,)


def _read(loop: WhileOp, state: int, cast: MatchCastOp) -> None:
    """Take a state from the last of the rows."""
    body = loop.body.block
    assert body.first_op is not None
    if cast is not body.first_op:
        cast.detach()
        body.insert_op_before(cast, body.first_op)
    number = DenseIntOrFPElementsAttr.from_list(TensorType(i64, []), [-1])
    last = ConstantOp(number)
    row = TakeOp(cast.result, last.result, axis=0)
    inherit([last, row], loop.location)
    body.insert_ops_after([last, row], cast)
    row.result.name_hint = body.args[state].name_hint
    body.args[state].replace_all_uses_with(row.result)


class ForwardLastRowPass(ModulePass):
    """Loop-carried values read from the collected rows, see the module docstring."""

    name = "relax-forward-last-row"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forward_last_rows(op)
