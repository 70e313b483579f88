"""relax-tail-calls-to-loops: calls in tail position become iterations of a relax.while.

```mlir
relax.func @f(%x: T, %i: I) -> T {             relax.func @f(%x: T, %i: I) -> T {
  %c = relax.less %i, %end : (I, I) -> B         %go, %s, %k, %r = relax.while
  %r = relax.if %c : (B) -> T {                      (%g = %true, %a = %x, %j = %i, %y = %empty) {
    %y = relax.exp %x : (T) -> T                   relax.yield %g : B
    %j = relax.add %i, %one : (I, I) -> I        } do {
    %z = relax.call @f(%y, %j) : (T, I) -> T       %c = relax.less %j, %end : (I, I) -> B
    relax.yield %z : T                   ->        %n = relax.if %c : (B) -> tuple<B, T, I, R> {
  } else {                                           ... relax.tuple %true, %z, %k, %y
    relax.yield %x : T                             } else {
  }                                                  ... relax.tuple %false, %a, %j, %a
  relax.return %r : T                              }
}                                                  ... relax.yield the fields of %n
                                                 }
                                                 %t = relax.match_cast %r : R -> T
                                                 relax.return %t : T
                                               }
```

The state of the loop is a flag to continue, the arguments of the next iteration, and the result, empty
until it is known. Every op of an iteration is evaluated once and in its order, including effects. An
argument that every such call passes on unchanged remains outside of the loop, and so does a symbolic
variable; other variables are unknown in the types of the state, and bound anew in each iteration.

Mutually tail-recursive functions become one private function: its state also has the number of the function
of an iteration, and the arguments of all, empty except for that function's. The functions become calls of
it.

Changed functions are brought into A-normal form. Recursion without an exit keeps its calls, so that it ends
in the error of the limit; so do functions whose result has no initial value: a function
(`relax-defunctionalize` makes tuples of these), an object, a tensor of unknown rank or element type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, ModuleOp, TupleType, i64
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from relax_dialect import symbolic
from relax_dialect.analysis.recursion import Recursion, Tail, mark_uncounted, tail_of
from relax_dialect.ir.lattice import is_subtype, join
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.symbol_scopes import named_symbols
from relax_dialect.ir.type_variables import (
    bare_variables,
    defined_variables,
    free_variables,
    map_dims,
    substitute,
)
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.ir.upper_bounds import upper_bounds
from relax_dialect.ir.walk import discard, symbol_name, unique_name
from relax_dialect.ops.base import BOOLEAN
from relax_dialect.ops.binary import EqualOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp, YieldOp
from relax_dialect.ops.core import (
    ConstantOp,
    FuncOp,
    MatchCastOp,
    ReturnOp,
    TupleGetItemOp,
    TupleOp,
)
from relax_dialect.ops.loops import WhileOp
from relax_dialect.rewrites.forms.to_a_normal_form import to_a_normal_form
from relax_dialect.symbolic import Expr
from relax_dialect.transform.cloning import Cloner, fresh_symbols
from relax_dialect.transform.empty_values import empty_value, has_empty_value
from relax_dialect.transform.regions import erase
from relax_dialect.transform.solved_parameters import measured_parameters

NUMBER = TensorType.get((), i64)


class _LoopEmitter(Builder):
    """Emits the ops around the bodies of the functions."""

    def value(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Emit an op; its result, named."""
        result = self.insert(op).results[0]
        result.name_hint = result.name_hint or hint
        return result

    def boolean(self, value: bool, hint: str) -> SSAValue:
        data = DenseIntOrFPElementsAttr.from_list(BuiltinTensorType(IntegerType(1), []), [value])
        return self.value(ConstantOp(data), hint)

    def number(self, value: int, hint: str) -> SSAValue:
        data = DenseIntOrFPElementsAttr.from_list(BuiltinTensorType(i64, []), [value])
        return self.value(ConstantOp(data), hint)

    def narrow(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Return the value as one of a type, checked at run time where that is not known."""
        if is_subtype(value.type, type):
            return value
        return self.value(MatchCastOp(value, type), value.name_hint)


def _without_sizes(type: Attribute) -> Attribute:
    """Return the type of values whose sizes differ between iterations."""
    type = substitute(type, dict.fromkeys(free_variables(type)))
    return map_dims(type, lambda dim: None)


@dataclass
class _Member:
    """A function that becomes a part of a loop."""

    function: FuncOp
    tail: Tail
    first: int = 0
    """The index of its first argument among those of the state."""
    renamed: dict[str, Expr] = field(default_factory=dict)
    """The symbolic variables that each iteration binds anew, in terms of the sizes of its arguments."""
    measured: Sequence[Attribute] = ()
    """The types of the parameters with the sizes that define variables alone."""

    def measure(self, varying: Collection[str], rename: bool) -> None:
        """Solve for varying variables, and `rename` those that bare sizes define."""
        types = [p.type for p in self.params]
        bare = {name for type in types for name in bare_variables(type)}
        taken = named_symbols(self.function)
        self.renamed = fresh_symbols([n for n in varying if rename and n in bare], taken)

        def fresh(name: str) -> str:
            taken.add(new := unique_name(name, taken))
            return new

        solved = set(varying) - bare
        self.measured = measured_parameters(types, self.renamed, solved, fresh)

    @property
    def params(self) -> Sequence[SSAValue]:
        return self.function.body.block.args

    @property
    def result(self) -> Attribute:
        """Return the type of its result when a loop ends, without sizes."""
        found = [_without_sizes(value.type) for value in self.tail.exits]
        return reduce(join, found) if found else _without_sizes(self.function.function_type.output)


@dataclass
class _Loop:
    """A loop over the iterations of some functions."""

    members: Mapping[str, _Member]
    states: Sequence[Attribute]
    """The types of the arguments of all members."""
    result: Attribute
    turns: frozenset[CallOp]
    kept: Mapping[int, SSAValue] = field(default_factory=dict)
    """For a single function the arguments that remain outside of the loop, by index."""

    @property
    def is_single(self) -> bool:
        return len(self.members) == 1

    @property
    def types(self) -> list[Attribute]:
        """The state: whether to go on, the function, the arguments, the result."""
        which = [] if self.is_single else [NUMBER]
        return [BOOLEAN, *which, *self.states, self.result]

    def emit(self, out: _LoopEmitter, which: SSAValue | None, args: Sequence[SSAValue]) -> SSAValue:
        """Emit the loop, from the arguments of its first iteration to the result of its last."""
        go = out.boolean(True, "go")
        empty = _empty(out, self.result)
        inits = [go, *([] if which is None else [which]), *args, empty]
        regions = [Region(Block(arg_types=self.types)) for _ in range(2)]
        for region in regions:
            for value, init in zip(region.block.args, inits):
                value.name_hint = init.name_hint
            region.block.args[0].name_hint = "go"
            region.block.args[-1].name_hint = "result"
        condition, body = (region.block for region in regions)
        condition.add_op(YieldOp(condition.args[0]))
        self._emit_body(body)
        loop = out.insert(WhileOp(inits, *regions))
        for value, argument in zip(loop.results, condition.args):
            value.name_hint = argument.name_hint
        return loop.results[-1]

    def _emit_body(self, body: Block) -> None:
        members = list(self.members.values())
        if self.is_single:
            body.add_op(YieldOp(*self._emit_turn(body, members[0], body.args)))
            return
        branches: list[Block] = []
        for member in members:
            branches.append(block := Block())
            end = _LoopEmitter(InsertPoint.at_end(block))
            turn = self._emit_turn(block, member, body.args)
            end.insert(YieldOp(end.value(TupleOp(*turn))))
        otherwise = branches.pop()
        while branches:  # tests of the number, from the last to the first
            block = body if len(branches) == 1 else Block()
            at = _LoopEmitter(InsertPoint.at_end(block))
            number = at.number(len(branches) - 1, "number")
            test = at.value(EqualOp(body.args[1], number), "is_next")
            regions = Region(branches.pop()), Region(otherwise)
            chosen = at.value(IfOp(test, *regions, tuple_type(self.types)), "next")
            at.insert(YieldOp(*(_fields(at, chosen) if block is body else [chosen])))
            otherwise = block

    def _emit_turn(
        self, block: Block, member: _Member, state: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Emit the body of a function at the end of a block; returns the next state."""
        rest = iter(state[len(state) - 1 - len(self.states) + member.first :])
        given = [self.kept.get(i) or next(rest) for i in range(len(member.params))]
        out = _LoopEmitter(InsertPoint.at_end(block))
        values = self._bound(out, member, given)
        cloner = Cloner(dict(zip(member.params, values)), member.renamed)
        cloner.copy_body(member.function, block, flatten=True)
        return self._next_state(member, state, cloner, block)

    def _bound(
        self, out: _LoopEmitter, member: _Member, given: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Return the arguments of an iteration, cast to the types of the parameters: some sizes define the
        variables, then the others are checked."""
        types = [substitute(p.type, member.renamed) for p in member.params]
        values = [out.narrow(value, type) for value, type in zip(given, member.measured)]
        return [out.narrow(value, type) for value, type in zip(values, types)]

    def _next_state(
        self, member: _Member, state: Sequence[SSAValue], cloner: Cloner, block: Block
    ) -> Sequence[SSAValue]:
        """Return the values that end an iteration, each at the end of a block or in remade branches."""
        positions = member.tail.positions
        turning = [p.call in self.turns for p in positions]
        for index in reversed(range(len(positions))):
            if (branches := positions[index].branches) is not None:
                turning[index] = any(turning[i] for i in branches[1:])
        values = [cloner.values.get(p.value, p.value) for p in positions]
        order: list[tuple[int, Block]] = []
        pending = [(0, block)]
        while pending:
            index, inside = pending.pop()
            order.append((index, inside))
            if turning[index] and (branches := positions[index].branches) is not None:
                regions = _owner(values[index]).regions
                pending.extend((i, r.block) for i, r in zip(branches[1:], regions))

        found: Sequence[SSAValue] = ()
        for index, inside in reversed(order):  # branches before their parents
            if index != 0:
                assert inside.last_op is not None
                erase(inside.last_op)
            out = _LoopEmitter(InsertPoint.at_end(inside))
            if not turning[index]:
                found = self._exit(out, state, values[index])
            elif positions[index].call is not None:
                found = self._turn(out, state, values[index])
            else:
                found = self._branches(out, values[index])
            if index != 0:
                out.insert(YieldOp(out.value(TupleOp(*found))))
        return found

    def _exit(
        self, out: _LoopEmitter, state: Sequence[SSAValue], value: SSAValue
    ) -> list[SSAValue]:
        """Return the state that ends the loop with a result."""
        rest = state[1:-1] if self.is_single else [state[1], *self._empty_args(out)]
        return [out.boolean(False, "go"), *rest, out.narrow(value, self.result)]

    def _turn(
        self, out: _LoopEmitter, state: Sequence[SSAValue], value: SSAValue
    ) -> list[SSAValue]:
        """Return the state of the next iteration, replacing the call."""
        call = _owner(value)
        assert isinstance(call, CallOp)
        callee = self.members[call.callee_name]
        args = list(state[1:-1]) if self.is_single else self._empty_args(out)
        carried = [arg for index, arg in enumerate(call.args) if index not in self.kept]
        for index, arg in enumerate(carried, start=callee.first):
            args[index] = out.narrow(arg, self.states[index])
        erase(call)
        which: list[SSAValue] = []
        if not self.is_single:
            which = [out.number(list(self.members).index(call.callee_name), "which")]
        return [out.boolean(True, "go"), *which, *args, state[-1]]

    def _empty_args(self, out: _LoopEmitter) -> list[SSAValue]:
        return [_empty(out, type) for type in self.states]

    def _branches(self, out: _LoopEmitter, value: SSAValue) -> list[SSAValue]:
        """Return the state that the branches of an `if` yield as a tuple."""
        old = _owner(value)
        assert isinstance(old, IfOp)
        then, otherwise = old.detach_region(0), old.detach_region(0)
        new = IfOp(old.condition, then, otherwise, tuple_type(self.types))
        new.location = old.location
        old.operands = ()
        old.detach()
        return _fields(out, out.value(new, "next"))


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _fields(out: _LoopEmitter, packed: SSAValue) -> list[SSAValue]:
    assert isinstance(packed.type, TupleType)
    return [out.value(TupleGetItemOp(packed, i)) for i in range(len(packed.type.types))]


def _varying(member: _Member, turns: frozenset[CallOp]) -> list[str]:
    """Return the symbolic variables of a function that some iteration does not pass on unchanged."""
    bound = defined_variables(p.type for p in member.params)
    found = [c.infer_with(member.function)[0].bindings for c in member.tail.calls if c in turns]
    return [v for v in bound if any(b.get(v) is not symbolic.var(v) for b in found)]


def _replace_body(
    function: FuncOp, emit: Callable[[_LoopEmitter, Sequence[SSAValue]], SSAValue]
) -> None:
    """Replace the body of a function; the new result is cast to the result type."""
    old = function.body.block
    block = Block(arg_types=old.arg_types)
    for new, argument in zip(block.args, old.args):
        new.name_hint = argument.name_hint
    out = _LoopEmitter(InsertPoint.at_end(block))
    out.insert(ReturnOp(out.narrow(emit(out, block.args), function.function_type.output)))
    discard(old)
    function.body.detach_block(old)
    function.body.add_block(block)


def _loop_alone(member: _Member, turns: frozenset[CallOp]) -> None:
    """Make a loop of a function that calls itself."""
    function = member.function
    varying = _varying(member, turns)
    calls = [call for call in member.tail.calls if call in turns]
    kept = {
        index
        for index, param in enumerate(member.params)
        if all(call.args[index] is param for call in calls)
        and not set(varying).intersection(free_variables(param.type))
    }
    if not upper_bounds(function).keys().isdisjoint(varying):
        return  # each call checks them at its entry
    carried = [p.type for index, p in enumerate(member.params) if index not in kept]
    states = [substitute(type, dict.fromkeys(varying)) for type in carried]
    if not all(map(is_subtype, carried, states)):
        return  # a function's parameter of another size is no wider
    member.measure(varying, rename=True)

    def emit(out: _LoopEmitter, args: Sequence[SSAValue]) -> SSAValue:
        outside = {index: args[index] for index in kept}
        members = {function.sym_name.data: member}
        loop = _Loop(members, states, member.result, turns, outside)
        return loop.emit(out, None, [a for index, a in enumerate(args) if index not in kept])

    _replace_body(function, emit)


def _loop_together(
    members: Mapping[str, _Member], turns: frozenset[CallOp], taken: Container[str]
) -> None:
    """Make a loop of functions that call each other, and let each begin it."""
    states: list[Attribute] = []
    for member in members.values():
        member.first = len(states)
        states += [_without_sizes(p.type) for p in member.params]
        member.measure(member.function.function_type.bound, rename=False)
    params = [p for member in members.values() for p in member.params]
    if not all(is_subtype(p.type, s) and has_empty_value(s) for p, s in zip(params, states)):
        return
    loop = _Loop(members, states, reduce(join, (m.result for m in members.values())), turns)
    name = "_".join(members)
    merged = FuncOp(unique_name(name, taken), [NUMBER, *states], loop.result, private=True)
    mark_uncounted(merged)
    body = merged.body.block
    for argument, param in zip(body.args[1:], params):
        argument.name_hint = param.name_hint
    body.args[0].name_hint = "which"
    out = _LoopEmitter(InsertPoint.at_end(body))
    out.insert(ReturnOp(loop.emit(out, body.args[0], body.args[1:])))
    last = list(members.values())[-1].function
    assert last.parent is not None
    last.parent.insert_op_after(merged, last)

    for number, member in enumerate(members.values()):
        _replace_body(member.function, partial(_begin, merged, number, member.first))


def _begin(
    merged: FuncOp, number: int, first: int, out: _LoopEmitter, args: Sequence[SSAValue]
) -> SSAValue:
    """Call the loop of several functions so that it begins with one of them."""
    states = merged.function_type.inputs.data[1:]
    given = [
        args[index - first] if first <= index < first + len(args) else _empty(out, state)
        for index, state in enumerate(states)
    ]
    return out.value(CallOp(merged, [out.number(number, "which"), *given]), "result")


def _empty(out: _LoopEmitter, type: Attribute) -> SSAValue:
    return empty_value(out, TailCallsToLoopsPass.name, type)


def tail_calls_to_loops(module: ModuleOp) -> None:
    """Make loops of the functions of a module that call themselves or each other in tail position."""
    symbols = {symbol_name(op): op for op in module.ops}
    for name in (name for names in Recursion.of(module).loops for name in names):
        function = symbols[name]
        assert isinstance(function, FuncOp)
        to_a_normal_form(function)
    found = Recursion.of(module)
    lookup = ModuleSymbols(module)
    for names in found.loops:
        members: dict[str, _Member] = {}
        for name in names:
            function = symbols[name]
            assert isinstance(function, FuncOp)
            members[name] = _Member(function, tail_of(function, frozenset(names), lookup))
        if not has_empty_value(reduce(join, (m.result for m in members.values()))):
            continue
        if len(members) == 1:
            _loop_alone(members[names[0]], found.turns)
        elif not any(upper_bounds(m.function) for m in members.values()):
            _loop_together(members, found.turns, {n for n in symbols if n is not None})


class TailCallsToLoopsPass(ModulePass):
    """`tail_calls_to_loops` on a module and its nested modules."""

    name = "relax-tail-calls-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        modules = [op]
        while modules:
            current = modules.pop()
            modules.extend(inner for inner in current.ops if isinstance(inner, ModuleOp))
            tail_calls_to_loops(current)
