"""Greatest or least elements together with the first index of each: the reductions of argmax and argmin.

    ^bb0(%x: f32, %extreme: f32, %place: i64):
      %k = linalg.index 1 : index
      %here = arith.index_cast %k : index to i64
      %beyond = ...                                 // %x > %extreme, or %x is NaN and %extreme is not
      %value = arith.select %beyond, %x, %extreme : f32
      %number = arith.select %beyond, %here, %place : i64
      linalg.yield %value, %number : f32, i64

In vectors, a lane records the begin of the vector in which it met its extreme, in an integer as wide as the
element, and the first index among the lanes with the extreme is taken at the end. A NaN, which is rare,
stays in the extreme, but its index is searched for once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.ir.constants import ConstantPool
from lowering.ir.insertion import Inserter

Pair: TypeAlias = tuple[SSAValue, SSAValue]
"""An extreme, and where it was met first."""

KINDS: Mapping[str, tuple[Kind, type[Operation]]] = {
    "ogt": (Kind.MAXIMUMF, arith.MaximumfOp),
    "olt": (Kind.MINIMUMF, arith.MinimumfOp),
    "sgt": (Kind.MAXSI, arith.MaxSIOp),
    "slt": (Kind.MINSI, arith.MinSIOp),
    "ugt": (Kind.MAXUI, arith.MaxUIOp),
    "ult": (Kind.MINUI, arith.MinUIOp),
}
"""The reduction of the extreme for each comparison of an element with the extreme so far."""


@dataclass(frozen=True)
class Placed:
    """The body of a generic that reduces so."""

    value: SSAValue
    """The element that is compared."""
    loop: int
    """The loop that counts the indices."""
    predicate: str
    needed: Sequence[Operation]
    """The ops that compute the element."""

    @property
    def type(self) -> AnyFloat | IntegerType:
        assert isinstance(self.value.type, AnyFloat | IntegerType)
        return self.value.type

    @property
    def is_float(self) -> bool:
        return isinstance(self.type, AnyFloat)

    def extreme(self, a: SSAValue, b: SSAValue) -> Operation:
        """Return the greater or less of two."""
        kind: Any = KINDS[self.predicate][1]
        return kind(a, b)

    @property
    def lane(self) -> IntegerType:
        """The type of indices in lanes."""
        return IntegerType(self.type.bitwidth)

    @property
    def most(self) -> int:
        """The first index that lanes cannot hold, with some margin for the vectors before."""
        return (1 << (self.lane.bitwidth - 1)) - (1 << (self.lane.bitwidth // 2))


def placed(block: Block) -> Placed | None:
    """Return the reduction of an extreme with its index (argmax, argmin); None for other bodies."""
    last, arguments = block.last_op, block.args[-2:]
    if last is None or len(last.operands) != 2 or len(arguments) < 2:
        return None
    extreme, place = arguments
    match [value.owner for value in last.operands]:
        case [
            arith.SelectOp(cond=cond, lhs=value, rhs=old) as chosen,
            arith.SelectOp(cond=also, lhs=SSAValue(owner=arith.IndexCastOp() as here), rhs=before),
        ] if cond is also and old is extreme and before is place:
            pass
        case _:
            return None
    index, predicate = here.input.owner, _predicate(cond, value, extreme)
    if not isinstance(index, linalg.IndexOp) or predicate is None:
        return None
    if not isinstance(value.type, AnyFloat | IntegerType) or value.type.bitwidth < 32:
        return None
    needed = _needed(block, value)
    if not all(place.has_one_use() for place in (place, chosen.result)):
        return None
    is_plain = all(not op.regions and not isinstance(op, linalg.IndexOp) for op in needed)
    own = {extreme, place}
    if not is_plain or any(own.intersection(op.operands) for op in needed):
        return None
    return Placed(value, index.dim.value.data, predicate, needed)


def _predicate(condition: SSAValue, value: SSAValue, extreme: SSAValue) -> str | None:
    """Return the comparison by which an element replaces the extreme, NaN before all numbers."""
    match condition.owner:
        case arith.CmpiOp(lhs=a, rhs=b) as op if a is value and b is extreme:
            name = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
            return name if name in KINDS else None
        case arith.AndIOp(
            lhs=SSAValue(
                owner=arith.OrIOp(
                    lhs=SSAValue(owner=arith.CmpfOp(lhs=a, rhs=b) as op),
                    rhs=SSAValue(owner=arith.CmpfOp() as is_nan),
                )
            ),
            rhs=SSAValue(owner=arith.XOrIOp(lhs=SSAValue(owner=arith.CmpfOp() as was_nan))),
        ) if a is value and b is extreme and _is_nan(is_nan, value) and _is_nan(was_nan, extreme):
            name = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
            return name if name in ("ogt", "olt") else None
        case _:
            return None


def _is_nan(op: arith.CmpfOp, value: SSAValue) -> bool:
    name = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    return name in ("une", "uno") and op.lhs is value and op.rhs is value


def _needed(block: Block, value: SSAValue) -> Sequence[Operation]:
    """Return the ops of a body that compute a value, in order."""
    found, work = set[Operation](), [value]
    while work:
        owner = work.pop().owner
        if isinstance(owner, Operation) and owner.parent is block and owner not in found:
            found.add(owner)
            work += owner.operands
    return [op for op in block.ops if op in found]


@dataclass(frozen=True)
class ArgReductionEmitter:
    """The emitter of operations on extremes and indices, single ones or in lanes."""

    placed: Placed
    insert: Inserter
    constants: ConstantPool

    def neutral(self, count: int) -> Pair:
        """Return the neutral pair: every element but its like goes beyond it."""
        t, is_max = self.placed.type, self.placed.predicate.endswith("gt")
        if isinstance(t, AnyFloat):
            least: float | int = float("-inf") if is_max else float("inf")
        elif self.placed.predicate.startswith("u"):
            least = 0 if is_max else -1
        else:
            half = 1 << (t.bitwidth - 1)
            least = -half if is_max else half - 1
        return self._splat(least, t, count), self._splat(0, self.placed.lane, count)

    def _splat(self, number: float, t: Attribute, count: int) -> SSAValue:
        return self._lanes([number], t, count)

    def _lanes(self, numbers: Sequence[float], t: Attribute, count: int) -> SSAValue:
        type = VectorType(t, [count])  # pyright: ignore
        return self.constants.get(DenseIntOrFPElementsAttr.from_list(type, numbers))  # pyright: ignore

    def further(self, old: Pair, value: SSAValue, here: SSAValue) -> Pair:
        """Combine the extreme so far with an element at a later index. A NaN stays in the extreme, without
        its index."""
        place = self._select(self._beyond(value, old[0]), here, old[1])
        return self.insert(self.placed.extreme(old[0], value)), place

    def joined(self, a: Pair, b: Pair) -> Pair:
        """Combine two unordered pairs: of equal extremes the first index."""
        first = self._select(self._compare(arith.CmpiOp, a[1], b[1], "slt"), a[1], b[1])
        place = self._select(self._beyond(b[0], a[0]), b[1], first)
        place = self._select(self._beyond(a[0], b[0]), a[1], place)
        return self.insert(self.placed.extreme(a[0], b[0])), place

    def across(self, lanes: Pair, place: Attribute) -> Pair:
        """Return the extreme of all lanes, and its first index as a number of a type."""
        t, lane = lanes[0].type, self.placed.lane
        assert isinstance(t, VectorType)
        (count,) = t.get_shape()
        extreme = self._across(KINDS[self.placed.predicate][0], lanes[0])
        whole = self.insert(vector.BroadcastOp(extreme, t))
        places = self.insert(arith.AddiOp(lanes[1], self._lanes(range(count), lane, count)))
        none = self._splat((1 << (lane.bitwidth - 1)) - 1, lane, count)
        kind, same = (arith.CmpfOp, "oeq") if self.placed.is_float else (arith.CmpiOp, "eq")
        own = self._select(self._compare(kind, whole, lanes[0], same), places, none)
        first = self._across(Kind.MINSI, own)
        if first.type != place:
            first = self.insert(arith.ExtSIOp(first, place))  # pyright: ignore
        return extreme, first

    def is_nan(self, extremes: Sequence[SSAValue]) -> SSAValue:
        """Return whether one of some numbers is NaN."""
        found = [self._compare(arith.CmpfOp, value, value, "une") for value in extremes]
        return reduce(lambda a, b: self.insert(arith.OrIOp(a, b)), found)

    def _beyond(self, value: SSAValue, extreme: SSAValue) -> SSAValue:
        kind = arith.CmpfOp if self.placed.is_float else arith.CmpiOp
        return self._compare(kind, value, extreme, self.placed.predicate)

    def _compare(self, kind: type[Operation], a: SSAValue, b: SSAValue, predicate: str) -> SSAValue:
        is_float = kind is arith.CmpfOp
        names = arith.CMPF_COMPARISON_OPERATIONS if is_float else arith.CMPI_COMPARISON_OPERATIONS
        properties: dict[str, Attribute] = {"predicate": IntegerAttr(names.index(predicate), 64)}
        if is_float:
            properties["fastmath"] = FastMathFlagsAttr("none")
        t = VectorType(i1, a.type.shape) if isinstance(a.type, VectorType) else i1
        return self.insert(kind.create(operands=[a, b], result_types=[t], properties=properties))

    def _select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(arith.SelectOp.create(operands=[condition, a, b], result_types=[a.type]))

    def _across(self, kind: Kind, lanes: SSAValue) -> SSAValue:
        return self.insert(
            vector.ReductionOp.create(
                operands=[lanes],
                result_types=[lanes.type.element_type],  # pyright: ignore
                properties={
                    "kind": vector.CombiningKindAttr(kind),
                    "fastmath": FastMathFlagsAttr("none"),
                },
            )
        )


def pairs(values: Iterable[SSAValue]) -> list[Pair]:
    """Values two by two."""
    rest = iter(values)
    return list(zip(rest, rest))
