"""A function as two: an augmented forward function, and a backward function that takes the kept values.

    @f(%x, %w) -> y                           @f_forward(%x, %w) -> (y, (kept...))
                                       ->     @f_pullback(%x, %gy, (kept...)) -> (gx, gw)

Both are cut from one function that computes forward, then back: values of the first part used by the second
are kept. Values that depend on no argument, such as constants, are computed in both; for sizes a shape is
kept. The kept values of inner calls remain a tuple, so the code of the caller does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter

from relax_dialect.gradient.cotangents import Path
from relax_dialect.ir.purity import has_no_effect
from relax_dialect.ir.symbol_scopes import escaping_symbols, free_symbols
from relax_dialect.ir.type_variables import (
    bare_variables,
    defined_variables,
    free_variables,
    substitute,
)
from relax_dialect.ir.types import ShapeType, tuple_type
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, ReturnOp, ShapeOfOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.transform.capturing import captured_values, sizes_argument
from relax_dialect.transform.regions import erase, keep_name, replace_uses


@dataclass(frozen=True)
class ForwardBackward:
    """The two functions, and the arguments of the second besides the cotangents."""

    forward: FuncOp
    back: FuncOp
    arguments: Sequence[int]
    """The numbers of the arguments that it takes first; the cotangents follow."""
    results: Sequence[Path]
    """The paths of the parts of the result that it takes as well."""
    keeps: bool
    """Whether the forward function returns a second value, the tuple of kept values, which the backward
    function takes last."""

    @property
    def kept(self) -> int:
        """Return the number of tensors and shapes kept."""
        output = self.forward.function_type.output
        assert isinstance(output, TupleType)
        pending, count = list(output.types.data[1:]), 0
        while pending:
            type = pending.pop()
            if isinstance(type, TupleType):
                pending += type.types.data
            else:
                count += 1
        return count


def split(whole: FuncOp, count: int, output: Attribute, back: str) -> ForwardBackward:
    """Cut a function of `count` parameters and of cotangents into two: the forward one, in place, and one
    named `back`.

    It returns the tuple of its result, wrapped in a tuple made between the two parts, and of the gradients.
    `output` is the declared type of the result.
    """
    block, end = whole.body.block, whole.return_op
    both = end.operands[0].owner
    assert isinstance(both, TupleOp)
    mark, gradients = both.operands
    assert isinstance(mark, OpResult)
    (result,) = mark.op.operands
    ops = list(block.ops)
    place = ops.index(mark.op)
    first, second = ops[:place], ops[place + 1 : -2]
    for op in (end, both, mark.op):
        erase(op)
    last = ReturnOp(result)
    block.add_op(last)
    _state_sizes(second)
    second = [op for op in block.ops if op is not last and op not in {*first}]
    copies = _computed_in_both(first, second)
    second = [*copies, *second]
    used = _used(second)
    arguments = [a for a in block.args[:count] if a in used]
    parts = {v: path for v, path in _parts(result) if v in used and v not in block.args}
    kept = [v for v in used if v not in parts and v not in block.args]
    taken = [*arguments, *block.args[count:], *parts]
    if missing := _untold(block, second, [*taken, *kept], gradients):
        kept.append(sizes_argument(missing, last))
    if kept:
        together = TupleOp(*kept)
        block.insert_op_before(together, last)
        taken.append(together.result)
        second = [*_taken_apart(together, second), *second]
    numbers = [a.index for a in arguments]
    backward = _second(back, taken, second, gradients)
    _narrow(whole, count, output, taken[-1:] if kept else ())
    return ForwardBackward(whole, backward, numbers, list(parts.values()), bool(kept))


def _used(ops: Iterable[Operation]) -> list[SSAValue]:
    """Return the values from outside used by ops and the ops in their regions."""
    return captured_values(dict.fromkeys(inner for op in ops for inner in walk_ops(op)))


def _replace_inside(ops: Iterable[Operation], values: Mapping[SSAValue, SSAValue]) -> None:
    """Replace values in ops and in their regions."""
    inside = {inner for op in ops for inner in walk_ops(op)}
    for old, new in values.items():
        keep_name(new, old)
    replace_uses(values, inside.__contains__)


def _taken_apart(together: TupleOp, users: Iterable[Operation]) -> list[Operation]:
    """Return ops that extract the fields of a tuple, and make users use them."""
    made = {v: TupleGetItemOp(together.result, i) for i, v in enumerate(together.operands)}
    _replace_inside(users, {old: new.result for old, new in made.items()})
    return [*made.values()]


def _state_sizes(ops: Sequence[Operation]) -> None:
    """Replace shapes whose sizes have names by constants, so that no tensor is kept for them."""
    for op in [inner for each in ops for inner in walk_ops(each)]:
        sizes = op.result.type if isinstance(op, ShapeOfOp) else None
        if isinstance(sizes, ShapeType) and sizes.shape is not None and None not in sizes.shape:
            shape = ShapeOp.create(properties={"sizes": sizes.dims}, result_types=[sizes])
            Rewriter.replace_op(op, shape)


def _computed_in_both(first: Sequence[Operation], second: Sequence[Operation]) -> list[Operation]:
    """Return copies, for the second part, of values of the first that depend on no argument."""
    free: set[SSAValue] = set()
    for op in first:
        fixed = not (op.regions or isinstance(op, MatchOp | CallOp)) and has_no_effect(op)
        if fixed and free.issuperset(op.operands):
            free.update(op.results)
    needed = free.intersection(_used(second))
    copied: list[Operation] = []
    for op in reversed(first):
        if needed.intersection(op.results):
            needed.update(op.operands)
            copied.append(op)
    values: dict[SSAValue, SSAValue] = {}
    copies = [op.clone(values) for op in reversed(copied)]
    _replace_inside(second, values)
    return copies


def _parts(value: SSAValue, path: Path = ()) -> Iterator[tuple[SSAValue, Path]]:
    """Yield a value and, recursively, the fields of the tuple that it is, with their paths."""
    yield value, path
    if isinstance(value, OpResult) and isinstance(value.op, TupleOp):
        for index, field in enumerate(value.op.operands):
            yield from _parts(field, (*path, index))


def _untold(
    block: Block, second: Sequence[Operation], taken: Sequence[SSAValue], gradients: SSAValue
) -> list[str]:
    """Return the symbolic sizes known in the first part that the second uses, but that its parameters do
    not define."""
    known = set(defined_variables(block.arg_types))
    known.update(v for op in block.ops if op not in second for v in escaping_symbols(op))
    told = {v for value in taken for v in bare_variables(value.type)}
    named = dict.fromkeys(v for value in (*taken, gradients) for v in free_variables(value.type))
    named.update(dict.fromkeys(v for op in second for v in free_symbols(op)))
    return [v for v in named if v in known and v not in told]


def _second(
    name: str, taken: Sequence[SSAValue], ops: Sequence[Operation], gradients: SSAValue
) -> FuncOp:
    """Create a function of some ops, with the captured values as parameters."""
    body = Block(arg_types=[value.type for value in taken])
    for op in ops:
        if op.parent is not None:
            op.detach()
        body.add_op(op)
    body.add_op(ReturnOp(gradients))
    _replace_inside(body.ops, dict(zip(taken, body.args)))
    output = _told(gradients.type, body.arg_types)
    return FuncOp(name, body.arg_types, output, Region(body), private=True)


def _narrow(function: FuncOp, count: int, output: Attribute, kept: Sequence[SSAValue]) -> None:
    """Drop the parameters after the first `count`, and return the kept values besides the result."""
    block, last = function.body.block, function.return_op
    both = TupleOp(last.operands[0], *kept)
    block.insert_op_before(both, last)
    last.operands = [both.result]
    for argument in reversed(block.args[count:]):
        block.erase_arg(argument)
    types = [_told(value.type, block.arg_types) for value in kept]
    outputs = tuple_type([output, *types])
    function.function_type = FuncOp("", block.arg_types, outputs).function_type


def _told(type: Attribute, parameters: Sequence[Attribute]) -> Attribute:
    """Return a type without the sizes that the types of the parameters do not define."""
    told = defined_variables(parameters)
    return substitute(type, {v: None for v in free_variables(type) if v not in told})
