"""Contractions as `linalg.generic`: the roles of their loops, and their epilogue.

linalg.fill ins(%zero) outs(%c)                                        batch: b, rows: i, columns: j,
linalg.generic {(b, i, k), (b, k, j) -> (b, i, j)} ... %a * %b + %c      ->      depth: k
linalg.generic {(b, i, j), (j) -> (b, i, j)} ... max(%c + %bias, 0)         epilogue
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lowering.ir.memref_views import viewed_memref


@dataclass(frozen=True)
class Operand:
    """A memref and the loop that walks each of its dimensions; None for a dimension read at 0."""

    value: SSAValue
    loops: tuple[int | None, ...]

    @property
    def type(self) -> MemRefType:
        assert isinstance(self.value.type, MemRefType)
        return self.value.type

    def dimension(self, loop: int) -> int:
        """Return the dimension that a loop walks."""
        return self.loops.index(loop)

    @property
    def last(self) -> int | None:
        """The loop that walks its elements one after the other."""
        return self.loops[-1] if self.loops else None


@dataclass(frozen=True)
class Contraction:
    """`c[batch, row, column] = sum over depth of a[batch, row, depth] * b[batch, depth, column]`."""

    op: linalg.GenericOp
    fill: linalg.FillOp
    left: Operand
    right: Operand
    out: Operand
    batch: tuple[int, ...]
    """The loops around the tiles: the loops of all three operands, the outer loops of rows and columns."""
    row: int
    column: int
    depth: int
    epilogue: tuple[linalg.GenericOp, ...] = ()

    @property
    def element(self) -> AnyFloat | IntegerType:
        element = self.out.type.element_type
        assert isinstance(element, AnyFloat | IntegerType)
        return element

    def extent(self, loop: int) -> int:
        """Return the trip count of a loop, negative if it is known at run time only."""
        operands = (o for o in (self.left, self.right, self.out) if loop in o.loops)
        return max(o.type.get_shape()[o.dimension(loop)] for o in operands)


def walked(map_: AffineMap) -> tuple[int | None, ...] | None:
    """Return the loop of every dimension of an operand; None if one is walked in another way."""
    loops = [_loop(expr) for expr in map_.results]
    used = [loop for loop in loops if loop is not None and loop >= 0]
    if -1 in loops or len(set(used)) < len(used):
        return None
    return tuple(loops)


def _loop(expr: AffineExpr) -> int | None:
    match expr:
        case AffineDimExpr(position=position):
            return position
        case AffineConstantExpr(value=0):
            return None
        case _:
            return -1


def walked_operands(op: linalg.GenericOp) -> list[Operand] | None:
    """Return the inputs and outputs with the loop of every dimension; None if one is no memref, or is
    walked in another way."""
    values = [*op.inputs, *op.outputs]
    loops = [walked(attribute.data) for attribute in op.get_indexing_maps()]
    if None in loops or not all(isinstance(value.type, MemRefType) for value in values):
        return None
    return [Operand(value, own) for value, own in zip(values, loops) if own is not None]


def find(
    op: Operation, is_product: Callable[[linalg.GenericOp], bool] | None = None
) -> Contraction | None:
    """Return the contraction that an op is, if it starts from zeros: by default of floats, else of bodies
    for which `is_product` holds."""
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    if not (is_product or multiplies_and_adds)(op) or (fill := zeros_before(op)) is None:
        return None
    operands = walked_operands(op)
    return None if operands is None else _with_roles(op, fill, *operands)


def _with_roles(
    op: linalg.GenericOp, fill: linalg.FillOp, a: Operand, b: Operand, c: Operand
) -> Contraction | None:
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    depths = [loop for loop, kind in enumerate(kinds) if kind == "reduction"]
    own = {viewed_memref(operand.value) for operand in (a, b)}
    if None in c.loops or len(depths) != 1 or viewed_memref(c.value) in own:
        return None
    (depth,) = depths
    column = c.last
    if column in a.loops:
        a, b = b, a
    rows = [loop for loop in c.loops if loop in a.loops and loop not in b.loops]
    if column in a.loops or column not in b.loops or not rows:
        return None
    if depth not in a.loops or depth not in b.loops:
        return None
    row = rows[-1]
    fits = {row, depth} >= {a.last} and {column, depth} >= {b.last}
    if row is None or column is None or not fits:
        return None
    batch = tuple(loop for loop in c.loops if loop not in (row, column) and loop is not None)
    if len(batch) + 3 != len(kinds):
        return None
    return Contraction(
        op, fill, a, b, c, batch, row, column, depth, tuple(epilogue_of(op, c.value))
    )


def multiplies_and_adds(op: linalg.GenericOp) -> bool:
    """Return whether an op adds up products of numbers."""
    return is_sum_of_products(op.body.block)


def is_sum_of_products(block: Block) -> bool:
    """Return whether a body is `acc + a * b` of one type of numbers."""
    if len(block.args) != 3:
        return False
    a, b, acc = block.args
    if not isinstance(acc.type, AnyFloat | IntegerType) or {a.type, b.type} != {acc.type}:
        return False
    match list(block.ops):
        case [
            arith.MulfOp() | arith.MuliOp() as product,
            arith.AddfOp() | arith.AddiOp() as total,
            linalg.YieldOp() as end,
        ]:
            factors = {product.lhs, product.rhs}
            return (
                factors == {a, b}
                and {total.lhs, total.rhs} == {acc, product.result}
                and list(end.operands) == [total.result]
            )
        case _:
            return False


def zeros_before(op: linalg.GenericOp) -> linalg.FillOp | None:
    """Return the op before that fills the output with zeros, with nothing between that knows the output."""
    found = fill_before(op)
    return found if found is not None and _is_zero(found.inputs[0]) else None


def fill_before(op: linalg.GenericOp) -> linalg.FillOp | None:
    """Return the op before that fills the output, with nothing between that knows the output."""
    if len(op.outputs) != 1:
        return None
    (out,) = op.outputs
    before = op.prev_op
    while before is not None:
        if isinstance(before, linalg.FillOp) and out in before.outputs:
            return before
        is_measured = isinstance(before, memref.DimOp)
        if not is_measured and (
            out in before.operands or before.regions or not is_harmless(before)
        ):
            return None
        before = before.prev_op
    return None


HARMLESS = (
    *(memref.AllocOp, memref.DimOp, memref.CollapseShapeOp, memref.ExpandShapeOp),
    linalg.FillOp,
)


def computes(op: Operation) -> bool:
    """Return whether an op of a body computes values from its operands alone: xDSL does not say so of
    `arith.extsi`."""
    return not op.regions and op.dialect_name() in ("arith", "math", "builtin")


def arguments_of(value: SSAValue) -> set[int]:
    """Return the numbers of the block's arguments that a value is computed from."""
    found, work = set[int](), [value]
    while work:
        each = work.pop()
        if isinstance(each, BlockArgument):
            found.add(each.index)
        elif isinstance(each.owner, Operation) and each.owner.parent is not None:
            work += each.owner.operands
    return found


def factor_in(block: Block, number: int) -> arith.MulfOp | None:
    """Return the product `b * c` in a body `acc + a * (b * c)`, where c is an argument."""
    *_, last = block.ops
    total = last.operands[0].owner if len(last.operands) == 1 else None
    if not isinstance(total, arith.AddfOp) or block.args[-1] not in total.operands:
        return None
    outer = next((v.owner for v in total.operands if v is not block.args[-1]), None)
    if not isinstance(outer, arith.MulfOp):
        return None
    inner = (value.owner for value in outer.operands)
    own, argument = [op for op in inner if isinstance(op, arith.MulfOp)], block.args[number]
    is_factor = len(own) == 1 and argument in own[0].operands and len(list(argument.uses)) == 1
    return own[0] if is_factor and len(list(own[0].result.uses)) == 1 else None


def is_harmless(op: Operation) -> bool:
    return isinstance(op, HARMLESS) or op.name.startswith("arith.")


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    constant = owner.value
    return isinstance(constant, FloatAttr | IntegerAttr) and str(constant.value.data) in (
        "0.0",
        "0",
    )


def epilogue_of(
    op: linalg.GenericOp,
    out: SSAValue,
    accept: Callable[[linalg.GenericOp], bool] = lambda op: True,
) -> Iterator[linalg.GenericOp]:
    """Yield the element-wise ops that follow, each on the same elements as the contraction's output."""
    read = {viewed_memref(value) for value in op.inputs}
    written = {out}
    following = op.next_op
    while following is not None:
        if isinstance(following, linalg.GenericOp):
            if not _is_element_wise(following, written) or not accept(following):
                return
            if not read.isdisjoint(map(viewed_memref, following.outputs)):
                return  # a tile would overwrite elements that are read later
            read |= {viewed_memref(value) for value in following.inputs if value not in written}
            written.update(following.outputs)
            yield following
        elif isinstance(following, memref.DeallocOp):
            if following.memref in written:
                return
        elif not is_harmless(following) or isinstance(following, linalg.FillOp):
            return
        following = following.next_op


def _is_element_wise(op: linalg.GenericOp, written: set[SSAValue]) -> bool:
    """Return whether all loops are parallel, and values written by this group of ops are read at the same
    index."""
    maps = [walked(attribute.data) for attribute in op.get_indexing_maps()]
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    identity = tuple(range(len(kinds)))
    operands = [*op.inputs, *op.outputs]
    if set(kinds) != {"parallel"} or None in maps or any(has_index(op.body.block)):
        return False
    outputs = maps[len(op.inputs) :]
    if any(map_ != identity for map_ in outputs) or written.isdisjoint(op.inputs):
        return False
    touched = written | set(op.outputs)
    memory = {viewed_memref(value) for value in touched}
    return all(
        value in touched and map_ == identity
        for value, map_ in zip(operands, maps)
        if viewed_memref(value) in memory
    )


def has_index(block: Block) -> Iterator[bool]:
    return (isinstance(op, linalg.IndexOp) or bool(op.regions) for op in block.ops)


def loops_of(op: linalg.GenericOp) -> Sequence[tuple[SSAValue, tuple[int | None, ...]]]:
    """Return the operands of an op of the epilogue with the loops that walk them."""
    maps = [walked(attribute.data) for attribute in op.get_indexing_maps()]
    return [(v, m) for v, m in zip([*op.inputs, *op.outputs], maps) if m is not None]
