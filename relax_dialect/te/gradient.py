"""`te.gradient`: the gradients of tensor expressions, as tensor expressions.

An element that is read at the place of index variables, each standing once, gets the sum over all other
loops, which runs over places in any order:

```python
C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k))
dA = te.compute((n, l), lambda i, k: te.sum(dC[i, j] * B[k, j], axis=j))
```

One that is read at another place, as `A[i + k]` or `A[rows[i]]`, gets its sum in the order of the loops,
which add to where they read.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import reduce
from operator import add
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.te import intrinsics as f
from relax_dialect.te import reducers
from relax_dialect.te.compute import compute, reduce_axis
from relax_dialect.te.derivatives import Contribution, contributions, substituted
from relax_dialect.te.dtypes import kind
from relax_dialect.te.extern import extern
from relax_dialect.te.generic import ComputeStage
from relax_dialect.te.pad import PadStage
from relax_dialect.te.reduction import Reduction
from relax_dialect.te.reshape import ReshapeStage, reshape
from relax_dialect.te.scalar import Constant, IterVar, Reduce, Scalar, const
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Load, Stage, Tensor


def gradient(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], heads: Sequence[Tensor]
) -> list[Tensor | None]:
    """The gradients of inputs, given the cotangents of outputs; None for an input that none reads.

    A cotangent has the shape and the element type of its output, a gradient those of its input. Equal
    extremes of `te.max` and `te.min` share theirs. Raises `RelaxError` for what has no derivative: scans,
    kernels, reducers of one's own.
    """
    found: dict[Tensor, list[Tensor]] = {}
    for output, head in zip(outputs, heads, strict=True):
        found.setdefault(output, []).append(head)
    depends = _depending(outputs, inputs)
    for stage in reversed(stages_of(outputs, inputs)):
        given = {o: _sum(found.pop(o), o) for o in stage.outputs if o in found}
        if given:
            for tensor, gradient in _through(stage, given, depends):
                found.setdefault(tensor, []).append(gradient)
    return [_sum(found[i], i) if i in found else None for i in inputs]


def _depending(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> set[Tensor]:
    """The tensors of floats that depend on inputs, and these."""
    found = {i for i in inputs if kind(i.dtype) == "float"}
    for stage in stages_of(outputs, inputs):
        if any(t in found for t in stage.reads):
            found.update(o for o in stage.outputs if kind(o.dtype) == "float")
    return found


def _sum(tensors: Sequence[Tensor], like: Tensor) -> Tensor:
    if len(tensors) == 1:
        return tensors[0]
    return compute(like.shape, lambda *i: reduce(add, (t[i] for t in tensors)), f"d_{like.name}")


def _through(
    stage: Stage, given: dict[Tensor, Tensor], depends: set[Tensor]
) -> list[tuple[Tensor, Tensor]]:
    """What the tensors that a stage reads get of the cotangents of its outputs."""
    match stage:
        case ComputeStage():
            return _through_compute(stage, given, depends)
        case ReshapeStage(source=source):
            (head,) = given.values()
            return [(source, reshape(head, source.shape, f"d_{source.name}"))]
        case PadStage(source=source, before=before):
            (head,) = given.values()
            inside = compute(
                source.shape,
                lambda *i: head[tuple(at + b for at, b in zip(i, before))],
                f"d_{source.name}",
            )
            return [(source, inside)]
        case _:
            names = ", ".join(o.name for o in stage.outputs)
            what = type(stage).__name__.removesuffix("Stage").lower()
            raise RelaxError(
                f"te.gradient: expected stages of te.compute, te.pad and te.reshape, found '{names}' "
                f"made by te.{what}; write its gradient apart"
            )


def _through_compute(
    stage: ComputeStage, given: dict[Tensor, Tensor], depends: set[Tensor]
) -> list[tuple[Tensor, Tensor]]:
    found: list[tuple[Tensor, Tensor]] = []
    for output, body in zip(stage.outputs, stage.bodies):
        if output in given:
            head = given[output][stage.axes]
            if isinstance(body, Reduce):
                body, head = _of_element(stage, body.reduction, output, head)
            for each in contributions(body, head, depends.__contains__):
                found.append((each.load.tensor, _placed(stage, each)))
    return found


def _of_element(
    stage: ComputeStage, reduction: Reduction, output: Tensor, head: Scalar
) -> tuple[Scalar, Scalar]:
    """The element that is reduced, and its cotangent by that of the result."""
    (source, *more), name = reduction.sources, reduction.name
    if more or reduction.running or name not in ("sum", "max", "min", "prod"):
        what = f"te.scan of te.{name}" if reduction.running else f"te.{name}"
        raise RelaxError(
            f"te.gradient: expected te.sum, te.prod, te.max or te.min, found {what} in '{output.name}'; "
            "write its gradient apart"
        )
    if name == "sum":
        return source, head
    if name in ("max", "min"):
        chosen = f.equal(source, output[stage.axes])
        ties = _reduced(stage, reducers.sum, f.select(chosen, const(1, source.dtype), 0), "ties")
        return source, f.select(chosen, head / ties[stage.axes], 0)
    one = const(1, source.dtype)
    is_zero = f.equal(source, 0)
    others = _reduced(stage, reducers.prod, f.select(is_zero, one, source), "others")[stage.axes]
    zeros = _reduced(stage, reducers.sum, f.select(is_zero, one, 0), "zeros")[stage.axes]
    alone = f.select(is_zero & f.equal(zeros, 1), others, 0)
    rest = f.select(f.equal(zeros, 0), others / f.select(is_zero, one, source), alone)
    return source, head * rest


def _reduced(stage: ComputeStage, reducer: Any, source: Scalar, name: str) -> Tensor:
    """Another reduction over the same loops."""

    def element(*indices: IterVar) -> Any:
        axes = [reduce_axis((0, axis.extent), axis.name) for axis in stage.reduce_axes]
        renamed = dict(zip(stage.loops, (*indices, *axes)))
        return reducer(substituted(source, renamed), axis=axes)

    return compute([axis.extent for axis in stage.axes], element, name)


def _placed(stage: ComputeStage, each: Contribution) -> Tensor:
    """The sums of a contribution at the places that it is read from."""
    load, name = each.load, f"d_{each.load.tensor.name}"
    places = _bare(load)
    if places is None:
        return _scattered(stage, each, name)
    used = {place for place in places if place is not None}
    rest = [axis for axis in stage.loops if axis not in used]

    def element(*indices: IterVar) -> Any:
        axes = [reduce_axis((0, axis.extent), axis.name) for axis in rest]
        renamed = dict(zip(rest, axes))
        renamed |= {place: i for place, i in zip(places, indices) if place is not None}
        value = substituted(each.value, renamed)
        return reducers.sum(value, axis=axes) if axes else value

    return compute(load.tensor.shape, element, name)


def _bare(load: Load) -> list[IterVar | None] | None:
    """The index variables that an element is read at if each stands once, and runs over the whole axis;
    None for the one place of an axis of size 1."""
    places: list[IterVar | None] = []
    seen: set[IterVar] = set()
    for index, size in zip(load.operands, load.tensor.shape):
        if isinstance(index, Constant) and size.value == 1:
            places.append(None)
        elif isinstance(index, IterVar) and index.extent is size and index not in seen:
            places.append(index)
            seen.add(index)
        else:
            return None
    return places


def _scattered(stage: ComputeStage, each: Contribution, name: str) -> Tensor:
    """The same, added in the order of the loops."""
    load = each.load
    reads = list(dict.fromkeys((load.tensor, *stage.reads)))

    def kernel(ib: Any, inputs: Any, outputs: Any) -> None:
        out = outputs[0]
        ib.fill(out, 0)
        with ExitStack() as loops:
            running = {
                axis: loops.enter_context(ib.for_(axis.extent, name=axis.name))
                for axis in stage.loops
            }
            for guard in each.guards:
                loops.enter_context(ib.if_(substituted(guard, running)))
            at = tuple(substituted(index, running) for index in load.operands)
            out[at] = out[at] + substituted(each.cotangent, running)

    return extern(load.tensor.shape, reads, kernel, load.tensor.dtype, name)
