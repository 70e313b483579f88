"""A function with a single recursive call as four non-recursive ones, the parts of a loop.

    @f(%x, %k) {                              @f_goes_on(%x, %k) -> %go_on
      if %go_on {                             @f_next(%x, %k)    -> (%k1, ...) // the arguments that change
        %y = call @f(%x, %k1)         ->      @f_after(%x, %k, %y) -> %z
        yield %z                              @f_end(%x, %k)     -> %x
      } else { yield %x }
    }

They are cut out of copies of the function, without its effects.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import StringAttr, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from relax_dialect.builder import constant_values
from relax_dialect.gradient.cotangents import is_differentiable
from relax_dialect.gradient.free_values import terminator
from relax_dialect.gradient.of_functions.module_functions import ModuleFunctions
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.base import BOOLEAN
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import FuncOp, TupleOp
from relax_dialect.ops.unary import LogicalNotOp
from relax_dialect.prim.run_time_checks import PLACE, called
from relax_dialect.rewrites.calls.inline_private_functions import inline_calls
from relax_dialect.symbolic import var
from relax_dialect.transform.regions import erase, replace_uses, set_type


@dataclass(frozen=True)
class LinearRecursion:
    """A function with a single recursive call, and the names of its parts."""

    function: FuncOp
    call: CallOp
    goes_on: str
    next: str
    after: str
    end: str

    @property
    def changing(self) -> Sequence[int]:
        """The numbers of the arguments that are not passed on as they are."""
        return _changing(self.call, self.function)

    @property
    def result(self) -> Attribute:
        """Return the type of its result."""
        return self.call.result.type

    def varied(self, targets: Sequence[int], sweep: Sweep) -> tuple[int, ...]:
        """Return the parameters that need gradients, from the dependence of values on targets: if a
        changing float parameter depends on a target, all of them."""
        floats = [i for i in self.changing if is_differentiable(self.call.operands[i].type)]
        moves = any(i in targets or self.call.operands[i] in sweep.varied for i in floats)
        return tuple(sorted({*targets, *(floats if moves else ())}))


def add_parts(functions: ModuleFunctions, name: str) -> LinearRecursion | None:
    """Add the parts of a function with a single recursive call, possibly through others, which are
    inlined. None if it is no such function."""
    function, component = functions.prepared(name), functions.component(name)
    others = [functions.prepared(other) for other in component if other != name]
    if others:
        function = function.clone()
        symbols = ModuleSymbols(functions.module)
        for _ in others:
            inline_calls(function, others, symbols)
        to_a_normal_form(function, symbols)
    call = linear_call(function, component)
    if call is None:
        return None
    names: dict[str, str] = {}
    for part, kind in PARTS.items():
        names[part] = functions.free_name(f"{name}_{part}")
        made = cut(function, kind, names[part])
        functions.builder.add_func(made)
        functions.without_effects(made)
    return LinearRecursion(function, call, **names)


def linear_call(function: FuncOp, recursive: Container[str]) -> CallOp | None:
    """Return the only recursive call of a function in A-normal form, if it is in a branch, and arguments
    and results have the same sizes each time. The function calls none of the other `recursive` functions.
    """
    calls = [op for op in walk_ops(function) if isinstance(op, CallOp)]
    own = [call for call in calls if call.callee_name in recursive]
    if len(own) != 1 or own[0].callee_name != function.sym_name.data:
        return None
    call, path = own[0], list(_path(own[0]))
    in_branches = path and all(
        isinstance(op, IfOp) and isinstance(op.condition.type, TensorType) for op in path
    )
    arguments, parameters = call.operands, function.body.block.args
    changing = [(arguments[i].type, parameters[i].type) for i in _changing(call, function)]
    results = {call.result.type, function.return_op.operands[0].type, function.function_type.output}
    if not (in_branches and changing and len(results) == 1 and _is_fixed(call.result.type)):
        return None
    bindings = call.infer_with(function)[0].bindings
    same_sizes = all(bindings.get(v.data) == var(v.data) for v in function.function_type.variables)
    fits = all(
        given == own and isinstance(own, TensorType) and _is_fixed(own) for given, own in changing
    )
    return call if same_sizes and fits else None


def _changing(call: CallOp, function: FuncOp) -> list[int]:
    pairs = zip(call.operands, function.body.block.args)
    return [i for i, (given, own) in enumerate(pairs) if given is not own]


def cut(function: FuncOp, kind: Callable[[CallOp], None], name: str) -> FuncOp:
    """Cut out a part of a function with a single recursive call as a separate private function."""
    copy = function.clone()
    kind(_call_in(copy))
    block, output = copy.body.block, copy.return_op.operands[0].type
    made = FuncOp(name, block.arg_types, output, copy.detach_region(0), private=True)
    made.attributes[PLACE] = StringAttr(called(function))
    return made


def _is_fixed(type: Attribute) -> bool:
    """Return whether a value is a tensor or a tuple of such, of known sizes."""
    if isinstance(type, TupleType):
        return all(map(_is_fixed, type.types.data))
    if not isinstance(type, TensorType) or type.shape is None or type.dtype is None:
        return False
    return None not in type.shape


def _call_in(function: FuncOp) -> CallOp:
    name = function.sym_name.data
    calls = (op for op in walk_ops(function) if isinstance(op, CallOp))
    return next(call for call in calls if call.callee_name == name)


def _path(op: Operation) -> Iterator[Operation]:
    """Yield the ops around an op, from inside, but the function."""
    holder = op.parent_op()
    while holder is not None and not isinstance(holder, FuncOp):
        yield holder
        holder = holder.parent_op()


def goes_on(call: CallOp) -> None:
    """Keep whether the function calls itself."""
    inside, flag = call.parent, None
    for branching in list(_path(call)):
        assert isinstance(branching, IfOp) and branching.parent is not None
        block = branching.parent
        if flag is None:
            flag = branching.condition
            if branching.regions[1].block is inside:
                negated = LogicalNotOp(flag)
                block.insert_op_before(negated, branching)
                flag = negated.result
            kept = branching.prev_op
        else:
            (other,) = (r.block for r in branching.regions if r.block is not inside)
            never = constant_values.array(np.array(False))
            other.insert_op_before(never, terminator(other))
            terminator(other).operands = [never.result]
            set_type(branching.result, BOOLEAN)
            flag, kept = branching.result, branching
        _end(block, flag, kept)
        inside = block


def next_arguments(call: CallOp) -> None:
    """Keep the arguments of the next call that change."""
    _without_branches(call)
    block = call.parent
    assert block is not None
    pairs = zip(call.operands, block.args)
    together = TupleOp(*[given for given, own in pairs if given is not own])
    block.insert_op_before(together, call)
    _end(block, together.result, together)


def after(call: CallOp) -> None:
    """Keep the ops after the call, whose result becomes an argument."""
    _without_branches(call)
    block = call.parent
    assert block is not None
    result = block.insert_arg(call.result.type, len(block.args))
    result.name_hint = call.result.name_hint
    replace_uses({call.result: result})
    erase(call)


def end(call: CallOp) -> None:
    """Keep the result of the non-recursive branch."""
    branching, inside = call.parent_op(), call.parent
    assert isinstance(branching, IfOp)
    (other,) = (r.block for r in branching.regions if r.block is not inside)
    _dissolve(branching, other)


def _without_branches(call: CallOp) -> None:
    """Move the ops around a call into the body of the function, replacing the branches."""
    while isinstance(branching := call.parent_op(), IfOp):
        assert call.parent is not None
        _dissolve(branching, call.parent)


def _dissolve(branching: IfOp, taken: Block) -> None:
    """Replace a branch by the ops of one of its regions."""
    block, last = branching.parent, terminator(taken)
    assert block is not None
    for op in list(taken.ops)[:-1]:
        op.detach()
        block.insert_op_before(op, branching)
    replace_uses({branching.result: last.operands[0]})
    erase(last)
    erase(branching)


def _end(block: Block, result: SSAValue, after: Operation | None) -> None:
    """Make a block end in a value, dropping pure ops after some op, or all."""
    last = terminator(block)
    last.operands = [result]
    while (op := last.prev_op) is not None and op is not after:
        erase(op)


PARTS = {"goes_on": goes_on, "next": next_arguments, "after": after, "end": end}
"""The functions that cut out the parts."""
