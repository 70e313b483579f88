"""`te.compute` and `te.reduce_axis`: how tensors are computed, element by element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.emit.access import check_bounds, walk
from relax_dialect.te.emit.generic import ComputeStage
from relax_dialect.te.scalar import IterVar, Reduce, Scalar, as_scalar
from relax_dialect.te.tensor import Dim, Requirement, as_shape, shape_text


def reduce_axis(bounds: tuple[Dim, Dim], name: str = "k") -> IterVar:
    """Return an axis to reduce over, `te.reduce_axis((0, k))`; `te.sum` and its like take it."""
    if len(bounds) != 2 or symbolic.as_expr(bounds[0]).value != 0:
        raise RelaxError(
            f"te.reduce_axis: expected the bounds (0, extent), found ({shape_text(bounds)}); "
            "shift the accesses instead, as in A[k + 1]"
        )
    return IterVar(name, symbolic.as_expr(bounds[1]), reduction=True)


def compute(
    shape: Sequence[Dim] | Dim,
    fcompute: Callable[..., Any],
    name: str | Sequence[str] = "compute",
    *,
    requires: Sequence[Requirement] = (),
) -> Any:
    """Return the tensor of a shape whose element at `i, j, ...` is `fcompute(i, j, ...)`.

    If the function returns a tuple of values, the result is a tuple of tensors, computed together; `name`
    is then a list, or one name for all. The prim func checks the requirements on sizes, `requires`, before
    it computes anything.
    """
    dims = as_shape(shape)
    title = name if isinstance(name, str) else ", ".join(name)
    names = _axis_names(fcompute, len(dims), title)
    axes = tuple(IterVar(axis, extent) for axis, extent in zip(names, dims))
    found = fcompute(*axes)
    several = isinstance(found, list | tuple)
    bodies = tuple(
        value if isinstance(value, Reduce) else as_scalar(value)
        for value in (found if several else (found,))
    )
    _check_values(bodies, title)
    stage = ComputeStage(axes, bodies, tuple(requires))
    _check_axes(stage, title)
    check_bounds(bodies, stage.loops, title)
    outputs = _output_names(name, len(bodies))
    tensors = tuple(stage.produce(dims, b.dtype, each) for b, each in zip(bodies, outputs))
    return tensors if several else tensors[0]


def _output_names(name: str | Sequence[str], count: int) -> list[str]:
    names = [name] * count if isinstance(name, str) else list(name)
    if len(names) != count:
        raise RelaxError(
            f"te.compute: {len(names)} names ({', '.join(names)}) for {count} values; pass one for "
            "each value that the function returns"
        )
    return names


def _axis_names(fcompute: Callable[..., Any], rank: int, name: str) -> list[str]:
    """Return the names of the function's parameters; with `*args` the rest gets names of ours."""
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
            f"{rank} dimensions; declare one parameter for each dimension"
        )
    names = [p.name for p in positional[:rank]]
    return names + [f"i{d}" for d in range(len(names), rank)]


def _check_values(bodies: Sequence[Scalar], name: str) -> None:
    """Check that the values are of types that tensors hold, and reduced over the same axes or not at
    all."""
    if not bodies:
        raise RelaxError(
            f"te.compute '{name}': found no value for an element, expected at least one"
        )
    for body in bodies:
        if body.dtype == INDEX:
            raise RelaxError(
                f"te.compute '{name}': its elements are of type index, which no tensor holds here; "
                'cast with .astype("i64")'
            )
    first, *others = ([*b.reduction.axes] if isinstance(b, Reduce) else [] for b in bodies)
    for axes in others:
        if [*map(id, axes)] != [*map(id, first)]:
            raise RelaxError(
                f"te.compute '{name}': its values are reduced over the axes {_listed(first)} and "
                f"{_listed(axes)}, expected the same for all; write one te.compute for each"
            )


def _listed(axes: Sequence[IterVar]) -> str:
    return f"[{', '.join(axis.name for axis in axes)}]"


def _check_axes(stage: ComputeStage, name: str) -> None:
    """Check that every index variable of the body is an axis of this stage."""
    known = {id(axis) for axis in stage.loops}
    scanned = [axis for r in stage.reductions if r.running for axis in r.axes]
    for node in (*walk(*stage.bodies), *scanned):
        if isinstance(node, IterVar) and id(node) not in known:
            where = "the axis= of its reduction" if node.reduction else "its own parameters"
            raise RelaxError(
                f"te.compute '{name}': the body uses the index '{node.name}', which is not among "
                f"{where}; an index lives only in the compute (or reduction) that lists it"
            )
