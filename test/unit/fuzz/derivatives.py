"""Random functions of floats against their gradients: differences, products forth and back, and C.

The functions have branches, loops, calls, recursion, closures, tuples and sizes that are found at run time;
their operators are smooth and keep values small, so that a difference of two values tells a derivative.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import gradient, jvp, vjp
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.parsing import parse, verify

from .cases import Fault

ROW, NUMBER, COUNT = TensorType(["n"], "f64"), TensorType([], "f64"), TensorType([], "i64")
PARAMETERS = {"k": COUNT, "x": ROW, "w": ROW, "s": NUMBER}
STEP = 1e-6
COMPILED = 0.1
"""How many of the programs are compiled too."""

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
)
BINARY: Sequence[Callable[[Any, Any], Any]] = (
    op.add,
    op.subtract,
    op.multiply,
    lambda x, y: op.divide(x, op.square(y) + 1.0),
    lambda x, y: op.maximum(op.sin(x), op.cos(y)),
)


class Generator:
    """Emits random code of values that are rows or numbers, each kept below a few units."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.builder = BlockBuilder()
        self.functions: list[tuple[str, bool]] = []
        """The functions that may be called, and whether they give a pair."""
        self.sizes = 0

    def module(self) -> ModuleOp:
        for number in range(self.rng.choice((0, 1, 2))):
            self.function(f"f{number}")
        with self.builder.function("main", PARAMETERS) as (k, x, w, s):
            row = self.code(k, [x, w], [s], 0, self.rng.randrange(3, 8))
            self.builder.emit_func_output(self.builder.emit(op.sum(row)))
        return self.builder.get()

    def function(self, name: str) -> None:
        """A function of k, x, w and s: a plain one, or one that calls itself with k - 1."""
        b, is_pair = self.builder, self.rng.random() < 0.3
        type = tuple_type([ROW, NUMBER]) if is_pair else ROW

        def body(k: Any, x: Any, w: Any, s: Any, more: Sequence[Any] = ()) -> Any:
            row = self.code(k, [x, w, *more], [s], 1, self.rng.randrange(1, 4))
            return b.emit((row, b.emit(op.mean(row) + s))) if is_pair else row

        with b.function(name, PARAMETERS, ret_type=type, private=True) as (k, x, w, s):
            if self.rng.random() < 0.5:

                def again() -> Any:
                    found = b.call(name, b.emit(k - 1), self.row([x, w], [s]), w, s)
                    return body(k, x, w, s, [b.emit(found[0]) if is_pair else found])

                end = b.emit((x, s)) if is_pair else x
                b.emit_func_output(b.if_(b.emit(k <= 0), lambda: end, again))
            else:
                b.emit_func_output(body(k, x, w, s))
        self.functions.append((name, is_pair))

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
            reduce = self.rng.choice((op.mean, op.max, lambda x: op.sum(op.softmax(x, 0) * x)))
            return self.builder.emit(reduce(self.rng.choice(rows)))
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

        def turn(i: Any, y: Any, s: Any) -> Any:
            row = self.code(i, [*rows, y], [*numbers, s], depth + 1, self.rng.randrange(1, 3))
            kept = self.rng.random() < 0.3
            return b.emit(i + 1), row, s if kept else self.number([*rows, row], [*numbers, s])

        zero = b.emit(np.array(0))
        types = [COUNT, ROW, NUMBER]
        _, y, s = b.while_(lambda i, *_: b.emit(i < end), turn, zero, *start, types=types)
        rows.append(y)
        numbers.append(s)

    def call(self, k: Any, rows: list[Any], numbers: list[Any], _depth: int) -> None:
        name, is_pair = self.rng.choice(self.functions)
        chosen = self.rng.choice(rows), self.rng.choice(rows), self.rng.choice(numbers)
        found = self.builder.call(name, k, *chosen)
        rows.append(self.builder.emit(found[0]) if is_pair else found)
        if is_pair:
            numbers.append(self.builder.emit(found[1]))

    def cast(self, _k: Any, rows: list[Any], _numbers: list[Any], _depth: int) -> None:
        """Two rows joined, a part of them taken out: its size is found at run time."""
        b = self.builder
        self.sizes += 1
        joined = b.emit(op.concat([self.rng.choice(rows), self.rng.choice(rows)], axis=0))
        named = b.match_cast(joined, TensorType([f"m{self.sizes}"], "f64"))
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
        rows.append(b.call(made, self.rng.choice(rows)))
        if self.rng.random() < 0.5:
            rows.append(b.call(made, rows[-1]))


def check(text: str, rng: random.Random, compiled: float = COMPILED) -> bool:
    """Whether a program has a value; its derivatives are the same by differences, forth, back and in C.
    Raises `Fault`."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    size = rng.choice((0, 1, 3, 4))
    k = np.array(rng.choice((0, 1, 2, 4)))
    point, way = ([numbers.normal(size=s) for s in ((size,), (size,), ())] for _ in range(2))
    module = parse(text)

    def value(step: float) -> Any:
        moved = [p + step * w for p, w in zip(point, way)]
        return interpret.run(module, "main", k, *moved)

    try:
        expected = value(0)
    except RelaxError:
        return False  # as the greatest of no elements
    if not np.isfinite(expected):
        return False  # as the mean of no elements
    try:
        names = gradient(module, "main"), jvp(module, "main"), vjp(module, "main", ["x"])
        verify(module)
        found, slopes = interpret.run(module, names[0], k, *point)
        forth = interpret.run(module, names[1], k, *point, *way)[1][0]
        partly = interpret.run(module, names[2], k, *point, np.array(2.0))[1][0]
    except RelaxError as error:
        raise Fault(f"a program is refused: {error}", text) from None
    difference = (value(STEP) - value(-STEP)) / (2 * STEP)
    back = sum(np.sum(s * w) for s, w in zip(slopes, way))
    scale = 1 + abs(difference) + sum(np.sum(np.abs(s)) for s in slopes)
    where = f"k = {k}, size {size}"
    if found != expected:
        raise Fault(f"{where}, the value: {found} instead of {expected}", text)
    if not np.isclose(forth, back, rtol=1e-9, atol=1e-12 * scale):
        raise Fault(f"{where}: {forth} forth, {back} back", text)
    if not np.isclose(back, difference, rtol=1e-4, atol=1e-5 * scale):
        raise Fault(f"{where}: {back} back, {difference} by differences", text)
    if not np.allclose(partly, 2 * slopes[0], rtol=1e-9, atol=1e-12 * scale):
        raise Fault(f"{where}: {partly} by the product with 2, {slopes[0]} by the gradient", text)
    if rng.random() < compiled:
        level = rng.choice((0, 1, 2))
        run = lowering.compile(module, opt_level=level, extra_flags=["-O1"])[names[0]]
        for mine, theirs in zip(run(k, *point)[1], slopes):
            if not np.allclose(mine, theirs, rtol=1e-7, atol=1e-9 * scale):
                raise Fault(f"C at -O{level}, {where}: {mine} instead of {theirs}", text)
    return True


def case(rng: random.Random, compiled: float = COMPILED) -> bool:
    """One program; false if it has no value. Raises `Fault`."""
    program = Generator(random.Random(rng.getrandbits(32))).module()
    return check(str(program), rng, compiled)
