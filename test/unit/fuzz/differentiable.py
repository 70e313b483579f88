"""Random functions of floats, to be differentiated.

They have branches, loops, calls, recursion, closures, tuples, integers and sizes that are found at run time;
their operators keep values small, so that derivatives are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import FuncType, TensorType, tuple_type

ROW, NUMBER, COUNT = TensorType(["n"], "f64"), TensorType([], "f64"), TensorType([], "i64")
PARAMETERS = {"k": COUNT, "x": ROW, "w": ROW, "s": NUMBER}
PAIR, NESTED = tuple_type([ROW, NUMBER]), tuple_type([ROW, tuple_type([NUMBER, COUNT])])
ON_ROWS = FuncType([ROW], ROW)


def grid(x: Any, y: Any) -> Any:
    """The products of all elements of two rows."""
    return op.tanh(op.expand_dims(x, [1]) * op.expand_dims(y, [0]))


UNARY: Sequence[Callable[[Any], Any]] = (
    op.sin,
    op.cos,
    op.tanh,
    op.sigmoid,
    op.negative,
    lambda x: op.exp(op.tanh(x)),
    lambda x: op.sqrt(op.square(x) + 1.0),
    lambda x: op.log(op.square(x) + 0.5),
    lambda x: op.cumsum(x, axis=0) if x.type == ROW else x,
    lambda x: op.flip(x, 0) if x.type == ROW else op.square(x),
    lambda x: op.sort(x, 0) if x.type == ROW else x,
    lambda x: op.astype(op.astype(x * 8.0, "i32"), "f64") * 0.1 + x,
    lambda x: op.where(op.greater(x, 0.0), op.sin(x), x * 0.5),
    lambda x: op.sum(grid(x, op.cos(x)), [1]) if x.type == ROW else x,
    lambda x: op.take(x, op.argsort(x, 0), 0) if x.type == ROW else x,
    lambda x: op.reshape(op.expand_dims(x, [1]), [-1]) if x.type == ROW else x,
)
BINARY: Sequence[Callable[[Any, Any], Any]] = (
    op.add,
    op.subtract,
    op.multiply,
    lambda x, y: op.divide(x, op.square(y) + 1.0),
    lambda x, y: op.maximum(op.sin(x), op.cos(y)),
    lambda x, y: op.where(op.less(x, y), op.sin(x), y),
    lambda x, y: op.matmul(grid(x, x), y) * 0.2 if y.type == x.type == ROW else x - y,
    lambda x, y: op.max(grid(x, y), [0]) if y.type == x.type == ROW else y * x,
)
REDUCTIONS: Sequence[Callable[[Any], Any]] = (
    op.mean,
    op.max,
    lambda x: op.sum(op.softmax(x, 0) * x),
    lambda x: op.sum(x) * 0.2,
    lambda x: op.reduce_l2(op.concat([x, op.cos(x), op.cos(op.sum(x, keepdims=True))], 0)),
)


class Generator:
    """Emits random code of values that are rows or numbers, each kept below a few units."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.builder = BlockBuilder()
        self.functions: list[tuple[str, Any]] = []
        """The functions that may be called, and what they give."""
        self.sizes = 0

    def module(self) -> ModuleOp:
        for number in range(self.rng.choice((0, 1, 2))):
            kind = self.rng.choice((self.function, self.function, self.mutual, self.higher_order))
            kind(f"f{number}")
        b = self.builder
        has_tuple = self.rng.random() < 0.3
        parameters = {"k": COUNT, "x": ROW, "p": NESTED} if has_tuple else PARAMETERS
        with b.function("main", parameters) as (k, x, *rest):
            w, s = (rest[0][0], rest[0][1][0]) if has_tuple else rest
            row = self.code(k, [x, b.emit(w)], [b.emit(s)], 0, self.rng.randrange(3, 8))
            loss = b.emit(op.sum(row))
            b.emit_func_output(loss if self.rng.random() < 0.7 else [row, loss])
        return b.get()

    def result(self, kind: Any, row: Any, s: Any, k: Any) -> Any:
        """What a function gives: a row, or a tuple with one."""
        b = self.builder
        if kind == ROW:
            return row
        number = b.emit(op.sum(row) * 0.2 + s)
        return b.emit((row, number)) if kind == PAIR else b.emit((row, b.emit((number, k))))

    def taken(self, kind: Any, found: Any) -> list[Any]:
        """The row, and the number if there is one, of what a function gives."""
        if kind == ROW:
            return [found]
        return list(map(self.builder.emit, (found[0], found[1] if kind == PAIR else found[1][0])))

    def function(self, name: str) -> None:
        """A function of k, x, w and s: a plain one, or one that calls itself with k - 1."""
        b, kind = self.builder, self.rng.choice((ROW, ROW, PAIR, NESTED))

        def body(k: Any, x: Any, w: Any, s: Any, more: Sequence[Any] = ()) -> Any:
            row = self.code(k, [x, w, *more], [s], 1, self.rng.randrange(1, 4))
            return self.result(kind, row, s, k)

        with b.function(name, PARAMETERS, ret_type=kind, private=True) as (k, x, w, s):
            if self.rng.random() < 0.5:

                def again() -> Any:
                    found = b.call(name, b.emit(k - 1), self.row([x, w], [s]), w, s)
                    return body(k, x, w, s, self.taken(kind, found)[:1])

                end = self.result(kind, x, s, k)
                b.emit_func_output(b.if_(b.emit(k <= 0), lambda: end, again))
            else:
                b.emit_func_output(body(k, x, w, s))
        self.functions.append((name, kind))

    def mutual(self, name: str) -> None:
        """Two functions that call each other with k - 1."""
        b, other = self.builder, f"{name}_other"
        for own, next in ((name, other), (other, name)):
            with b.function(own, PARAMETERS, ret_type=ROW, private=True) as (k, x, w, s):

                def again(k: Any = k, x: Any = x, w: Any = w, s: Any = s, next: str = next) -> Any:
                    moved = self.row([x, w], [s])
                    found = b.call(next, b.emit(k - 1), moved, w, s, result_type=ROW)
                    return self.code(k, [x, w, found], [s], 2, 2)

                b.emit_func_output(b.if_(b.emit(k <= 0), lambda x=x: x, again))
        self.functions.append((name, ROW))

    def higher_order(self, name: str) -> None:
        """A function that calls the function that it is given; it is called with a closure."""
        b = self.builder
        with b.function(f"{name}_on", {"g": ON_ROWS, **PARAMETERS}, private=True) as (
            g,
            k,
            x,
            w,
            s,
        ):
            twice = self.rng.random() < 0.5
            found = b.call(g, x)
            b.emit_func_output(self.row([b.call(g, found) if twice else found, w], [s]))
        with b.function(name, PARAMETERS, ret_type=ROW, private=True) as (k, x, w, s):
            made = b.closure({"y": ROW}, lambda y: self.code(k, [x, y], [s], 2, 2))
            b.emit_func_output(b.call(f"{name}_on", made, k, x, w, s))
        self.functions.append((name, ROW))

    def row(self, rows: Sequence[Any], numbers: Sequence[Any]) -> Any:
        """A row made of one or two values."""
        x = self.rng.choice(rows)
        if self.rng.random() < 0.5:
            return self.builder.emit(self.rng.choice(UNARY)(x))
        y = self.rng.choice([*rows, *numbers])
        return self.builder.emit(op.tanh(self.rng.choice(BINARY)(x, y)))

    def number(self, rows: Sequence[Any], numbers: Sequence[Any]) -> Any:
        """A number made of a row, or of two numbers."""
        if self.rng.random() < 0.5:
            return self.builder.emit(self.rng.choice(REDUCTIONS)(self.rng.choice(rows)))
        pair = self.rng.choice(numbers), self.rng.choice(numbers)
        return self.builder.emit(op.tanh(self.rng.choice(BINARY)(*pair)))

    def code(
        self, k: Any, rows: Sequence[Any], numbers: Sequence[Any], depth: int, ops: int
    ) -> Any:
        """So many steps after each other; gives the last row."""
        rows, numbers = list(rows), list(numbers)
        steps: list[Callable[..., None]] = [self.straight] * 3
        if depth < 3:
            steps += [self.branch, self.loop, self.cast, self.block, self.closure]
            steps += [self.call] * (2 if self.functions else 0)
        for _ in range(ops):
            self.rng.choice(steps)(k, rows, numbers, depth)
        return rows[-1]

    def straight(self, _k: Any, rows: list[Any], numbers: list[Any], _depth: int) -> None:
        rows.append(self.row(rows, numbers))
        if self.rng.random() < 0.4:
            numbers.append(self.number(rows, numbers))

    def branch(self, k: Any, rows: list[Any], numbers: list[Any], depth: int) -> None:
        b = self.builder
        test = self.rng.choice(
            (
                lambda: b.emit(op.floor_mod(k, 2) == 0),
                lambda: b.emit(op.less(self.rng.choice(numbers), 0.2)),
                lambda: b.emit(k > 1),
            )
        )()

        def one() -> Any:
            return self.code(k, rows, numbers, depth + 1, self.rng.randrange(0, 3))

        rows.append(b.if_(test, one, one))

    def loop(self, k: Any, rows: list[Any], numbers: list[Any], depth: int) -> None:
        b, start = self.builder, [self.rng.choice(rows), self.rng.choice(numbers)]
        end = k if self.rng.random() < 0.7 else b.emit(np.array(self.rng.choice((0, 1, 3))))

        def turn(i: Any, y: Any, s: Any, *collected: Any) -> Any:
            row = self.code(i, [*rows, y], [*numbers, s], depth + 1, self.rng.randrange(1, 3))
            kept = self.rng.random() < 0.3
            longer = [joined(each, row) for each in collected]
            number = s if kept else self.number([*rows, row], [*numbers, s])
            return b.emit(i + 1), row, number, *longer

        def joined(known: Any, row: Any) -> Any:
            parts = [known, op.expand_dims(op.sin(row), [0])]
            return b.emit(op.concat(parts[::way], axis=0))

        def test(i: Any, _y: Any, s: Any, *_collected: Any) -> Any:
            go_on = b.emit(i < end)
            return b.emit(op.logical_and(go_on, op.less(s, 0.9))) if by_value else go_on

        by_value = self.rng.random() < 0.2
        zero = b.emit(np.array(0))
        types, way = [COUNT, ROW, NUMBER], self.rng.choice((1, -1))
        if self.rng.random() < 0.3:
            types.append(TensorType([None, "n"], "f64"))
            start.append(b.emit(op.expand_dims(start[0], [0])))
        _, y, s, *collected = b.while_(test, turn, zero, *start, types=types)
        rows.extend([*(b.emit(op.sin(op.sum(each, [0]))) for each in collected), y])
        numbers.append(s)

    def call(self, k: Any, rows: list[Any], numbers: list[Any], _depth: int) -> None:
        name, kind = self.rng.choice(self.functions)
        chosen = self.rng.choice(rows), self.rng.choice(rows), self.rng.choice(numbers)
        row, *number = self.taken(kind, self.builder.call(name, k, *chosen))
        rows.append(row)
        numbers.extend(number)

    def cast(self, _k: Any, rows: list[Any], _numbers: list[Any], _depth: int) -> None:
        """Two rows joined, a part of them taken out: its size is found at run time."""
        b = self.builder
        self.sizes += 1
        joined = b.emit(op.concat([self.rng.choice(rows), self.rng.choice(rows)], axis=0))
        size = f"m{self.sizes}"
        named = b.match_cast(joined, TensorType([size], "f64"))
        if self.rng.random() < 0.3:
            b.match_shape(named, [f"{size}_again"])
            named = b.match_cast(named, TensorType([f"{size}_again"], "f64"))
        moved = b.emit(op.sin(named) * named)
        start = self.rng.choice((0, 1))
        part = b.emit(op.strided_slice(moved, [0], [start], [1 << 40], [2]))
        rows.append(b.match_cast(part, ROW))

    def block(self, _k: Any, rows: list[Any], numbers: list[Any], _depth: int) -> None:
        kind = self.builder.dataflow if self.rng.random() < 0.5 else self.builder.graph
        with kind():
            row = self.row([*rows, self.row(rows, numbers)], numbers)
            rows.append(self.builder.emit_output(row))

    def closure(self, k: Any, rows: list[Any], numbers: list[Any], depth: int) -> None:
        """A function value that captures what is there, called here or in a loop."""
        b = self.builder
        made = b.closure(
            {"y": ROW},
            lambda y: self.code(k, [*rows, y], numbers, depth + 1, self.rng.choice((1, 2))),
        )
        if self.rng.random() < 0.3:
            other = b.closure({"y": ROW}, lambda y: self.row([*rows, y], numbers))
            made = b.if_(b.emit(k > 1), lambda: made, lambda: other)
        elif self.rng.random() < 0.3:
            outer = b.closure(
                {"s": NUMBER},
                lambda s: b.closure({"y": ROW}, lambda y: self.row([*rows, b.call(made, y)], [s])),
            )
            made = b.call(outer, self.rng.choice(numbers))
        rows.append(b.call(made, self.rng.choice(rows)))
        if self.rng.random() < 0.5:
            rows.append(b.call(made, rows[-1]))
