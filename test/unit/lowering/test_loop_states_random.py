"""Random loops over several states in compiled code: states are exchanged, copied, kept, and written over."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from optional import UNOPTIMISED, amount, shortened

import lowering
from relax_dialect import interpret, parse
from relax_dialect.ops.loops import WhileOp

N, B = "!relax.tensor<[], f32>", "!relax.tensor<[], i1>"
COUNT = amount(30, 16)


def vector(size: str) -> str:
    return f"!relax.tensor<[{size}], f32>"


class Loop:
    """A function with a loop of two to four states of two sizes, all of which it returns, its arguments too."""

    def __init__(self, seed: int):
        self.rng = Random(seed)
        self.lines: list[str] = []
        sizes = [self.rng.choice("nnm") for _ in range(self.rng.randint(2, 4))]
        given = [f"%x{i}" for i in range(len(sizes))]
        arguments = list(zip(given, sizes))
        made = [(f"%w{i}", size) for i, size in enumerate(sizes)]
        inits = [self.pick(self.rng.choice((arguments, made, made)), size) for size in sizes]
        self.known = [(f"%s{i}", size) for i, size in enumerate(sizes)]
        for number in range(self.rng.randint(1, 6)):
            self.statement(number)
        nexts = [self.pick(self.known[-7:], size) or f"%s{i}" for i, size in enumerate(sizes)]
        types = ", ".join(map(vector, sizes))
        states = ", ".join(f"%s{i} = {init}" for i, init in enumerate(inits))
        results = [f"%r{i}" for i in range(len(sizes))]
        returned = [*zip(results, sizes), *self.rng.sample(arguments, self.rng.randint(0, 1))]
        kinds = ", ".join(vector(size) for _, size in returned)
        before = [
            f"%w{i} = relax.negative %x{i} : ({vector(s)}) -> {vector(s)}"
            for i, s in enumerate(sizes)
        ]
        parameters = ", ".join(f"{g}: {vector(s)}" for g, s in zip(given, sizes))
        self.sizes = sizes
        self.text = f"""relax.func @f{seed}({parameters}) -> tuple<{kinds}> {{
%zero = relax.constant dense<0.0> : tensor<f32>
%one = relax.constant dense<1.0> : tensor<f32>
%end = relax.constant dense<{self.rng.choice((0, 1, 2, 5))}.0> : tensor<f32>
{chr(10).join(before)}
%i, {", ".join(results)} = relax.while (%j = %zero, {states}) : ({N}, {types}) -> ({N}, {types}) {{
%more = relax.less %j, %end : ({N}, {N}) -> {B}
relax.yield %more : {B}
}} do {{
%k = relax.add %j, %one : ({N}, {N}) -> {N}
{chr(10).join(self.lines)}
relax.yield %k, {", ".join(nexts)} : {N}, {types}
}}
%t = relax.tuple {", ".join(name for name, _ in returned)} : ({kinds}) -> tuple<{kinds}>
relax.return %t : tuple<{kinds}>
}}"""

    def pick(self, values: list[tuple[str, str]], size: str) -> str | None:
        """One of some values of a size, if there are any."""
        found = [name for name, own in values if own == size]
        return self.rng.choice(found) if found else None

    def statement(self, number: int) -> None:
        """A value of some of those before it: of a kernel that keeps places, of one that does not."""
        name, (value, size) = f"%v{number}", self.rng.choice(self.known)
        t = vector(size)
        other = self.pick(self.known, size)
        made = (
            f"relax.tanh {value} : ({t}) -> {t}",
            f"relax.subtract {value}, {other} : ({t}, {t}) -> {t}",
            f"relax.flip {value} {{axis = 0 : i64}} : ({t}) -> {t}",
            f"relax.softmax {value} {{axis = 0 : i64}} : ({t}) -> {t}",
        )
        self.lines.append(f"{name} = {self.rng.choice(made)}")
        self.known.append((name, size))

    def arguments(self, n: int, m: int) -> list[np.ndarray]:
        rng = np.random.default_rng(n)
        return [rng.standard_normal({"n": n, "m": m}[s]).astype(np.float32) for s in self.sizes]


@pytest.fixture(scope="module")
def loops() -> list[Loop]:
    return [Loop(seed) for seed in range(COUNT)]


@pytest.mark.slow
@shortened
def test_random_loops(loops: list[Loop]):
    text = "\n".join(loop.text for loop in loops)
    model = lowering.compile(parse(text), "loops", extra_flags=UNOPTIMISED, cache=False)
    module = parse(text)
    assert sum(isinstance(op, WhileOp) for op in module.walk()) == COUNT
    for seed, loop in enumerate(loops):
        for sizes in ((5, 3), (1, 4), (0, 2)):
            arguments = loop.arguments(*sizes)
            kept = [a.copy() for a in arguments]
            expected = interpret.run(module, f"f{seed}", *arguments)
            for found, wanted in zip(model[f"f{seed}"](*arguments), expected, strict=True):
                np.testing.assert_allclose(found, wanted, 1e-5, 1e-6, err_msg=loop.text)
            for argument, before in zip(arguments, kept):
                np.testing.assert_array_equal(argument, before)
