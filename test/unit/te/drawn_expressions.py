"""Random tensor expressions: reads at sums of loops, guards and reductions of every kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from relax_dialect import te

REDUCTIONS = ("sum", "sum", "max", "min", "prod", "first", "scan")


@dataclass
class Place:
    """An index: multiples of loops, and a constant."""

    factors: dict[int, int]
    constant: int

    def at(self, loops: Sequence[te.Scalar]) -> te.Scalar:
        found = te.const(self.constant, "index")
        for loop, factor in self.factors.items():
            found = found + loops[loop] * factor
        return found


def first(source: te.Scalar, axes: Sequence[te.IterVar]) -> te.Scalar:
    """The value of the first of the largest, by a reducer of pairs."""

    def larger(x: Any, y: Any) -> Any:
        return tuple(te.select(x[1] >= y[1], p, q) for p, q in zip(x, y))

    reducer = te.comm_reducer(larger, lambda i, v: (-1, te.min_value(v)), "first")
    return reducer((axes[0].astype("i64"), source), axis=axes)[1]


def drawn(seed: int) -> tuple[Callable[..., te.Tensor], list[tuple[int, ...]]]:
    """A function of one or two tensors of f64, and their shapes."""
    draw = random.Random(seed)
    extents = [draw.randint(1, 4) for _ in range(draw.randint(1, 3))]
    kept = draw.randint(1, len(extents))
    places: list[list[Place]] = []
    shapes: list[tuple[int, ...]] = []
    for _ in range(draw.randint(1, 2)):
        place, shape = [], []
        for _ in range(draw.randint(1, 2)):
            loops = draw.sample(range(len(extents)), draw.randint(0, min(2, len(extents))))
            factors = {loop: draw.choice([-2, -1, 1, 1, 1, 2, 3]) for loop in loops}
            reach = [factor * (extents[loop] - 1) for loop, factor in factors.items()]
            constant = draw.choice([0, 0, 1]) - sum(min(end, 0) for end in reach)
            last = constant + sum(max(end, 0) for end in reach)
            place.append(Place(factors, constant))
            shape.append(last + draw.choice([1, 1, 2]))
        places.append(place)
        shapes.append(tuple(shape))
    kind = draw.choice(REDUCTIONS)
    guard = draw.choice([None, (draw.randrange(len(extents)), draw.randint(0, 3))])
    exclusive = draw.random() < 0.5

    def function(*tensors: te.Tensor) -> te.Tensor:
        axes = [te.reduce_axis((0, extent)) for extent in extents[kept:]]

        def element(*indices: te.IterVar) -> Any:
            loops = [*indices, *axes]
            read = [t[tuple(p.at(loops) for p in own)] for t, own in zip(tensors, places)]
            value = te.sin(read[0]) * read[-1] + read[0] * read[0] * 0.3
            if guard is not None:
                value = te.if_then_else(loops[guard[0]] < guard[1], value, te.const(0.25, "f64"))
            if not axes:
                running = kind == "scan"
                return te.scan(te.sum, value, indices[0], exclusive) if running else value
            if kind == "first":
                return first(value, axes)
            return getattr(te, "sum" if kind == "scan" else kind)(value, axis=axes)

        return te.compute(extents[:kept], element)

    return function, shapes
