"""`te.gradient`: the gradients of tensor expressions, as tensor expressions.

The stages are visited from the outputs to the inputs. Each element that a stage reads receives a
contribution of the cotangent (`derivatives.py`), and contributions accumulate at the elements read
(`cotangent_placement.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.te import intrinsics as f
from relax_dialect.te import reducers
from relax_dialect.te.adjoint.cotangent_placement import placed
from relax_dialect.te.adjoint.derivatives import contributions, substituted
from relax_dialect.te.assemble import AssembledStage, Part
from relax_dialect.te.compute import compute, reduce_axis
from relax_dialect.te.dtypes import I64, kind
from relax_dialect.te.emit.generic import ComputeStage
from relax_dialect.te.pad import PadStage
from relax_dialect.te.reduction import Reduction
from relax_dialect.te.reshape import ReshapeStage, reshape
from relax_dialect.te.scalar import Choice, Element, IterVar, Reduce, Scalar, as_scalar, const
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Load, Stage, Tensor

EXTREMES = {
    each.name: each for each in (reducers.max, reducers.min, reducers.nanmax, reducers.nanmin)
}
"""The reducers that take an extreme."""


def gradient(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], heads: Sequence[Tensor]
) -> list[Tensor | None]:
    """Return the gradients of inputs for the cotangents of outputs; None for an unused input.

    A cotangent has the shape and the element type of its output, a gradient those of its input. Equal
    extremes share their gradient; a custom selecting reducer, such as an argmax, passes it to the element
    it selects. Raises `RelaxError` for stages without a derivative: kernels, recurrences, scans other than
    sums, other custom reducers.
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
    """Return the tensors of floats that depend on inputs, and these."""
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
    """Return the contributions of a stage's output cotangents to the tensors it reads."""
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
        case AssembledStage(parts=parts):
            (head,) = given.values()
            return [found for each in parts for found in _through_part(each, head, depends)]
        case _:
            names = ", ".join(o.name for o in stage.outputs)
            what = type(stage).__name__.removesuffix("Stage").lower()
            raise RelaxError(
                f"te.gradient: expected stages of te.compute, te.pad, te.reshape and te.assemble, found "
                f"'{names}' made by te.{what}; write its gradient apart"
            )


def _through_part(part: Part, head: Tensor, depends: set[Tensor]) -> list[tuple[Tensor, Tensor]]:
    """Return the contribution of the whole's cotangent to the source of a part."""
    source = part.source
    if not isinstance(source, Tensor):
        return []
    own = compute(
        part.shape,
        lambda *i: head[tuple(at + place for at, place in zip(i, part.at))],
        f"d_{source.name}",
    )
    if part.is_whole:
        return [(source, own)]
    taken = compute(
        part.shape,
        lambda *i: source[tuple(a * d + b for a, d, b in zip(i, part.steps, part.start))],
        source.name,
    )
    return _through_compute(taken.stage, {taken: own}, depends)


def _through_compute(
    stage: ComputeStage, given: dict[Tensor, Tensor], depends: set[Tensor]
) -> list[tuple[Tensor, Tensor]]:
    found: list[tuple[Tensor, Tensor]] = []
    for output, body in zip(stage.outputs, stage.bodies):
        if output in given:
            head = given[output][stage.axes]
            if isinstance(body, Reduce):
                body, head = _of_element(stage, body, output, head)
            for each in contributions(body, head, depends.__contains__):
                found.append((each.load.tensor, placed(stage, each)))
    return found


def _of_element(
    stage: ComputeStage, body: Reduce, output: Tensor, head: Scalar
) -> tuple[Scalar, Scalar]:
    """Return the element that is reduced, and its cotangent by that of the result."""
    reduction: Reduction = body.reduction
    (source, *more), name = reduction.sources, reduction.name
    if reduction.running and name == "sum" and not more:
        return source, _run_back(stage, reduction, head)
    if not reduction.running and (chosen := _chosen(stage, body)) is not None:
        source, is_chosen = chosen
        return source, f.select(is_chosen, head, 0)
    if more or reduction.running or name not in ("sum", "prod", *EXTREMES):
        what = f"te.scan of te.{name}" if reduction.running else f"te.{name}"
        raise RelaxError(
            "te.gradient: expected te.sum, te.prod, an extreme or a reducer that selects, found "
            f"{what} in '{output.name}'; write its gradient apart"
        )
    if name == "sum":
        return source, head
    held, one = _stored(stage, source), const(1, source.dtype)
    if name in EXTREMES:
        extreme = output if held is source else _reduced(stage, EXTREMES[name], held, name)
        chosen = f.equal(held, extreme[stage.axes])
        ties = _reduced(stage, reducers.sum, f.select(chosen, one, 0), "ties")
        return source, f.select(chosen, head / ties[stage.axes], 0)
    is_zero = f.equal(held, 0)
    others = _reduced(stage, reducers.prod, f.select(is_zero, one, held), "others")[stage.axes]
    zeros = _reduced(stage, reducers.sum, f.select(is_zero, one, 0), "zeros")[stage.axes]
    alone = f.select(is_zero & f.equal(zeros, 1), others, 0)
    rest = f.select(f.equal(zeros, 0), others / f.select(is_zero, one, held), alone)
    return source, head * rest


def _chosen(stage: ComputeStage, body: Reduce) -> tuple[Scalar, Scalar] | None:
    """Return the element that a selecting reducer, such as an argmax, may take, and whether it is taken:
    the same reducer computes its index."""
    reduction, index = body.reduction, body.index
    joined = reduction.joined[index]
    if not isinstance(joined, Choice):
        return None
    condition, *either = joined.operands
    pair = [reduction.accumulated[index], reduction.elements[index]]
    if {id(node) for node in either} != {id(node) for node in pair}:
        return None
    number = const(0, I64)
    for axis in reduction.axes:
        number = number * as_scalar(axis.extent, I64) + axis.astype(I64)
    before, element = Element(I64, "an accumulator"), Element(I64, "an element")
    first, second = (before if node is pair[0] else element for node in either)
    telling = replace(
        reduction,
        sources=(*reduction.sources, number),
        start=(*reduction.start, const(-1, I64)),
        accumulated=(*reduction.accumulated, before),
        elements=(*reduction.elements, element),
        joined=(*reduction.joined, Choice((condition, first, second), joined.lazy)),
    )
    made = ComputeStage(stage.axes, (Reduce(telling, len(telling.sources) - 1),))
    numbers = made.produce(tuple(axis.extent for axis in stage.axes), I64, "chosen")
    return reduction.sources[index], f.equal(number, numbers[stage.axes])


def _run_back(stage: ComputeStage, reduction: Reduction, head: Scalar) -> Scalar:
    """Return the cotangent of each element of a running sum: the sum of the cotangents of all sums it is
    part of, a running sum from the end."""
    (axis,) = reduction.axes
    mirrored = [axis.extent - 1 - a if a is axis else a for a in stage.axes]

    def total(*indices: IterVar) -> Any:
        renamed: dict[Any, Any] = dict(zip(stage.axes, indices))
        along = renamed[axis]
        renamed[axis] = axis.extent - 1 - along
        return reducers.scan(reducers.sum, substituted(head, renamed), along, reduction.exclusive)

    sums = compute([a.extent for a in stage.axes], total, "from_the_end")
    return sums[tuple(mirrored)]


def _stored(stage: ComputeStage, source: Scalar) -> Scalar:
    """Return an expression as an element of a tensor: an expression computed twice may be rounded in two
    ways, and would not be equal to itself."""
    if isinstance(source, Load):
        return source

    def element(*indices: IterVar) -> Scalar:
        return substituted(source, dict(zip(stage.loops, indices)))

    return compute([axis.extent for axis in stage.loops], element, "elements")[stage.loops]


def _reduced(stage: ComputeStage, reducer: Any, source: Scalar, name: str) -> Tensor:
    """Return another reduction over the same loops."""

    def element(*indices: IterVar) -> Any:
        axes = [reduce_axis((0, axis.extent), axis.name) for axis in stage.reduce_axes]
        renamed = dict(zip(stage.loops, (*indices, *axes)))
        return reducer(substituted(source, renamed), axis=axes)

    return compute([axis.extent for axis in stage.axes], element, name)
