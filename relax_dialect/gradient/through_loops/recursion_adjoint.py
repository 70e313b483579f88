"""Reverse mode through a function with a single recursive call: four loops of n iterations for n calls.

    f(x, k) = after(x, k, f(next(x, k))) if goes_on(x, k) else end(x, k)

    down:   x[i + 1], k[i + 1] = next(x[i], k[i]) while goes_on(x[i], k[i])       the arguments of all calls
    up:     y[n] = end(x[n], k[n]), y[i] = after(x[i], k[i], y[i + 1])            their results
    out in: gx[i], gy[i + 1] from gy[i]    through after                          from the first call
    in out: gx[i] += vjp of gx[i + 1]      through next                           from the last one

Arguments and results are the rows of tapes that grow in place. An argument passed unchanged to all calls
has one gradient, which is summed up. The last loop exists if arguments of floats change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import Path, field, leaves, tensor_at, tensors
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.gradient.through_loops.linear_recursion import LinearRecursion
from relax_dialect.gradient.through_loops.recording import of_same_sizes, recorded


class Pullbacks(Protocol):
    """A provider of the gradients of the parts."""

    def gradients(
        self, name: str, wanted: Sequence[int], arguments: Sequence[Value], seeds: Sequence[Value]
    ) -> Sequence[Value]:
        """Return the gradients of all float tensors in some arguments of a function, by cotangents of
        its result."""
        ...


@dataclass
class RecursionAdjoint:
    """The backward pass through a function with a single recursive call."""

    sweep: Sweep
    pullbacks: Pullbacks
    linear: LinearRecursion
    varied: Sequence[int]
    """The numbers of the parameters that gradients go to, or through."""
    arguments: Sequence[Value]
    """The arguments of the first call."""

    def __post_init__(self) -> None:
        self.builder = self.sweep.builder
        self.zero = self.builder.emit(np.zeros((), np.int64))
        self.changing = self.linear.changing
        self.moving = [i for i in self.changing if i in self.varied]
        """The changing arguments that have gradients."""
        self.fixed = [
            (i, path)
            for i in self.varied
            if i not in self.changing
            for path, _ in leaves(self.arguments[i].type)
        ]
        """The tensors with gradients in arguments passed unchanged to all calls."""

    def gradients(self, seeds: Sequence[Value]) -> Mapping[tuple[int, Path], Value]:
        """Return the gradients of the tensors in the varied arguments, by cotangents of the result."""
        turns, arguments = self._down()
        results = self._up(turns, arguments)
        start = [*seeds, *map(self._zeros, self._places(self.arguments))]
        of_results, direct, sums = self._out_in(turns, arguments, results, start)
        last = self._at(arguments, turns)
        found = self.pullbacks.gradients(self.linear.end, self.varied, last, of_results)
        moved, sums = self._split(found, sums)
        if self.moving:
            moved, sums = self._in_out(turns, arguments, direct, moved, sums)
        return dict(zip([(i, ()) for i in self.moving], moved)) | dict(zip(self.fixed, sums))

    # Forward ---------------------------------------------------------------------------------

    def _down(self) -> tuple[Value, Mapping[int, Value]]:
        """Return the number of calls after the first, and the changing arguments of all calls, as rows."""
        inits = [self.arguments[i] for i in self.changing]
        types = [value.type for value in inits]

        def goes_on(*state: Value) -> Any:
            return self.builder.call(self.linear.goes_on, *self._with(state))

        def turn(*state: Value) -> Sequence[Any]:
            found = self.builder.call(self.linear.next, *self._with(state))
            return [*(found[i] for i in range(len(inits))), state[-1] + 1]

        results, rows = recorded(
            self.sweep,
            {i: tensor_at(type, ()) for i, type in enumerate(types)},
            goes_on,
            turn,
            [*inits, self.zero],
            [*types, self.zero.type],
        )
        return results[-1], {n: self.sweep.named(rows[i], 0) for i, n in enumerate(self.changing)}

    def _up(self, turns: Value, arguments: Mapping[int, Value]) -> Sequence[Value]:
        """Return the results of the calls, from the last to the second, as rows for each tensor in them."""
        last = self.builder.call(self.linear.end, *self._at(arguments, turns))
        inits = self._flat(last)
        types = [type for _, type in tensors(self.linear.result)]

        def turn(left: Value, *found: Value) -> Sequence[Any]:
            number = self.builder.emit(left - 1)
            given = [*self._at(arguments, number), self._whole(found)]
            return [number, *self._flat(self.builder.call(self.linear.after, *given))]

        _, rows = recorded(
            self.sweep,
            {i + 1: type for i, type in enumerate(types)},
            lambda left, *_: left > 1,
            turn,
            [turns, *inits],
            [turns.type, *types],
        )
        return [self.sweep.named(each, 0) for each in rows.values()]

    # Back ------------------------------------------------------------------------------------

    def _out_in(
        self,
        turns: Value,
        arguments: Mapping[int, Value],
        results: Sequence[Value],
        start: Sequence[Value],
    ) -> tuple[Sequence[Value], Sequence[Value], Sequence[Value]]:
        """Return the cotangents of the result of the last call, as rows below one of zeros the direct
        gradients of each call's changing arguments through `after`, and the sums of the others."""
        wanted = [*self.varied, len(self.arguments)]
        count = len(start) - len(self.moving) - len(self.fixed)

        def turn(number: Value, *state: Value) -> Sequence[Any]:
            row = self.builder.emit(turns - 1 - number)
            found = self._whole([self.builder.emit(op.take(r, row, axis=0)) for r in results])
            given = [*self._at(arguments, number), found]
            gradients = self.pullbacks.gradients(self.linear.after, wanted, given, state[:count])
            moved, sums = self._split(gradients, state[count + len(self.moving) :])
            return [number + 1, *gradients[len(gradients) - count :], *moved, *sums]

        places = range(1 + count, 1 + count + len(self.moving))
        state = [self.zero, *map(self.sweep.with_names, start)]
        types = [value.type for value in state]
        found, rows = recorded(
            self.sweep,
            {i: tensor_at(types[i], ()) for i in places},
            lambda number, *_: number < turns,
            of_same_sizes(self.sweep, turn, types),
            state,
            types,
        )
        return (
            found[1 : 1 + count],
            [self.sweep.named(each, 0) for each in rows.values()],
            found[1 + count + len(self.moving) :],
        )

    def _in_out(
        self,
        turns: Value,
        arguments: Mapping[int, Value],
        direct: Sequence[Value],
        moved: Sequence[Value],
        sums: Sequence[Value],
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        """Return the gradients of the arguments of the first call, from those of the last."""

        def turn(left: Value, *state: Value) -> Sequence[Any]:
            number = self.builder.emit(left - 1)
            given, seeds = self._at(arguments, number), state[: len(moved)]
            found = self.pullbacks.gradients(self.linear.next, self.varied, given, seeds)
            through, others = self._split(found, state[len(moved) :])
            own = (op.take(rows, left, axis=0) for rows in direct)
            return [number, *(a + b for a, b in zip(own, through)), *others]

        state = [turns, *map(self.sweep.with_names, [*moved, *sums])]
        types = [value.type for value in state]
        turn = of_same_sizes(self.sweep, turn, types)
        found = self.builder.while_(lambda left, *_: left > 0, turn, *state, types=types)
        return found[1 : 1 + len(moved)], found[1 + len(moved) :]

    # Values ----------------------------------------------------------------------------------

    def _split(
        self, found: Sequence[Value], sums: Sequence[Value]
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        """Split gradients of the arguments into those of changing arguments, and sums with the others."""
        by_place = dict(zip(self._places_of_varied(), found))
        moved = [by_place[i, ()] for i in self.moving]
        return moved, [
            self.builder.emit(known + by_place[place]) for known, place in zip(sums, self.fixed)
        ]

    def _places_of_varied(self) -> Sequence[tuple[int, Path]]:
        return [(i, p) for i in self.varied for p, _ in leaves(self.arguments[i].type)]

    def _places(self, values: Sequence[Value]) -> Sequence[Value]:
        """Return the tensors that have gradients, changing ones first."""
        places = [*((i, ()) for i in self.moving), *self.fixed]
        return [self.builder.emit(field(values[i], path)) for i, path in places]

    def _zeros(self, like: Value) -> Value:
        return self.builder.emit(op.zeros_like(like))

    def _with(self, changed: Sequence[Value]) -> Sequence[Value]:
        """Return the arguments of a call."""
        by_number = dict(zip(self.changing, changed))
        return [by_number.get(i, value) for i, value in enumerate(self.arguments)]

    def _at(self, rows: Mapping[int, Value], number: Value) -> Sequence[Value]:
        """Return the arguments of the call of some number."""
        return self._with(
            [self.builder.emit(op.take(rows[i], number, axis=0)) for i in self.changing]
        )

    def _flat(self, value: Value) -> list[Value]:
        """Return the tensors in the result of a call."""
        return [self.builder.emit(field(value, path)) for path, _ in tensors(self.linear.result)]

    def _whole(self, parts: Sequence[Value]) -> Value:
        """Build the result of a call from the tensors in it."""
        left = list(parts)

        def built(type: Attribute) -> Value:
            if isinstance(type, TupleType):
                return self.builder.emit(tuple(built(each) for each in type.types.data))
            return left.pop(0)

        return built(self.linear.result)
