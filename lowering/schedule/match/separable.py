"""Separable reductions, along some loops first, along the others after: the form of their bodies.

%wide = arith.extf %x : f16 to f32
%sum = arith.addf %total, %wide : f32
linalg.yield %sum                                       // the term is %wide, and %total begins with 0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, UnrealizedConversionCastOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue

IDENTITIES: Mapping[type[Operation], str] = {
    arith.MaximumfOp: "least",
    arith.MinimumfOp: "greatest",
    arith.MaxSIOp: "least",
    arith.MaxUIOp: "zero",
    arith.AddfOp: "zero",
    arith.AddiOp: "zero",
}
"""The reductions whose terms may be taken in any order, and their identity."""

CONVERSIONS = (arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp, UnrealizedConversionCastOp)
"""The ops that an identity stays an identity under."""


@dataclass(frozen=True)
class Separable:
    """A body that combines the reduction so far with a term, computed from one operand."""

    body: Block
    number: int
    """The index of that operand."""
    combine: Operation

    @property
    def keeps_identities(self) -> bool:
        """Whether the term of an identity is one."""
        others = [op for op in self.body.ops if op not in (self.combine, self.body.last_op)]
        return all(isinstance(op, CONVERSIONS) for op in others)

    def begins_with_identity(self, value: SSAValue) -> bool:
        """Return whether a value changes nothing, also as an element of a narrower type."""
        owner = _before_cast(value).owner
        if not isinstance(owner, arith.ConstantOp):
            return False
        identity = IDENTITIES[type(self.combine)]
        match owner.value:
            case FloatAttr(value=number):
                return number.data == {"zero": 0.0, "least": -inf, "greatest": inf}[identity]
            case IntegerAttr(value=number, type=IntegerType(width=width)):
                return number.data == (0 if identity == "zero" else -(1 << width.data - 1))
            case _:
                return False

    def first(self) -> Region:
        """Return the body with the operand of the term alone."""
        arguments = self.body.args[self.number], self.body.args[-1]
        block = Block(arg_types=[argument.type for argument in arguments])
        values = dict[SSAValue, SSAValue](zip(arguments, block.args))
        block.add_ops([op.clone(values) for op in self.body.ops])
        return Region(block)

    def second(self) -> Region:
        """Return the body with the partial reduction instead of the term."""
        total = self.body.args[-1]
        block = Block(arg_types=[total.type, total.type])
        (term,) = (v for v in self.combine.operands if _before_cast(v) is not total)
        element = block.args[0]
        if term.type != element.type:
            block.add_op(cast := UnrealizedConversionCastOp.get([element], [term.type]))
            element = cast.results[0]
        values: dict[SSAValue, SSAValue] = {total: block.args[1], term: element}
        needless = _before(term)
        block.add_ops([op.clone(values) for op in self.body.ops if op not in needless])
        return Region(block)


def find(body: Block, inputs: int) -> Separable | None:
    """Return the separable reduction of a body with `inputs` inputs and one result, or None."""
    used = [i for i in range(inputs) if body.args[i].first_use is not None]
    is_plain = not any(isinstance(op, linalg.IndexOp) or op.regions for op in body.ops)
    if len(body.args) != inputs + 1 or len(used) != 1 or not is_plain:
        return None
    combine = _combine(body)
    return None if combine is None else Separable(body, used[0], combine)


def _combine(body: Block) -> Operation | None:
    """Return the op that combines a term with the reduction so far, which has no other use."""
    end, total = body.last_op, body.args[-1]
    assert end is not None
    found = _before_cast(end.operands[0]).owner
    if type(found) not in IDENTITIES or not isinstance(found, Operation):
        return None
    reads = [v for v in found.operands if _before_cast(v) is total]
    if len(reads) != 1 or not total.has_one_use() or not reads[0].has_one_use():
        return None
    return found


def _before_cast(value: SSAValue) -> SSAValue:
    owner = value.owner
    return owner.inputs[0] if isinstance(owner, UnrealizedConversionCastOp) else value


def _before(value: SSAValue) -> set[Operation]:
    """Return the ops of a body that a value is computed by."""
    found, left = set[Operation](), [value]
    while left:
        owner = left.pop().owner
        if isinstance(owner, Operation) and owner.parent is not None and owner not in found:
            found.add(owner)
            left += owner.operands
    return found
