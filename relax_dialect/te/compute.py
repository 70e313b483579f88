"""`te.compute` and `te.reduce_axis`: how a tensor is computed, element by element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.access import check_bounds, walk
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.scalar import IterVar, Reduce, as_scalar
from relax_dialect.te.tensor import Dim, Requirement, Stage, Tensor, as_shape, shape_text


def reduce_axis(bounds: tuple[Dim, Dim], name: str = "k") -> IterVar:
    """An axis to reduce over, `te.reduce_axis((0, k))`; `te.sum` and its like take it."""
    if len(bounds) != 2 or symbolic.as_expr(bounds[0]).value != 0:
        raise RelaxError(
            f"te.reduce_axis: expected the bounds (0, extent), found ({shape_text(bounds)}); "
            "shift the accesses instead, as in A[k + 1]"
        )
    return IterVar(name, symbolic.as_expr(bounds[1]), reduction=True)


def compute(
    shape: Sequence[Dim] | Dim,
    fcompute: Callable[..., Any],
    name: str = "compute",
    *,
    requires: Sequence[Requirement] = (),
) -> Tensor:
    """The tensor of a shape whose element at `i, j, ...` is `fcompute(i, j, ...)`.

    The prim func checks what it `requires` of the sizes before it computes anything.
    """
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
    stage = Stage(axes, body, tuple(requires))
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
