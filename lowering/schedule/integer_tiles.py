"""Tiles of contractions of 8-bit integers: four steps along the depth at once.

    func.func private @contract_2x32_ui8_i8(%depth: index, %a: memref<2x?xui8, strided<[?, 1], offset: ?>>,
        %b: memref<?x32xi32, strided<[?, 1], offset: ?>>, %c: memref<2x32xi32, ...>) {
      %sums:4 = scf.for %k = %c0 to %depth ... {
        %b0 = vector.load %b[%k, %c0] : ..., vector<16xi32>                 // four bytes of 16 columns
        ...
        %four = vector.load %a[%c0, %k4] : ..., vector<4xui8>
        %a0 = vector.extract (vector.bitcast %four to vector<1xi32>) [0]
        %t0 = func.call @dot4_u8i8_x16(%s0, %a0 broadcast, %b0)
        ...

An element of the right operand is four bytes that follow each other along the depth, as an i32. To add four
products of unsigned and signed bytes is one instruction of many machines, which a function marked
`relax.intrinsic` stands for (`lowering.target.INTRINSICS`). Its body says what it computes; nothing moves
between lanes: bytes of even and odd places become i16, whose products fit.

    even = (a & 255) * (b << 8 >> 8)        odd = (a >> 8) * (b >> 8)            on vector<32xi16>
    sums + even's low halves + even's high halves + odd's low + odd's high       on vector<16xi32>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    VectorType,
    i8,
    i16,
    i32,
)
from xdsl.ir import Block, Region, SSAValue

from lowering.schedule.tile_functions import Tile, TileFunctions
from lowering.schedule.views import strided

GROUP = i32.width.data // i8.width.data
"""How many bytes an instruction takes at once in each lane."""


def is_unsigned(type: IntegerType) -> bool:
    return type.signedness.data == Signedness.UNSIGNED


@dataclass(frozen=True)
class IntegerTile(Tile):
    """A tile of sums in i32 of products of bytes."""

    left_element: IntegerType = i8
    """The type of the left operand; of the two, one is unsigned."""
    dot: str = ""
    """The function that adds four products."""

    @property
    def name(self) -> str:
        kinds = "ui8_i8" if is_unsigned(self.left_element) else "i8_ui8"
        return f"contract_{self.height}x{self.width}_{kinds}"

    @property
    def left(self) -> MemRefType:
        return strided(self.left_element, [self.height, DYNAMIC_INDEX], [None, 1])

    @property
    def left_dims(self) -> tuple[int | str, ...]:
        return (self.height, f"{GROUP} * depth")

    def factor(self, i: int, numbers: Mapping[int, SSAValue], k: SSAValue, a: SSAValue) -> SSAValue:
        """Four bytes of a row."""
        first = arith.MuliOp(k, numbers[GROUP]).result
        load = vector.LoadOp(a, [numbers[i], first], VectorType(self.left_element, [GROUP]))
        four = vector.BitcastOp(load.result, VectorType(i32, [1]))
        return vector.ExtractOp(four.result, [0], i32).result

    def added(self, factor: SSAValue, right: SSAValue, total: SSAValue) -> SSAValue:
        pair = [factor, right] if is_unsigned(self.left_element) else [right, factor]
        return func.CallOp(self.dot, [total, *pair], [self.row]).results[0]

    @property
    def constants(self) -> Sequence[int]:
        return (*super().constants, GROUP)


def dot_function(functions: TileFunctions, lanes: int) -> str:
    """The name of the function that adds four products of bytes in each lane."""
    return functions.named(f"dot4_u8i8_x{lanes}", lambda name: make_dot(name, lanes))


def make_dot(name: str, lanes: int) -> func.FuncOp:
    """That function: see the module docstring."""
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
    function.attributes["relax.intrinsic"] = StringAttr("dot4_u8i8")
    return function
