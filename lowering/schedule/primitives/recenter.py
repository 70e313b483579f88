"""recenter: signed bytes as unsigned ones, or vice versa (zero points folded, in quantization)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    UnrealizedConversionCastOp,
    i8,
    i32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.index_writer import Term, term
from lowering.ir.insertion import Inserter
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Derived
from lowering.schedule.match.byte_products import (
    byte_type,
    extended,
    is_unsigned,
    multiplies_bytes,
    signless,
)
from lowering.schedule.match.contraction import walked
from lowering.schedule.memrefs.tile_views import PARALLEL, allocate
from lowering.schedule.primitives.base import Primitive

REDUCTION = IteratorTypeAttr(IteratorType.REDUCTION)
UI8 = IntegerType(8, Signedness.UNSIGNED)
FURTHER = 1 << i8.width.data - 1
"""The distance of signed and unsigned bytes of the same bits but the first."""


@dataclass(frozen=True)
class Recenter(Primitive):
    """Shift the bytes of an operand by 128, so that signed ones are unsigned, and subtract the sum of the
    shift.

        linalg.generic {(d0, d2), (d2, d1) -> (d0, d1)} ins(%a, %b : i8) outs(%c)     // %c += %a * %b
    ->  with recenter(in1)
        %sums[d0] += %a[d0, d2]
        linalg.generic {(d0, d2), (d2, d1) -> (d0, d1)} ins(%a : i8, %b + 128 : ui8) outs(%c)
        linalg.generic {(d0), (d0, d1) -> (d0, d1)} ins(%sums, %c) outs(%c)           // %c - 128 * %sums

    Constants are shifted ahead of time. The subtraction is an epilogue, which `fuse_epilogue` fuses.

    Refused: a body that does not add up products of bytes in i32, operands with several loops for a
    dimension, a kernel that other steps have changed.
    """

    NAME: ClassVar = "recenter"

    operand_name: str

    def apply(self, kernel: Kernel) -> None:
        number = self.operand(kernel, self.operand_name)
        main = kernel.whole()
        if main is None or len(kernel.leaves[0].stages) > 1 + (kernel.fill is not None):
            raise self.refused(
                kernel, "expected the kernel as it was, found it changed; put it before other steps"
            )
        loops = [_loops(attribute.data) for attribute in main.get_indexing_maps()]
        if not multiplies_bytes(main) or number > 1 or None in loops:
            raise self.refused(
                kernel,
                "expected bytes whose products are added up in i32, one loop for each dimension, found "
                "others; leave it out",
            )
        own = [loop for loop in loops if loop is not None]
        insert = Inserter(before=kernel.fill or main)
        source, other = main.inputs[number], main.inputs[1 - number]
        sums = _sums(kernel, insert, other, own[1 - number], own[2])
        moved, made = _moved(kernel, insert, source)
        new = _with(main, number, moved)
        after = Inserter(before=main)
        after.place(new)
        target = new.outputs[0]
        rows = [loop for loop in own[1 - number] if loop in own[2]]
        after.place(_correction(sums, rows, target, own[2], is_unsigned(byte_type(source))))
        after.place(memref.DeallocOp.get(sums))
        if made:
            after.place(free := memref.DeallocOp.get(moved))
            *_, copy = made
            assert isinstance(copy, linalg.GenericOp)
            kernel.derived[moved] = Derived(source, [*made, free], body=copy.body.clone())
        main.detach()
        main.erase()
        kernel.start(new)


def _loops(map_: AffineMap) -> list[int] | None:
    """Return the loop of each dimension; None if one is walked in another way."""
    found = walked(map_)
    if found is None or None in found:
        return None
    return [loop for loop in found if loop is not None]


def _sums(
    kernel: Kernel, insert: Inserter, value: SSAValue, own: Sequence[int], out: Sequence[int]
) -> SSAValue:
    """Return the sums of an operand over the loops that reduce."""
    rows = [loop for loop in own if loop in out]
    shape = _shape(kernel, value, [own.index(loop) for loop in rows])
    sums = allocate(insert, i32, shape, "sums")
    insert.place(linalg.FillOp([kernel.constants.get(IntegerAttr(0, i32))], [sums], []))

    def added(byte: SSAValue, total: SSAValue) -> SSAValue:
        return arith.AddiOp(total, extended(byte)).result

    insert.place(_generic(own, [(value, own)], (sums, rows), added))
    return sums


def _moved(
    kernel: Kernel, insert: Inserter, value: SSAValue
) -> tuple[SSAValue, Sequence[Operation]]:
    """Return an operand with the first bit of its bytes flipped, and the ops that compute it, unless that
    is done ahead."""
    element = i8 if is_unsigned(byte_type(value)) else UI8

    def layout(array: np.ndarray) -> np.ndarray:
        return array ^ np.uint8(FURTHER)

    if len(list(value.uses)) == 1:
        found = kernel.packer.pack(kernel.function, value, "recenter", layout, element)
        if found is not None:
            return found, ()
    assert isinstance(value.type, MemRefType)
    dims = range(value.type.get_num_dims())
    room = allocate(insert, element, _shape(kernel, value, dims), "moved")

    def turned(byte: SSAValue, _: SSAValue) -> SSAValue:
        first = arith.ConstantOp(IntegerAttr(-FURTHER, i8)).result
        bits = arith.XOrIOp(signless(byte), first).result
        return (
            bits if element == i8 else UnrealizedConversionCastOp.get([bits], [element]).results[0]
        )

    insert.place(copy := _generic(dims, [(value, dims)], (room, dims), turned))
    assert isinstance(room.owner, Operation)
    return room, (room.owner, copy)


def _shape(kernel: Kernel, value: SSAValue, dims: Sequence[int]) -> list[Term]:
    """Return the sizes of some dimensions of an operand, known before the kernel."""
    first = kernel.fill or kernel.op
    return [term(kernel.memref_sizes.bound([(value, d)], first)) for d in dims]


def _with(main: linalg.GenericOp, number: int, moved: SSAValue) -> linalg.GenericOp:
    """Return the products with another operand."""
    values = [*main.inputs]
    values[number] = moved
    types = [byte_type(value) for value in values]
    block = Block(arg_types=[*types, i32])
    with ImplicitBuilder(block):
        left, right, total = block.args
        product = arith.MuliOp(extended(left), extended(right)).result
        linalg.YieldOp(arith.AddiOp(total, product).result)
    maps, kinds = [*main.get_indexing_maps()], [*main.get_iterator_types()]
    return linalg.GenericOp(values, [*main.outputs], Region(block), maps, kinds)


def _correction(
    sums: SSAValue, rows: Sequence[int], target: SSAValue, out: Sequence[int], was_unsigned: bool
) -> Operation:
    """Subtract the effect of an operand's shift from the products, by the sums."""
    numbers = {loop: number for number, loop in enumerate(out)}

    def corrected(total: SSAValue, product: SSAValue, _: SSAValue) -> SSAValue:
        by = arith.ConstantOp(IntegerAttr(FURTHER if was_unsigned else -FURTHER, i32)).result
        return arith.AddiOp(product, arith.MuliOp(total, by).result).result

    own, whole = [numbers[loop] for loop in rows], range(len(out))
    return _generic(whole, [(sums, own), (target, whole)], (target, whole), corrected)


Walked = tuple[SSAValue, Sequence[int]]
"""A memref, and the loops that walk its dimensions."""


def _generic(
    order: Sequence[int],
    sources: Sequence[Walked],
    target: Walked,
    element: Callable[..., SSAValue],
) -> linalg.GenericOp:
    """Build a generic with loops in some order whose body computes each element of the target from those of
    the sources and itself."""
    operands = [*sources, target]
    types = [value.type for value, _ in operands]
    block = Block(arg_types=[t.element_type for t in types if isinstance(t, MemRefType)])
    with ImplicitBuilder(block):
        linalg.YieldOp(element(*block.args))
    kinds = [PARALLEL if loop in target[1] else REDUCTION for loop in order]
    places = {loop: place for place, loop in enumerate(order)}
    maps = [
        AffineMapAttr(AffineMap(len(order), 0, tuple(AffineDimExpr(places[loop]) for loop in own)))
        for _, own in operands
    ]
    inputs = [value for value, _ in sources]
    return linalg.GenericOp(inputs, [target[0]], Region(block), maps, kinds)
