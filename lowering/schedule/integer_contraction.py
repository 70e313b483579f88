"""The strategy of contractions of 8-bit integers: operands laid out so that four products are one step.

    linalg.generic {(i, k), (k, j) -> (i, j)} ins(%x, %w : memref<?x510xi8>, memref<510x96xi8>) outs(%out)
                                              ... %out + extsi(%x) * extsi(%w)
->
    %sums = for every row of %x, the sum of its elements
    %left = the rows of %x, filled up with zeros to memref<?x512xi8>
    linalg.generic {(i, k), (k, j) -> (i, j)} ins(%left, %w4 : memref<?x512xi8>, memref<128x96xi32>) ...
    linalg.generic {(i), (i, j)} ins(%sums) outs(%out) ...  %out - 128 * %sums

* An element of `%w4` is four bytes of a column (`group_depth`), at compile time where weights are constant.
* One operand must be unsigned and the other signed. Where they are alike, the right one moves by 128, and
  the sums of the left one's rows tell by how much the product is off (`correct_rows`).
* The left operand is read in place where its depth is a multiple of four, and copied else (`pad_depth`).

What is left is a contraction as any other, whose tiles are those of `integer_tiles`: see `contract`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnrealizedConversionCastOp,
    i8,
    i32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.insertion import Inserter, open_loop
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.contraction import Contraction, Operand
from lowering.schedule.contraction import find as find_contraction
from lowering.schedule.integer_tiles import GROUP, IntegerTile, dot_function, is_unsigned
from lowering.schedule.pack_constants import ConstantPacker
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.views import PARALLEL, Size, allocate, copy_by, index, size, window

REDUCTION = IteratorTypeAttr(IteratorType.REDUCTION)
SUM_BITS = i32.width.data
MOVE = 1 << i8.width.data - 1
"""The distance of signed and unsigned bytes of the same bits but the first."""


@dataclass(frozen=True)
class IntegerContraction(Contraction):
    """A contraction whose right operand holds four bytes of a column in each element."""

    def tile(self, height: int, vectors: int, lanes: int, functions: TileFunctions) -> IntegerTile:
        dot = dot_function(functions, lanes)
        element = element_of(self.left.value)
        return IntegerTile(height, vectors, lanes, i32, left_element=element, dot=dot)


def element_of(value: SSAValue) -> IntegerType:
    assert isinstance(value.type, MemRefType) and isinstance(value.type.element_type, IntegerType)
    return value.type.element_type


def find(op: Operation) -> Contraction | None:
    """The contraction that an op is, if it adds up products of bytes in i32."""
    found = find_contraction(op, multiplies_bytes)
    if found is None or None in (*found.left.loops, *found.right.loops):
        return None
    return found


def multiplies_bytes(op: linalg.GenericOp) -> bool:
    """Whether the body is `acc + ext(a) * ext(b)` of bytes, extended as their types say."""
    block = op.body.block
    a, b, acc = block.args
    if acc.type != i32:
        return False
    ops = list(block.ops)
    product, total, end = ops[-3:] if len(ops) > 3 else (None,) * 3
    if not (
        isinstance(product, arith.MuliOp)
        and isinstance(total, arith.AddiOp)
        and isinstance(end, linalg.YieldOp)
    ):
        return False
    factors = {_byte(product.lhs), _byte(product.rhs)}
    casts = arith.ExtSIOp | arith.ExtUIOp | UnrealizedConversionCastOp
    return (
        factors == {a, b}
        and all(isinstance(op, casts) for op in ops[:-3])
        and {total.lhs, total.rhs} == {acc, product.result}
        and list(end.operands) == [total.result]
    )


def _byte(value: SSAValue) -> SSAValue | None:
    """The byte that a number is, extended by its sign."""
    match value.owner:
        case arith.ExtSIOp(input=SSAValue(type=t) as byte) if t == i8:
            return byte
        case arith.ExtUIOp(input=SSAValue(owner=UnrealizedConversionCastOp() as cast, type=t)):
            (byte,) = cast.inputs
            unsigned = isinstance(byte.type, IntegerType) and is_unsigned(byte.type)
            return byte if unsigned and t == i8 else None
    return None


class Layout:
    """Lays the operands of one contraction out."""

    def __init__(
        self, function: func.FuncOp, found: Contraction, sizes: MemrefSizes, packer: ConstantPacker
    ):
        self.function, self.found, self.packer = function, found, packer
        left, right = (element_of(o.value) for o in (found.left, found.right))
        self.is_moved = is_unsigned(left) == is_unsigned(right)
        """Whether the right operand has another sign than its type."""
        self.epilogue = list(found.epilogue)
        self.before: Operation = found.epilogue[-1] if found.epilogue else found.op
        self.rooms: list[SSAValue] = []
        self.loops = (*found.batch, found.row, found.column, found.depth)
        self.extents: dict[int, Size] = {
            loop: size(sizes.bound(found.places(loop), before=found.op)) for loop in self.loops
        }

    def apply(self) -> tuple[IntegerContraction, Sequence[Operation]]:
        """The contraction of the operands as tiles read them, and all ops that it replaces."""
        found = self.found
        if self.is_moved:
            self.correct_rows()
        self.insert = Inserter(before=self.before)
        depth = self.extents[found.depth]
        self.groups = (
            -(-depth // GROUP)
            if isinstance(depth, int)
            else self.insert(arith.CeilDivUIOp(depth, index(self.insert, GROUP)), "groups")
        )
        right = self._grouped_ahead() or self.group_depth()
        left = self.found.left
        in_place = left.last == found.depth and isinstance(depth, int) and depth % GROUP == 0
        left = replace(left if in_place else self.pad_depth(), group=GROUP)
        for room in self.rooms:
            parent = self.before.parent
            assert parent is not None
            parent.insert_op_after(memref.DeallocOp.get(room), self.before)
        fields = {f: getattr(found, f) for f in found.__dataclass_fields__}
        fields |= {"left": left, "right": right, "epilogue": tuple(self.epilogue)}
        whole = IntegerContraction(**{**fields, "is_laid_out": True})
        return whole, [found.fill, found.op, *self.epilogue]

    def _room(self, element: IntegerType, shape: Sequence[Size], hint: str) -> SSAValue:
        self.rooms.append(room := allocate(self.insert, element, shape, hint))
        return room

    # Signs

    def correct_rows(self) -> None:
        """What the sums are off by, since the right operand moves by 128: 128 times those of the rows.

        %sums[i] = sum over k of %x[i, k];  %out[i, j] -= 128 * %sums[i]   // after the contraction
        """
        left, out = _loops(self.found.left), _loops(self.found.out)
        rows = [loop for loop in left if loop != self.found.depth]
        self.insert = Inserter(before=self.found.op)
        sums = self._room(i32, [self.extents[loop] for loop in rows], "row_sums")
        zero = self.insert(arith.ConstantOp(IntegerAttr(0, i32)))
        self.insert.place(linalg.FillOp([zero], [sums], []))

        def added(values: Sequence[SSAValue], total: SSAValue) -> SSAValue:
            return arith.AddiOp(total, _extended(values[0])).result

        source = self.found.left.value
        self.insert.place(_generic(left, [(source, left)], (sums, rows), added))
        factor = MOVE if is_unsigned(element_of(source)) else -MOVE

        def corrected(values: Sequence[SSAValue], total: SSAValue) -> SSAValue:
            by = arith.ConstantOp(IntegerAttr(factor, i32)).result
            return arith.AddiOp(total, arith.MuliOp(values[0], by).result).result

        target = self.found.out.value
        correction = _generic(out, [(sums, rows)], (target, out), corrected)
        parent = self.found.op.parent
        assert parent is not None
        parent.insert_op_after(correction, self.found.op)
        self.epilogue.insert(0, correction)
        self.before = self.epilogue[-1]

    # The right operand

    def _grouped_ahead(self) -> Operand | None:
        """Constant weights as groups of four bytes of a column, at compile time."""
        found, right = self.found, self.found.right
        if set(right.loops) != {found.depth, found.column} or len(right.loops) != 2:
            return None
        if len(list(right.value.uses)) != 1:
            return None
        turned, flip = right.last != found.column, 0x80 if self.is_moved else 0
        packed = self.packer.pack(
            self.function,
            right.value,
            (GROUP, turned, flip),
            lambda weights: grouped((weights.T if turned else weights) ^ np.uint8(flip)),
            i32,
        )
        return None if packed is None else Operand(packed, (found.depth, found.column))

    def group_depth(self) -> Operand:
        """Four rows of the right operand as one of i32, on each call.

        %w4[k, j] = %w[4 * k, j] | %w[4 * k + 1, j] << 8 | %w[4 * k + 2, j] << 16 | %w[4 * k + 3, j] << 24
        """
        found, right = self.found, self.found.right
        order = [*(loop for loop in found.batch if loop in right.loops), found.depth, found.column]
        extents = {**self.extents, found.depth: self.groups}
        room = self._room(i32, [extents[loop] for loop in order], "groups")
        whole = Operand(room, tuple(order))
        full, rest = self._divided(self.extents[found.depth])
        parts = [self._rows(right, place, full, GROUP) for place in range(GROUP)]
        own = _loops(right)

        def four(values: Sequence[SSAValue], _: SSAValue) -> SSAValue:
            whole = self._bits(values[0])
            for n, value in enumerate(values[1:], 1):
                by = arith.ConstantOp(IntegerAttr(8 * n, i32)).result
                whole = arith.OrIOp(whole, arith.ShLIOp(self._bits(value), by).result).result
            return whole

        target = self._rows(whole, 0, full)
        self.insert.place(_generic(order, [(part, own) for part in parts], (target, order), four))
        if isinstance(rest, int):
            if rest:
                self._last_group(whole, full, rest)
            return whole
        outer, then = self.insert, Block()
        some = outer(arith.CmpiOp(rest, index(outer, 0), "ne"))
        outer.place(scf.IfOp(some, [], Region(then), Region(Block([scf.YieldOp()]))))
        self.insert = Inserter(end=then)
        self._last_group(whole, full, rest)
        then.add_op(scf.YieldOp())
        self.insert = outer
        return whole

    def _last_group(self, whole: Operand, full: Size, rest: Size) -> None:
        """The rows that are left, and zeros for those that are not there."""
        target = self._rows(whole, full, 1)
        zero = self.insert(arith.ConstantOp(IntegerAttr(0, i32)))
        self.insert.place(linalg.FillOp([zero], [target], []))
        zero, one = index(self.insert, 0), index(self.insert, 1)
        outer, start = self.insert, self._times(full, GROUP)
        loop = open_loop(outer, zero, index(outer, rest), one, "c")
        self.insert = loop
        row = loop(arith.AddiOp(index(loop, start), loop.counter))
        source = self._rows(self.found.right, row, 1)
        place = loop(arith.IndexCastOp(loop.counter, i32))
        by = loop(arith.MuliOp(place, loop(arith.ConstantOp(IntegerAttr(8, i32)))))

        def with_byte(values: Sequence[SSAValue], old: SSAValue) -> SSAValue:
            return arith.OrIOp(old, arith.ShLIOp(self._bits(values[0]), by).result).result

        order = _loops(whole)
        operands = [(source, _loops(self.found.right))], (target, order)
        self.insert.place(_generic(order, *operands, with_byte))
        loop.close()
        self.insert = outer

    def _bits(self, value: SSAValue) -> SSAValue:
        """The bits of a byte as an i32, of the other sign where the operand moves."""
        bits = arith.ExtUIOp(_signless(value), i32).result
        if not self.is_moved:
            return bits
        return arith.XOrIOp(bits, arith.ConstantOp(IntegerAttr(MOVE, i32)).result).result

    def _rows(self, operand: Operand, first: Size, count: Size, step: int = 1) -> SSAValue:
        """Every so many steps along the depth of an operand, from one on."""
        type = operand.type
        offsets: list[Size] = [0] * len(operand.loops)
        sizes = [self.extents[loop] for loop in _loops(operand)]
        steps = [1] * len(operand.loops)
        d = operand.dimension(self.found.depth)
        offsets[d], sizes[d], steps[d] = first, count, step
        whole = memref.SubviewOp.infer_result_type(type, offsets, sizes, steps)
        view = memref.SubviewOp.get(operand.value, offsets, sizes, steps, whole)
        return self.insert(view, operand.value.name_hint)

    # The left operand

    def pad_depth(self) -> Operand:
        """The left operand with its depth last, filled up with zeros to a multiple of four."""
        found, left = self.found, self.found.left
        order = [*(loop for loop in _loops(left) if loop != found.depth), found.depth]
        element, depth = element_of(left.value), self.extents[found.depth]
        padded = self._times(self.groups, GROUP)
        shape = [self.extents[loop] for loop in order[:-1]]
        room = self._room(element, [*shape, padded], "padded")
        zeros = [0] * len(shape)
        if padded != depth:
            left_over = self._less(padded, depth)
            rest = window(self.insert, room, [*zeros, depth], [*shape, left_over])
            zero = self.insert(arith.ConstantOp(IntegerAttr(0, i8)))
            if element != i8:
                zero = self.insert(UnrealizedConversionCastOp.get([zero], [element]))
            self.insert.place(linalg.FillOp([zero], [rest], []))
        used = window(self.insert, room, [*zeros, 0], [*shape, depth])
        self.insert.place(copy_by(_map(_loops(left), order), left.value, used))
        return Operand(room, tuple(order))

    # Sizes

    def _divided(self, depth: Size) -> tuple[Size, Size]:
        if isinstance(depth, int):
            return divmod(depth, GROUP)
        by = index(self.insert, GROUP)
        return self.insert(arith.DivUIOp(depth, by)), self.insert(arith.RemUIOp(depth, by))

    def _times(self, n: Size, factor: int) -> Size:
        if isinstance(n, int):
            return n * factor
        return self.insert(arith.MuliOp(n, index(self.insert, factor)))

    def _less(self, a: Size, b: Size) -> Size:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return self.insert(arith.SubiOp(index(self.insert, a), index(self.insert, b)))


def grouped(weights: np.ndarray) -> np.ndarray:
    """Bytes `[depth, columns]` as i32 `[depth / 4, columns]`, zeros behind the last ones."""
    depth, columns = weights.shape
    whole = np.zeros((-(-depth // GROUP) * GROUP, columns), np.uint8)
    whole[:depth] = weights
    bytes = whole.reshape(-1, GROUP, columns).transpose(0, 2, 1)
    return np.ascontiguousarray(bytes).view("<u4")[..., 0]


def _loops(operand: Operand) -> list[int]:
    """The loops that walk an operand's dimensions, each of which has one."""
    return [loop for loop in operand.loops if loop is not None]


def _map(own: Sequence[int], order: Sequence[int]) -> AffineMap:
    """The places that loops in some order visit, where an operand has some of them."""
    return AffineMap(len(order), 0, tuple(AffineDimExpr(order.index(loop)) for loop in own))


Walked = tuple[SSAValue, Sequence[int]]
"""A memref, and the loops that walk its dimensions."""


def _generic(
    order: Sequence[int],
    sources: Sequence[Walked],
    target: Walked,
    element: Callable[[Sequence[SSAValue], SSAValue], SSAValue],
) -> linalg.GenericOp:
    """Loops in some order that give each element of the target from those of the sources and itself."""
    operands = [*sources, target]
    types = [value.type for value, _ in operands]
    block = Block(arg_types=[t.element_type for t in types if isinstance(t, MemRefType)])
    with ImplicitBuilder(block):
        *values, old = block.args
        linalg.YieldOp(element(values, old))
    kinds = [PARALLEL if loop in target[1] else REDUCTION for loop in order]
    maps = [AffineMapAttr(_map(own, order)) for _, own in operands]
    inputs = [value for value, _ in sources]
    return linalg.GenericOp(inputs, [target[0]], Region(block), maps, kinds)


def _signless(value: SSAValue) -> SSAValue:
    if value.type == i8:
        return value
    return UnrealizedConversionCastOp.get([value], [i8]).results[0]


def _extended(value: SSAValue) -> SSAValue:
    extend = arith.ExtSIOp if value.type == i8 else arith.ExtUIOp
    return extend(_signless(value), i32).result
