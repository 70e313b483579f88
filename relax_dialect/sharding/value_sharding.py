"""Placements of tensors on a grid of devices, and their attributes.

`relax.grid = {dp = 2 : i64, tp = 4 : i64}` on a module names the axes of a grid and their sizes; ranks are
numbered in row-major order along the axes in the order of their names. `relax.sharding = {w = ["", "tp"]}`
on a function says for parameters and other values, by their names, which grid axis cuts each dimension.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.symbolic import Expr

GRID, SHARDING, SHARDED = "relax.grid", "relax.sharding", "relax.sharded"


class ShardingError(RelaxError):
    """A program, a grid or a sharding that do not fit together."""


@dataclass(frozen=True)
class Grid:
    """A grid of devices with named axes."""

    axes: Mapping[str, int]

    @staticmethod
    def of(module: ModuleOp) -> Grid:
        """Return the grid of a module; `ShardingError` if it has none."""
        found = module.attributes.get(GRID)
        sizes = found.data if isinstance(found, DictionaryAttr) else {}
        numbers = {n: s.value.data for n, s in sizes.items() if isinstance(s, IntegerAttr)}
        if not sizes or len(numbers) < len(sizes) or any(size < 1 for size in numbers.values()):
            raise ShardingError(
                f"relax-shard: expected {GRID} = {{tp = 2 : i64}} on the module, the sizes of the axes, "
                f"found {found or 'none'}; write the axes of the grid"
            )
        return Grid(dict(sorted(numbers.items())))

    @property
    def ranks(self) -> int:
        """The number of devices."""
        return prod(self.axes.values())

    def arguments(self, axis: str) -> dict[str, Any]:
        """Return an axis as arguments of communication."""
        return {"grid": [*self.axes.values()], "grid_axes": [[*self.axes].index(axis)]}


@dataclass(frozen=True)
class Sharding:
    """The grid axis that cuts each dimension of a tensor, and the reductions that are pending."""

    dims: tuple[str | None, ...] = ()
    partial: tuple[tuple[str, str], ...] = ()
    """Grid axes with the reduction of the tensors of their ranks: sum, avg, max or min."""

    def where(self, axis: str) -> int | None:
        """Return the dimension that a grid axis cuts."""
        return self.dims.index(axis) if axis in self.dims else None

    def pending(self, axis: str) -> str | None:
        """Return the reduction over a grid axis that is not done yet."""
        return dict(self.partial).get(axis)

    def moved(self, axis: str, dimension: int | None) -> Sharding:
        """Return the placement with a grid axis that cuts another dimension, or none, and is reduced."""
        dims = [None if d == axis else d for d in self.dims]
        if dimension is not None:
            dims[dimension] = axis
        left = tuple(pair for pair in self.partial if pair[0] != axis)
        return replace(self, dims=tuple(dims), partial=left)

    @property
    def is_whole(self) -> bool:
        """Whether every rank has the whole tensor."""
        return not self.partial and not any(self.dims)

    def local(self, type: TensorType, grid: Grid) -> TensorType | None:
        """Return the type of a rank's part; None if the sizes are not provably divided."""
        if self.dims.count(None) == len(self.dims):
            return type
        dims = [part(size, grid, axis) for size, axis in zip(type.shape or (), self.dims)]
        whole = any(new is None and old is not None for new, old in zip(dims, type.shape or ()))
        return None if whole else TensorType.get(tuple(dims), type.dtype)


def part(size: Expr | None, grid: Grid, axis: str | None) -> Expr | None:
    """Return the size of a rank's part of a dimension; None if it is not provably divided."""
    if size is None or axis is None:
        return size if axis is None else None
    return symbolic.exact_quotient(size, symbolic.const(grid.axes[axis]))


def whole(shape: Dims | None) -> Sharding:
    """Return the placement of a tensor that every rank has."""
    return Sharding((None,) * len(shape or ()))


def read(attribute: Attribute, where: str, grid: Grid, shape: Dims) -> Sharding:
    """Return the placement that an attribute says; `ShardingError` if it does not fit the shape."""
    given = attribute.data if isinstance(attribute, ArrayAttr) else ()
    names = [each.data for each in given if isinstance(each, StringAttr)]  # pyright: ignore
    used = [name for name in names if name]
    if len(names) != len(shape) or len(set(used)) < len(used) or not set(used) <= set(grid.axes):
        raise ShardingError(
            f"{where}: expected a grid axis ({', '.join(grid.axes)}) or an empty text for each of "
            f"{len(shape)} dimensions, each axis once, found {attribute}; correct {SHARDING}"
        )
    return Sharding(tuple(name or None for name in names))


def written(placement: Sharding) -> ArrayAttr[StringAttr]:
    """Return a placement as an attribute."""
    return ArrayAttr([StringAttr(axis or "") for axis in placement.dims])


def scales(placements: Sequence[tuple[str, Dims, Sharding]], grid: Grid) -> dict[str, Expr]:
    """Return multiples of variables for which all dimensions are divided: n becomes 4 * n.

    `ShardingError` names the value of a size that no such multiple divides.
    """
    found: dict[str, Expr] = {}
    for where, shape, placement in placements:
        for size, axis in zip(shape, placement.dims):
            if axis is None or size is None:
                continue
            now = size.substitute(found)
            if part(now, grid, axis) is not None:
                continue
            names = [n for n in size.free_variables if size is symbolic.var(n)]
            if not names:
                raise ShardingError(
                    f"{where}: expected a size that the {grid.axes[axis]} ranks of '{axis}' divide, found "
                    f"{size}; pad it, or shard another dimension"
                )
            found[names[0]] = found.get(names[0], symbolic.var(names[0])) * grid.axes[axis]
    return found
