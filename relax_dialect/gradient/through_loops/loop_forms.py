"""Canonical loops for differentiation: their state has no tuples, and collected parts start empty.

ys = while ... (concat(f(y), ys, g(y)))        before, after = while ... (concat(f(y), before),
                                          ->                              concat(after, g(y)))
                                               ys = concat(before, ys, after)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from relax_dialect.gradient.free_values import terminator
from relax_dialect.gradient.through_loops.append_detection import Appended, appended_parts
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.core import MatchCastOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.create import ZerosOp
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.loop_states import remade
from relax_dialect.transform.regions import erase, keep_name, replace_uses

Fresh = Callable[[str], str]
"""Returns a fresh symbolic variable, named like the argument."""


def plain_loops(function: Operation, symbols: ModuleSymbols, fresh: Fresh) -> None:
    """Bring the loops in a function into this form, in place."""
    loops = [each for each in walk_ops(function) if isinstance(each, WhileOp)]
    inner_first = [_without_tuples(loop) for loop in reversed(loops)]
    if inner_first != loops[::-1]:
        remove_dead_ops(function, symbols)  # tuples
    for loop in inner_first:
        for index in [*appended_parts(loop)]:
            loop = _collecting(loop, index, fresh)


class _At:
    """An insertion point for ops."""

    def __init__(self, place: InsertPoint, like: Operation):
        self._place, self._like = place, like

    def __call__(self, op: Operation) -> SSAValue:
        op.location = self._like.location
        Rewriter.insert_op(op, self._place)
        return op.results[0]


# Tuples ------------------------------------------------------------------------------------------


def _without_tuples(loop: WhileOp) -> WhileOp:
    """Replace a loop by one whose state has the fields of tuples as separate parts."""
    types = loop.result_types
    if not any(isinstance(type, TupleType) for type in types):
        return loop
    before = _At(InsertPoint.before(loop), loop)
    inits = [field for value in loop.inits for field in _fields(value, before)]
    for region in loop.regions:
        block, old = region.block, list(region.block.args)
        fields = iter(
            [block.insert_arg(t, len(block.args)) for type in types for t in _leaves(type)]
        )
        start = _At(InsertPoint.at_start(block), loop)
        for argument in old:
            whole = _together(argument.type, fields, start)
            keep_name(whole, argument)
            replace_uses({argument: whole})
            block.erase_arg(argument)
            _open(whole)
    last = terminator(loop.body.block)
    end = _At(InsertPoint.before(last), loop)
    last.operands = [field for value in last.operands for field in _fields(value, end)]
    new = remade(loop, inits)
    after, results = _At(InsertPoint.after(new), loop), iter(new.results)
    wholes = [_together(type, results, after) for type in types]
    _replace(loop, wholes)
    for whole in wholes:
        _open(whole)
    return new


def _leaves(type: Attribute) -> Iterator[Attribute]:
    for field in type.types if isinstance(type, TupleType) else ():
        yield from _leaves(field)
    if not isinstance(type, TupleType):
        yield type


def _fields(value: SSAValue, place: _At) -> Iterator[SSAValue]:
    """Yield the values in nested tuples."""
    if not isinstance(value.type, TupleType):
        yield value
        return
    for index in range(len(value.type.types)):
        known = value.owner.operands[index] if isinstance(value.owner, TupleOp) else None
        yield from _fields(known or place(TupleGetItemOp(value, index)), place)


def _together(type: Attribute, fields: Iterator[SSAValue], place: _At) -> SSAValue:
    """Return the value of a type that is made of fields."""
    if not isinstance(type, TupleType):
        return next(fields)
    return place(TupleOp(*[_together(field, fields, place) for field in type.types]))


def _open(whole: SSAValue) -> None:
    """Forward the fields of a tuple to their uses; erase the tuple if it has no other use."""
    if not isinstance(whole.owner, TupleOp):
        return
    for use in list(whole.uses):
        if isinstance(use.operation, TupleGetItemOp):
            field = whole.owner.operands[use.operation.index]
            replace_uses({use.operation.results[0]: field})
            erase(use.operation)
    fields = list(whole.owner.operands)
    if not whole.first_use:
        erase(whole.owner)
    for field in fields:
        _open(field)


# Collected rows ----------------------------------------------------------------------------------


def _collecting(loop: WhileOp, index: int, fresh: Fresh) -> WhileOp:
    """Rewrite a loop to collect a part from an empty tensor if an outer loop collects it, too, and to
    collect prepended and appended rows separately."""
    part, init = appended_parts(loop)[index], loop.inits[index]
    both = bool(part.before and part.after) and isinstance(part.ops[-1], ConcatOp)
    if not (both or _is_collected_outside(init, loop)) or (none := part.no_rows) is None:
        return loop
    place = _At(InsertPoint.before(loop), loop)
    zeros = place(ZerosOp(place(ShapeOp(none)), part.type.dtype))
    inits = list(loop.inits)
    inits[index] = zeros
    if both:
        inits.append(zeros)
        _part_before(loop, index, part, fresh)
    new = remade(loop, inits)
    after = _At(InsertPoint.after(new), loop)
    rows = [init, new.results[index]] if part.after else [new.results[index], init]
    named = [after(MatchCastOp(v, _named(v.type, part.axis, fresh))) for v in rows]
    if both:
        extra = new.results[-1]
        named.insert(0, after(MatchCastOp(extra, _named(extra.type, part.axis, fresh))))
    whole = after(MatchCastOp(after(ConcatOp(named, axis=part.axis)), part.type))
    results: list[SSAValue] = [*new.results[: len(loop.results)]]
    results[index] = whole
    _replace(loop, results)
    return new


def _is_collected_outside(init: SSAValue, loop: WhileOp) -> bool:
    """Return whether a part begins as one of the state of the loop around this one."""
    while isinstance(init.owner, MatchOp) and init.has_one_use():
        init = init.owner.operands[0]
    return (
        isinstance(init, BlockArgument)
        and init.owner is loop.parent
        and isinstance(loop.parent_op(), WhileOp)
    )


def _part_before(loop: WhileOp, index: int, part: Appended, fresh: Fresh) -> None:
    """Collect the prepended rows in a new part of the state."""
    (joined,) = (each for each in part.ops if isinstance(each, ConcatOp))
    operands = list(joined.operands)
    place = _At(InsertPoint.before(joined), loop)
    for region in loop.regions:
        region.block.insert_arg(part.type, len(region.block.args))
    own = place(MatchCastOp(loop.body.block.args[-1], _named(part.type, part.axis, fresh)))
    before = place(ConcatOp([*part.before, own], axis=part.axis))
    after = place(ConcatOp(operands[len(part.before) :], axis=part.axis))
    replace_uses({joined.results[0]: after})
    erase(joined)
    last = terminator(loop.body.block)
    last.operands = [*last.operands, before]


def _named(type: Attribute, axis: int, fresh: Fresh) -> TensorType:
    assert isinstance(type, TensorType) and type.shape is not None
    return TensorType(
        [fresh("rows") if i == axis else s for i, s in enumerate(type.shape)], type.dtype
    )


def _replace(loop: WhileOp, results: Sequence[SSAValue]) -> None:
    for old, new in zip(loop.results, results, strict=True):
        keep_name(new, old)
        replace_uses({old: new})
    erase(loop)
