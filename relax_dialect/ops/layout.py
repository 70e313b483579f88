"""Operators that change the layout of data: blocks of pixels and channels, and index maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr, AffineMap

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Held, Num, Operand, integer, number, of_form, string, tensor
from relax_dialect.ops.forms import AttributeForm
from relax_dialect.ops.index_map import IndexMap, LayoutDimension, read_index_map
from relax_dialect.ops.kinds import FOLLOW, K_INJECTIVE
from relax_dialect.ops.moving import times
from relax_dialect.ops.number_attributes import require_number_of
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import LeastRank, Rank, tensor_type


def divided(op: OperatorOp, size: Dim, divisor: int, demand: str, constraint: str) -> Dim:
    """Return a size over a number that divides it; raises an error if it provably does not."""
    if size is None or (size.value is None and divisor > symbolic.MAX_COEFFICIENT):
        return None
    if size.value is not None:
        quotient, divides = symbolic.const(size.value // divisor), size.value % divisor == 0
    else:
        quotient = symbolic.floordiv(size, divisor)
        divides = not symbolic.provably_different(size, quotient * divisor)
    if not divides:
        op.fail(f"{demand} ({constraint})", str(size), "pad, slice or reshape the tensor")
    return quotient


class PixelBlockOp(OperatorOp):
    """An operator between images `[..., c * b * b, h, w]` and `[..., c, h * b, w * b]`, where b is the
    side of a block of pixels."""

    PATTERN_KIND: ClassVar = K_INJECTIVE
    PRECISION: ClassVar = FOLLOW

    x: Operand = tensor(LeastRank(3, "C1"))

    SIDE: ClassVar[str]
    """The name of the property that holds b."""
    TO_CHANNELS: ClassVar[bool]
    """Whether blocks of pixels become channels, and not the other way round."""

    @property
    def side(self) -> int:
        """The side of a block."""
        return getattr(self, self.SIDE)

    @property
    def mode(self) -> str:
        """Whether the position in the block ("DCR") or the channel ("CRD") is the major part of the deep
        index."""
        return "CRD"

    def demands(self) -> dict[int, tuple[int, str]]:
        """Map every axis, counted from the end, to the number that has to divide its size, and the text of
        the demand."""
        side, square = self.side, self.side**2
        if self.TO_CHANNELS:
            names = {-2: "height", -1: "width"}
            return {d: (side, f"a {name} divisible by {side}") for d, name in names.items()}
        return {-3: (square, f"a number of channels divisible by {square}")}

    def result_shape(self, x: Dims) -> Dims:
        factors = {-3: self.side**2} if self.TO_CHANNELS else {-2: self.side, -1: self.side}
        shape = list(x)
        for axis, (divisor, demand) in self.demands().items():
            shape[axis] = divided(self, shape[axis], divisor, demand, "C3")
        for axis, factor in factors.items():
            shape[axis] = times(shape[axis], factor)
        return tuple(shape)


@operator("relax.pixel_shuffle")
class PixelShuffleOp(PixelBlockOp):
    """Channels to pixels: `[..., c * r * r, h, w]` to `[..., c, h * r, w * r]` (Shi et al., 2016).

    (C1) x has rank 3 or more.
    (C2) `upscale_factor` is at least 1.
    (C3) Its square divides the number of channels; checked at run time unless proved.
    """

    SIDE: ClassVar = "upscale_factor"
    TO_CHANNELS: ClassVar = False

    upscale_factor: int = integer(least=1, constraint="C2")


@operator("relax.pixel_unshuffle")
class PixelUnshuffleOp(PixelBlockOp):
    """Pixels to channels, `[..., c, h * r, w * r]` to `[..., c * r * r, h, w]`: undoes pixel_shuffle.

    (C1) x has rank 3 or more.
    (C2) `downscale_factor` is at least 1.
    (C3) It divides height and width; checked at run time unless proved.
    """

    SIDE: ClassVar = "downscale_factor"
    TO_CHANNELS: ClassVar = True

    downscale_factor: int = integer(least=1, constraint="C2")


class DepthOp(PixelBlockOp):
    """A `PixelBlockOp` on batches of images `[n, c, h, w]`."""

    SIDE: ClassVar = "block_size"

    x: Operand = tensor(Rank(4, "C1", "reshape it to NCHW"))
    block_size: int = integer(least=1, constraint="C2")


@operator("relax.depth_to_space")
class DepthToSpaceOp(DepthOp):
    """Channels of `[n, b * b * c, h, w]` to blocks of pixels of `[n, c, h * b, w * b]`.

    In mode "DCR" channel `(y * b + x) * c + k` is pixel (y, x) of the blocks of channel `k`, in mode
    "CRD" it is channel `(k * b + y) * b + x`.

    (C1) x has rank 4.
    (C2) `block_size` is at least 1.
    (C3) Its square divides the number of channels; checked at run time unless proved.
    (C4) The mode is "DCR" or "CRD".
    """

    TO_CHANNELS: ClassVar = False

    mode: str = string(default="DCR", shown=True, among=("DCR", "CRD"), constraint="C4")


@operator("relax.space_to_depth")
class SpaceToDepthOp(DepthOp):
    """Blocks of pixels of `[n, c, h * b, w * b]` to channels of `[n, b * b * c, h, w]`: undoes
    depth_to_space in mode "DCR".

    (C1) x has rank 4.
    (C2) `block_size` is at least 1.
    (C3) It divides height and width; checked at run time unless proved.
    """

    TO_CHANNELS: ClassVar = True

    @property
    def mode(self) -> str:
        return "DCR"


MapGiven: TypeAlias = AffineMapAttr | AffineMap | Callable[..., tuple[AffineExpr, ...]]
IndexMapField: TypeAlias = Held[MapGiven, AffineMap]


def _encode_map(given: Any) -> Attribute:
    return AffineMapAttr(given if isinstance(given, AffineMap) else AffineMap.from_callable(given))


INDEX_MAP = AttributeForm(
    "an index map", AffineMapAttr, _encode_map, lambda attribute: attribute.data
)


@operator("relax.layout_transform", K_INJECTIVE, FOLLOW)
class LayoutTransformOp(OperatorOp):
    """The elements rearranged by an index map: dimensions reordered, split into blocks, merged.

    `affine_map<(n, c, h, w) -> (n, c floordiv 8, h, w, c mod 8)>` transforms NCHW to NCHW8c. Incomplete
    blocks are filled with `pad_value` (0 by default). From Python the map may be a function,
    `lambda n, c, h, w: (n, c // 8, h, w, c % 8)`.

    (C1) The map has a dimension for each of x.
    (C2) Each occurs in its results once: whole, as both `d floordiv k` and `d mod k`, or merged with
         others, as `d * k + e` or `d * (k * l) + e * l + f`.
    (C3) Of merged dimensions all but the first have the sizes that the coefficients imply, `e` the size k
         and `f` the size l; checked at run time unless proved.
    (C4) `pad_value` is a number that an integer element type holds.
    """

    x: Operand = tensor()
    index_map: IndexMapField = of_form(INDEX_MAP)
    pad_value: Num = number(default=None, absent=0)

    @property
    def map(self) -> IndexMap:
        """The index map, read."""
        found = read_index_map(self.index_map)
        if found is None:
            self.fail(
                "each dimension once: whole, as d floordiv k with d mod k, or in d * k + e (C2)",
                str(self.index_map),
                "correct the map",
            )
        return found

    def demand(self, piece: LayoutDimension) -> str:
        """Return the demand on the size of the minor one of two merged dimensions, for errors."""
        return f"dimension {piece.axis} of x to have the size {piece.block}"

    def infer(self) -> Sequence[Attribute]:
        type, index_map = tensor_type(self.x), self.map
        dims = self.index_map.num_dims
        if type.rank not in (None, dims):
            self.fail(
                f"an index map of {type.rank} dimensions (C1)",
                str(dims),
                "name each dimension of x",
            )
        require_number_of(self, "pad_value", self.pad_value, type.dtype, "C4")
        sizes = type.shape if type.shape is not None else (None,) * dims
        shape = tuple(self._merged(pieces, sizes) for pieces in index_map.results)
        return (TensorType.get(shape, type.dtype),)

    def _merged(self, pieces: Sequence[LayoutDimension], sizes: Sequence[Dim]) -> Dim:
        """Return the size of one dimension of the result."""
        major, *minor = pieces
        for piece in minor:
            size = sizes[piece.axis]
            if size is not None and symbolic.provably_different(size, symbolic.const(piece.block)):
                self.fail(f"{self.demand(piece)} (C3)", str(size), "correct the map")
        if major.part == "inner":
            return symbolic.const(major.block)
        size = sizes[major.axis]
        if major.part == "outer" and size is not None:
            size = symbolic.ceildiv(size, major.block)
        for piece in minor:
            size = times(size, piece.block)
        return size


OPS = operators_in(globals())
