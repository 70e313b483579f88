"""Tensors of tensor expressions: inputs, and stages computed element by element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.access import check_bounds, walk
from relax_dialect.te.dtypes import INDEX, DType, as_dtype, kind
from relax_dialect.te.scalar import IterVar, Load, Reduce, Scalar, as_scalar

Dim: TypeAlias = symbolic.Expr | int | str


@dataclass(frozen=True, eq=False)
class Stage:
    """How a tensor is computed: one element for every value of the axes.

    The body is a scalar expression, or one `Reduce` over further axes.
    """

    axes: tuple[IterVar, ...]
    body: Scalar

    @property
    def reduce_axes(self) -> tuple[IterVar, ...]:
        return self.body.axes if isinstance(self.body, Reduce) else ()


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor with a symbolic shape; without a stage it is an input. `A[i, j]` is an element."""

    shape: tuple[symbolic.Expr, ...]
    dtype: DType
    name: str
    stage: Stage | None = None

    __iter__ = None  # pyright: ignore[reportAssignmentType]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, indices: Any) -> Scalar:
        indices = indices if isinstance(indices, tuple) else (indices,)
        if len(indices) != self.ndim:
            example = ", ".join("ijkl"[d] if d < 4 else f"i{d}" for d in range(self.ndim))
            raise RelaxError(
                f"te: tensor '{self.name}' of shape [{shape_text(self.shape)}] takes {self.ndim} "
                f"indices, found {len(indices)}; write {self.name}[{example or '()'}]"
            )
        return Load(self, tuple(self._index(index) for index in indices))

    def _index(self, index: object) -> Scalar:
        scalar = as_scalar(index, INDEX)
        if kind(scalar.dtype) != "integer":
            raise RelaxError(
                f"te: an index of tensor '{self.name}' is of type {scalar.dtype}, expected an "
                'integer; cast it with .astype("index")'
            )
        return scalar.astype(INDEX)

    def __str__(self) -> str:
        return f"{self.name}: [{shape_text(self.shape)}] {self.dtype}"


def shape_text(shape: Iterable[object]) -> str:
    return ", ".join(map(str, shape))


def as_shape(shape: Sequence[Dim] | Dim) -> tuple[symbolic.Expr, ...]:
    """A shape given as a sequence of sizes (one size alone counts as a shape of rank 1)."""
    if isinstance(shape, symbolic.Expr | int | str):
        shape = (shape,)
    dims = tuple(symbolic.as_expr(dim) for dim in shape)
    for dim in dims:
        if dim.value is not None and dim.value < 0:
            raise RelaxError(f"te: negative size in the shape [{shape_text(dims)}]")
    return dims


def var(name: str) -> symbolic.Expr:
    """A symbolic size."""
    return symbolic.var(name)


def placeholder(
    shape: Sequence[Dim] | Dim, dtype: DType | str = "float32", name: str = "placeholder"
) -> Tensor:
    """An input tensor."""
    return Tensor(as_shape(shape), as_dtype(dtype), name)


def reduce_axis(bounds: tuple[Dim, Dim], name: str = "k") -> IterVar:
    """An axis to reduce over, `te.reduce_axis((0, k))`; `te.sum` and its like take it."""
    if len(bounds) != 2 or symbolic.as_expr(bounds[0]).value != 0:
        raise RelaxError(
            f"te.reduce_axis: expected the bounds (0, extent), found ({shape_text(bounds)}); "
            "shift the accesses instead, as in A[k + 1]"
        )
    return IterVar(name, symbolic.as_expr(bounds[1]), reduction=True)


def compute(
    shape: Sequence[Dim] | Dim, fcompute: Callable[..., Any], name: str = "compute"
) -> Tensor:
    """The tensor of a shape whose element at `i, j, ...` is `fcompute(i, j, ...)`."""
    dims = as_shape(shape)
    names = _axis_names(fcompute, len(dims), name)
    axes = tuple(IterVar(axis, extent) for axis, extent in zip(names, dims))
    body = fcompute(*axes)
    if isinstance(body, list | tuple):
        raise RelaxError(
            f"te.compute '{name}': found {len(body)} values for an element, expected one; "
            "write one te.compute for each"
        )
    if not isinstance(body, Reduce):
        body = as_scalar(body)
    if body.dtype == INDEX:
        raise RelaxError(
            f"te.compute '{name}': its elements are of type index, which no tensor holds here; "
            'cast with .astype("i64")'
        )
    stage = Stage(axes, body)
    _check_axes(stage, name)
    check_bounds(body, (*stage.axes, *stage.reduce_axes), name)
    return Tensor(dims, body.dtype, name, stage)


def _axis_names(fcompute: Callable[..., Any], rank: int, name: str) -> list[str]:
    """The names of the function's parameters; with `*args` the rest gets names of ours."""
    try:
        parameters = inspect.signature(fcompute).parameters.values()
    except (TypeError, ValueError):
        return [f"i{d}" for d in range(rank)]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variadic = any(p.kind == p.VAR_POSITIONAL for p in parameters)
    required = sum(p.default is p.empty for p in positional)
    if rank < required or (rank > len(positional) and not variadic):
        raise RelaxError(
            f"te.compute '{name}': the function takes {required} indices, but the shape has "
            f"{rank} dimensions; give it one parameter for each dimension"
        )
    names = [p.name for p in positional[:rank]]
    return names + [f"i{d}" for d in range(len(names), rank)]


def _check_axes(stage: Stage, name: str) -> None:
    """Every index variable of the body is an axis of this stage."""
    known = {id(axis) for axis in (*stage.axes, *stage.reduce_axes)}
    for node in walk(stage.body):
        if isinstance(node, IterVar) and id(node) not in known:
            where = "the axis= of its reduction" if node.reduction else "its own parameters"
            raise RelaxError(
                f"te.compute '{name}': the body uses the index '{node.name}', which is not among "
                f"{where}; an index lives only in the compute (or reduction) that lists it"
            )
