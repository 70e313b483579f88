"""Index maps that split, merge and reorder dimensions: how a layout is made of another one.

```mlir
affine_map<(n, c, h, w) -> (n, c floordiv 8, h, w, c mod 8)>    // blocks of 8 channels
affine_map<(n, o, h, w, i) -> (n, o * 8 + i, h, w)>             // and back
affine_map<(n, c, h, w) -> (n, c * 49 + h * 7 + w)>             // images of 7 by 7 as rows
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

_PARTS = {AffineBinaryOpKind.FloorDiv: "outer", AffineBinaryOpKind.Mod: "inner"}


@dataclass(frozen=True)
class LayoutDimension:
    """A dimension of the old layout in the new one: whole, or one part of blocks of it.

    `part` is "whole", "outer" (which block) or "inner" (the position in it); `block` is the size of blocks,
    or of a whole dimension that is the minor one of two merged (0 if unspecified).
    """

    axis: int
    part: str = "whole"
    block: int = 0


@dataclass(frozen=True)
class IndexMap:
    """For every dimension of the new layout the pieces it is made of, major ones first."""

    results: Sequence[Sequence[LayoutDimension]]

    @property
    def pieces(self) -> list[LayoutDimension]:
        """All pieces in the order of the new layout."""
        return [piece for result in self.results for piece in result]

    def block_of(self, axis: int) -> int:
        """Return the size of the blocks that a dimension of the old layout is split into, 0 if it is
        not."""
        return next((p.block for p in self.pieces if p.axis == axis and p.part != "whole"), 0)

    def is_complete(self, rank: int) -> bool:
        """Return whether every dimension occurs once: whole, or with both parts of equal blocks."""
        for axis in range(rank):
            parts = sorted((p.part, p.block) for p in self.pieces if p.axis == axis)
            whole = len(parts) == 1 and parts[0][0] == "whole"
            split = [name for name, _ in parts] == ["inner", "outer"] and parts[0][1] == parts[1][1]
            if not (whole or split):
                return False
        return all(piece.axis < rank for piece in self.pieces)


def read_index_map(affine: AffineMap) -> IndexMap | None:
    """Return the dimensions of an affine map as pieces; None if it is no split, merge or new order of
    them."""
    results = [_pieces(expr) for expr in affine.results]
    found = IndexMap([pieces for pieces in results if pieces is not None])
    whole = len(found.results) == len(results) and affine.num_symbols == 0
    return found if whole and found.is_complete(affine.num_dims) else None


def _pieces(expr: AffineExpr) -> list[LayoutDimension] | None:
    match expr:
        case AffineDimExpr():
            return [LayoutDimension(expr.position)]
        case AffineBinaryOpExpr(lhs=AffineDimExpr(), rhs=AffineConstantExpr()):
            part = _PARTS.get(expr.kind)
            block = expr.rhs.value  # pyright: ignore[reportAttributeAccessIssue]
            return [LayoutDimension(expr.lhs.position, part, block)] if part and block > 0 else None  # pyright: ignore
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            return _merged(_strides(expr, 1))
    return None


def _merged(strides: Sequence[tuple[int, int]] | None) -> list[LayoutDimension] | None:
    """Return whole dimensions with their strides as pieces, each stride dividing the next larger one."""
    if strides is None:
        return None
    (major, outer), *minor = sorted(strides, key=lambda term: -term[1])
    pieces = [LayoutDimension(major)]
    for axis, stride in minor:
        if stride < 1 or outer % stride:
            return None
        pieces.append(LayoutDimension(axis, "whole", outer // stride))
        outer = stride
    return pieces if outer == 1 else None


def _strides(expr: AffineExpr, factor: int) -> list[tuple[int, int]] | None:
    """Return the dimensions and coefficients of `factor * expr`, None if it is no sum of these."""
    match expr:
        case AffineDimExpr():
            return [(expr.position, factor)]
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, rhs=AffineConstantExpr() as size):
            return _strides(expr.lhs, factor * size.value)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            parts = [_strides(side, factor) for side in (expr.lhs, expr.rhs)]
            return None if None in parts else [term for part in parts for term in part or ()]
    return None
