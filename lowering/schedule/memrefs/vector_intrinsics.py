"""Operations on vectors with a machine instruction, as functions whose bodies define them.

    func.func private @dot4_u8i8_x16(%sums: vector<16xi32>, %a: vector<16xi32>, %b: vector<16xi32>)
        -> vector<16xi32> attributes {relax.intrinsic = "dot4_u8i8"}

To add four products of unsigned and signed bytes is one instruction of many machines, which the C code uses
if there is one (`lowering.support.target.INTRINSICS`); `dot4_u7i8` is the same of unsigned bytes up to 127,
of which more machines have one. In the body nothing moves between lanes: bytes at even and
odd indices become i16, whose products fit.

    even = (a & 255) * (b << 8 >> 8)        odd = (a >> 8) * (b >> 8)            on vector<32xi16>
    sums + even's low halves + even's high halves + odd's low + odd's high       on vector<16xi32>
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerType,
    StringAttr,
    VectorType,
    i8,
    i16,
    i32,
)
from xdsl.ir import Block, Region, SSAValue

from lowering.schedule.memrefs.tile_functions import TileFunctions


@dataclass(frozen=True)
class Grouped:
    """An operation that takes several iterations of a loop that reduces at once in each lane."""

    group: int
    """The number of iterations."""
    make: Callable[[str, int], func.FuncOp]
    """Builds the function of a name and a number of lanes."""


def function_of(functions: TileFunctions, name: str, lanes: int) -> str:
    """Return the name of the function of an operation on `lanes` lanes."""
    make = OPERATIONS[name].make
    return functions.shared(f"{name}_x{lanes}", make, lambda symbol: make(symbol, lanes))


def make_dot(kind: str, name: str, lanes: int) -> func.FuncOp:
    """Return the function that adds four products of bytes in each lane: see the module docstring."""
    row, halves = VectorType(i32, [lanes]), VectorType(i16, [2 * lanes])
    block = Block(arg_types=[row] * 3)
    for argument, hint in zip(block.args, ("sums", "a", "b")):
        argument.name_hint = hint
    sums, a, b = block.args

    def splat(type: VectorType[IntegerType], number: int) -> SSAValue:
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [number])).result

    with ImplicitBuilder(block):
        byte, half = splat(halves, 8), splat(row, 16)
        left, right = (vector.BitcastOp(v, halves).result for v in (a, b))
        evens = (
            arith.AndIOp(left, splat(halves, 255)).result,
            arith.ShRSIOp(arith.ShLIOp(right, byte).result, byte).result,
        )
        odds = arith.ShRUIOp(left, byte).result, arith.ShRSIOp(right, byte).result
        no_wrap = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])
        total: SSAValue = sums
        for factors in (evens, odds):
            product = arith.MuliOp(*factors, overflow=no_wrap).result
            pairs = vector.BitcastOp(product, row).result
            low = arith.ShRSIOp(arith.ShLIOp(pairs, half).result, half).result
            for part in (low, arith.ShRSIOp(pairs, half).result):
                total = arith.AddiOp(total, part).result
        func.ReturnOp(total)
    function = func.FuncOp(name, ([row] * 3, [row]), Region(block), visibility="private")
    function.attributes["relax.intrinsic"] = StringAttr(kind)
    return function


BYTES = i32.width.data // i8.width.data

OF_8_BITS, OF_7_BITS = "dot4_u8i8", "dot4_u7i8"
"""The operations by the bits of unsigned factors."""

OPERATIONS: Mapping[str, Grouped] = {
    kind: Grouped(BYTES, partial(make_dot, kind)) for kind in (OF_8_BITS, OF_7_BITS)
}
"""The operations that `intrinsic` replaces loops by, each also in `lowering.support.target.INTRINSICS`."""
