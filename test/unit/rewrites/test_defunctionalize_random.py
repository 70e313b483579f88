"""relax-defunctionalize on random programs with function values, against Python's own functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optional import examples
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect.interpret import run
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.calls.defunctionalize import defunctionalize
from relax_dialect.rewrites.calls.lambda_lift import lambda_lift

from .random_functions import ARGUMENTS, modules

V = "!relax.tensor<[n], f32>"
S = "!relax.tensor<[], f32>"
B = "!relax.tensor<[], i1>"
F = f"!relax.func<({V}) -> {V}>"
T = f"tuple<{V}, {F}>"

HEAD = f"""
relax.func private @apply(%f: {F}, %x: {V}) -> {V} {{
  %y = relax.call_closure %f, %x : ({F}, {V}) -> {V}
  relax.return %y : {V}
}}
relax.func private @same(%f: {F}, %x: {V}) -> {F} {{
  relax.return %f : {F}
}}
relax.func private @composed(%f: {F}, %g: {F}, %x: {V}) -> {F} {{
  %h = relax.closure (%y: {V}) -> {V} {{
    %1 = relax.call_closure %f, %y : ({F}, {V}) -> {V}
    %2 = relax.call_closure %g, %1 : ({F}, {V}) -> {V}
    relax.return %2 : {V}
  }}
  relax.return %h : {F}
}}
relax.func private @scaled(%a: {S}, %x: {V}) -> {V} {{
  %y = relax.multiply %x, %a : ({V}, {S}) -> {V}
  relax.return %y : {V}
}}
"""

Function = Callable[[np.ndarray], np.ndarray]


@dataclass
class Generator:
    """Writes a function @main of `%x` and three conditions, and computes what it means in Python."""

    random: Random
    flags: tuple[bool, bool, bool]
    lines: list[str] = field(default_factory=list)
    functions: list[tuple[str, Function]] = field(default_factory=list)
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%f{self.count}"

    def write(self, *lines: str) -> None:
        self.lines += lines

    def add(self, name: str, function: Function) -> None:
        self.functions.append((name, function))

    def closure(self) -> None:
        name, shift = self.fresh(), self.random.randrange(-3, 4)
        self.write(
            f"{name} = relax.closure (%y: {V}) -> {V} {{",
            f"%c = relax.constant dense<{shift}.0> : tensor<f32>",
            f"%z = relax.add %y, %c : ({V}, {S}) -> {V}",
            f"%w = relax.subtract %z, %x : ({V}, {V}) -> {V}",
            f"relax.return %w : {V}",
            "}",
        )
        self.add(name, lambda y, shift=shift: y + np.float32(shift) - self.x)

    def partial(self) -> None:
        name, factor = self.fresh(), self.random.randrange(-2, 3)
        self.write(
            f"{name}_c = relax.constant dense<{factor}.0> : tensor<f32>",
            f"{name} = relax.make_closure @scaled({name}_c) : ({S}) -> "
            f"!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>",
            f"{name}_v = relax.closure (%y: {V}) -> {V} {{",
            f"%z = relax.call_closure {name}, %y : (!relax.func<[k] (!relax.tensor<[k], f32>) -> "
            f"!relax.tensor<[k], f32>>, {V}) -> {V}",
            f"relax.return %z : {V}",
            "}",
        )
        self.add(f"{name}_v", lambda y, factor=factor: y * np.float32(factor))

    def choose(self) -> None:
        (a, f), (b, g) = self.random.choices(self.functions, k=2)
        name, flag = self.fresh(), self.random.randrange(3)
        self.write(
            f"{name} = relax.if %c{flag} : ({B}) -> {F} {{",
            f"relax.yield {a} : {F}",
            "} else {",
            f"relax.yield {b} : {F}",
            "}",
        )
        self.add(name, f if self.flags[flag] else g)

    def compose(self) -> None:
        (a, f), (b, g) = self.random.choices(self.functions, k=2)
        name = self.fresh()
        self.write(
            f"{name} = relax.closure (%y: {V}) -> {V} {{",
            f"%1 = relax.call_closure {a}, %y : ({F}, {V}) -> {V}",
            f"%2 = relax.call_closure {b}, %1 : ({F}, {V}) -> {V}",
            f"relax.return %2 : {V}",
            "}",
        )
        self.add(name, lambda y, f=f, g=g: g(f(y)))

    def call_composed(self) -> None:
        """One closure for all of them, which may come to capture what it gave before."""
        (a, f), (b, g) = self.random.choices(self.functions, k=2)
        name = self.fresh()
        self.write(f"{name} = relax.call @composed({a}, {b}, %x) : ({F}, {F}, {V}) -> {F}")
        self.add(name, lambda y, f=f, g=g: g(f(y)))

    def pack(self) -> None:
        (a, f), (b, g) = self.random.choices(self.functions, k=2)
        name, flag = self.fresh(), self.random.randrange(3)
        self.write(
            f"{name}_a = relax.tuple %x, {a} : ({V}, {F}) -> {T}",
            f"{name}_t = relax.if %c{flag} : ({B}) -> {T} {{",
            f"relax.yield {name}_a : {T}",
            "} else {",
            f"%t = relax.tuple %x, {b} : ({V}, {F}) -> {T}",
            f"relax.yield %t : {T}",
            "}",
            f"{name} = relax.tuple_get_item {name}_t {{index = 1 : i64}} : ({T}) -> {F}",
        )
        self.add(name, f if self.flags[flag] else g)

    def program(self, steps: int) -> str:
        self.closure()
        kinds = [
            self.closure,
            self.partial,
            self.choose,
            self.compose,
            self.call_composed,
            self.pack,
        ]
        for _ in range(steps):
            self.random.choice(kinds)()
        called = self.random.choices(self.functions, k=3)
        through = self.random.randrange(4)
        last = "%x"
        for number, (name, _) in enumerate(called):
            if number == through:
                self.write(f"%r{number} = relax.call @apply({name}, {last}) : ({F}, {V}) -> {V}")
            else:
                self.write(f"%r{number} = relax.call_closure {name}, {last} : ({F}, {V}) -> {V}")
            last = f"%r{number}"
        (name, _) = called[0]
        self.write(
            f"%same = relax.call @same({name}, %x) : ({F}, {V}) -> {F}",
            f"%r = relax.call_closure %same, {last} : ({F}, {V}) -> {V}",
            f"relax.return %r : {V}",
        )
        self.called = [*called, called[0]]
        flags = ", ".join(f"%c{i}: {B}" for i in range(3))
        body = "\n".join(self.lines)
        return f"{HEAD}relax.func @main(%x: {V}, {flags}) -> {V} {{\n{body}\n}}"

    x = np.array([1, -2, 3], np.float32)

    def expected(self) -> np.ndarray:
        value = self.x
        for _, function in self.called:
            value = function(value)
        return value


def defunctionalized(module: ModuleOp) -> ModuleOp:
    for step in (lambda_lift, defunctionalize):
        step(module)
        verify(module, f"after {step.__name__}")
    return module


def outcomes(generator: Generator, text: str) -> Iterable[np.ndarray]:
    args = [generator.x, *map(np.array, generator.flags)]
    yield run(parse(text), "main", *args)
    module = defunctionalized(parse(text))
    yield run(module, "main", *args)
    if generator.random.random() < 0.2:
        yield lowering.compile(module, extra_flags=("-O0",)).main(*args)


@pytest.mark.slow
@examples(16)
@given(
    st.randoms(use_true_random=False),
    st.integers(0, 10),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_function_values_are_what_they_are_in_python(
    random: Random, steps: int, flags: tuple[bool, bool, bool]
):
    generator = Generator(random, flags)
    text = generator.program(steps)
    expected = generator.expected()
    for found in outcomes(generator, text):
        np.testing.assert_array_equal(found, expected)


@examples(16)
@given(modules(effects=True) | modules(graph=True))
def test_the_passes_random_programs(module: ModuleOp):
    text = str(module)
    expected = run(parse(text), "main", *ARGUMENTS)
    found = run(defunctionalized(parse(text)), "main", *ARGUMENTS)
    np.testing.assert_array_equal(found, expected)
