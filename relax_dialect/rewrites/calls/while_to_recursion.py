"""relax-while-to-recursion: a loop becomes a private function that calls itself for the next iteration.

```mlir
relax.func @main(%w: T, %x0: T) -> T {
  %n, %y = relax.while (%i = %zero, %x = %x0) : (I, T) -> (I, T) {
    %more = relax.less %i, %end : (I, I) -> B
    relax.yield %more : B
  } do {
    %next = relax.add %i, %one : (I, I) -> I
    %z = relax.multiply %x, %w : (T, T) -> T
    relax.yield %next, %z : I, T
  }
->
relax.func @main(%w: T, %x0: T) -> T {
  %r = relax.call @main_loop(%w, %zero, %x0) : (T, I, T) -> tuple<I, T>
  %y = relax.tuple_get_item %r {index = 1 : i64} : (tuple<I, T>) -> T
  ...
relax.func private @main_loop(%w: T, %i: I, %x: T) -> tuple<I, T> {
  %more = relax.less %i, %end : (I, I) -> B
  %r = relax.if %more : (B) -> tuple<I, T> {
    %next = relax.add %i, %one : (I, I) -> I
    %z = relax.multiply %x, %w : (T, T) -> T
    %again = relax.call @main_loop(%w, %next, %z) : (T, I, T) -> tuple<I, T>
    relax.yield %again : tuple<I, T>
  } else {
    %state = relax.tuple %i, %x : (I, T) -> tuple<I, T>
    relax.yield %state : tuple<I, T>
  }
  relax.return %r : tuple<I, T>
}
```

Captured values precede the state; constants are copied, and a symbolic variable that no argument defines is
passed in a `!relax.shape`. A state of one value is that value, not a tuple. A function with a loop in a
graph, or in a closure of a dataflow block, is brought into A-normal form, which orders its ops. A loop that
holds a `relax.match_*` and whose results are unused is kept: its checks would be dropped with an unused
call.

TVM's Relax, which has no loops, expresses them in this form. `relax-tail-calls-to-loops` is the inverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.symbol_scopes import escaping_symbols, named_symbols, visible_symbols
from relax_dialect.ir.type_variables import bare_variables, free_variables
from relax_dialect.ir.types import tuple_type
from relax_dialect.ir.walk import discard, unique_name, walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import DataflowOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp, YieldOp
from relax_dialect.ops.core import ConstantOp, FuncOp, ReturnOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.transform.capturing import captured_values, sizes_argument
from relax_dialect.transform.cloning import Cloner, fresh_symbols
from relax_dialect.transform.liveness import find_live
from relax_dialect.transform.regions import erase, functions, keep_name, replace_uses


def while_to_recursion(module: ModuleOp) -> int:
    """Convert the loops of a module into recursive functions; returns the number of loops."""
    taken = set(module_symbols(module))
    count = 0
    for func in functions(module):
        if any(isinstance(op, WhileOp) and _is_in_graph(op) for op in walk_ops(func)):
            to_a_normal_form(func)
        live = find_live(func)
        loops = [
            op
            for op in walk_ops(func)
            if isinstance(op, WhileOp) and (live.uses(op) or not _holds_match(op))
        ]
        for loop in reversed(loops):  # inner ones first
            name = unique_name(f"{func.sym_name.data}_loop", taken)
            taken.add(name)
            _outline(loop, func, name)
        count += len(loops)
    return count


def _holds_match(loop: WhileOp) -> bool:
    return any(isinstance(op, MatchOp) for op in walk_ops(loop))


def _is_in_graph(op: Operation) -> bool:
    around = op.parent_op()
    while around is not None and not isinstance(around, GraphOp | DataflowOp):
        around = around.parent_op()
    return around is not None


def _outline(loop: WhileOp, func: FuncOp, name: str) -> None:
    """Replace a loop by a call of a new function, which is inserted after `func`."""
    _rename_what_both_name(loop)
    inside = dict.fromkeys(walk_ops(loop))
    captured = captured_values(inside, loop)
    given = [value for value in captured if not isinstance(value.owner, ConstantOp)]
    given += _sizes(loop, given)
    turn, body, types = loop.condition.block, loop.body.block, loop.result_types
    own: dict[SSAValue, SSAValue] = dict(zip(body.args, turn.args))
    for index, value in enumerate(given):
        own[value] = turn.insert_arg(value.type, index)
        own[value].name_hint = value.name_hint
    for value in captured:
        if isinstance(value.owner, ConstantOp):
            copy = value.owner.clone()
            own[value] = copy.result
            assert turn.first_op is not None
            turn.insert_op_before(copy, turn.first_op)
    replace_uses(own, lambda op: op in inside and op is not loop)
    test, following = loop.test, loop.next_state
    kept, state = turn.args[: len(given)], turn.args[len(given) :]
    for block in (turn, body):
        assert block.last_op is not None
        erase(block.last_op)
    output = types[0] if len(types) == 1 else tuple_type(types)
    again = CallOp(name, [*kept, *following], output)
    body.add_ops([again, YieldOp(again.result)])
    while body.args:
        body.erase_arg(body.args[-1])
    whole = [] if len(state) == 1 else [TupleOp(*state)]
    end = whole[0].result if whole else state[0]
    otherwise = Region(Block([*whole, YieldOp(end)]))
    chosen = IfOp(test, loop.detach_region(1), otherwise, output)
    turn.add_ops([chosen, ReturnOp(chosen.result)])
    function = FuncOp(name, turn.arg_types, output, loop.detach_region(0), private=True)
    assert func.parent is not None
    func.parent.insert_op_after(function, func)
    call = CallOp(name, [*given, *loop.inits], output)
    used = [result for result in loop.results if result.uses]
    parts = [TupleGetItemOp(call.result, result.index) for result in used] if whole else []
    found = dict[SSAValue, SSAValue](
        zip(used, (part.result for part in parts) if whole else [call.result])
    )
    for old, new in found.items():
        keep_name(new, old)
    for op in (function, call, *parts, again, *whole, chosen):
        op.location = loop.location
    around = loop.parent
    assert around is not None
    around.insert_ops_before([call, *parts], loop)
    replace_uses(found)
    erase(loop)


def _sizes(loop: WhileOp, given: Iterable[SSAValue]) -> Sequence[SSAValue]:
    """Return a shape of the symbolic variables that a loop names and that neither its state nor `given`
    defines."""
    types = [*(value.type for value in given), *loop.result_types]
    named = named_symbols(loop).union(v for type in types for v in free_variables(type))
    told = {v for type in types for v in bare_variables(type)}
    missing = (named & visible_symbols(loop, False)) - told
    return [sizes_argument(sorted(missing), loop)] if missing else []


def _rename_what_both_name(loop: WhileOp) -> None:
    """Rename variables of the condition that the body names too: the condition will enclose the body."""
    defined = {v for op in loop.condition.block.ops for v in escaping_symbols(op)}
    named = set[str]().union(*map(named_symbols, loop.body.block.ops))
    both = (defined & named) - visible_symbols(loop, False)
    if not both:
        return
    old, test = loop.condition.block, loop.test
    new = Block(arg_types=old.arg_types)
    for before, after in zip(old.args, new.args):
        after.name_hint = before.name_hint
    cloner = Cloner(dict(zip(old.args, new.args)), fresh_symbols(sorted(both), named_symbols(loop)))
    cloner.copy_body(loop, new, flatten=False)
    new.add_op(YieldOp(cloner.values.get(test, test)))
    discard(old)
    loop.condition.detach_block(old)
    loop.condition.add_block(new)


class WhileToRecursionPass(ModulePass):
    """Convert loops into private functions that call themselves."""

    name = "relax-while-to-recursion"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        while_to_recursion(op)
