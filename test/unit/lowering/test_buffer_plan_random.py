"""Random prim funcs, which reuse, transpose, accumulate and return at will, against numpy.

All values are [n, n] of i64, so that everything is exact, and every way to place a result comes up:
over `outs`, over a dying input, in a fresh buffer, in a result argument, after a copy.
"""

import random
from collections.abc import Callable

import numpy as np
import pytest
from mlir_oracle import lower_and_load, parse
from optional import MLIR, needs
from xdsl.context import Context

from lowering.loops.linalg_to_loops import LinalgToLoopsPass
from lowering.memory.bufferize.relax_bufferize import BufferizePass

TENSOR = "tensor<?x?xi64>"
DIMS = '{relax.dims = ["n", "n"]}'
MAPS = {"(i, j)": lambda a: a, "(j, i)": lambda a: a.T, "(i, i)": lambda a: a.diagonal()[:, None]}
"""How an elementwise op may read an operand."""

FUNCTIONS = 40
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class RandomPrimFunc:
    """The text of a prim func, with its results computed alongside."""

    def __init__(self, name: str, seed: int, inputs: list[np.ndarray]):
        self.rng = random.Random(seed)
        self.name = name
        self.values = {f"arg{LETTERS[i]}": array for i, array in enumerate(inputs)}
        self.arguments = list(self.values)
        self.lines = [
            "%c0 = arith.constant 0 : index",
            "%c2 = arith.constant 2 : i64",
            f"%n = tensor.dim %arga, %c0 : {TENSOR}",
            f"%empty = tensor.empty(%n, %n) : {TENSOR}",
        ]
        kinds = [self.double, self.combine, self.accumulate, self.contract, self.extract, self.fill]
        for step in range(self.rng.randint(1, 9)):
            self.rng.choice(kinds)(f"v{LETTERS[step]}")
        self.returned = [self.pick() for _ in range(self.rng.randint(1, 3))]

    def pick(self) -> str:
        """A value, most often the last or one of the last."""
        names = list(self.values)
        return self.rng.choice(names[-self.rng.choice([1, 1, 3, len(names)]) :])

    def out(self) -> str:
        """A tensor to write over: its contents do not matter."""
        return "empty" if self.rng.random() < 0.6 else self.pick()

    def generic(
        self, name: str, maps: list[str], inputs: list[str], out: str, body: str, dims: str = "i, j"
    ) -> None:
        listed = ", ".join(f"affine_map<({dims}) -> {m}>" for m in maps)
        loops = ['"parallel"', '"parallel"', '"reduction"'][: dims.count(",") + 1]
        names = ", ".join(f"%{i}" for i in inputs)
        ins = f"ins({names} : {', '.join([TENSOR] * len(inputs))})" if inputs else ""
        arguments = ", ".join(f"%{LETTERS[i]}: i64" for i in range(len(maps)))
        self.lines.append(
            f"%{name} = linalg.generic {{indexing_maps = [{listed}], "
            f"iterator_types = [{', '.join(loops)}]}} {ins} outs(%{out} : {TENSOR}) {{\n"
            f"^bb0({arguments}):\n{body}\n linalg.yield %r : i64 }} -> {TENSOR}"
        )

    def double(self, name: str) -> None:
        a, m = self.pick(), self.rng.choice(list(MAPS))
        self.generic(name, [m, "(i, j)"], [a], self.out(), "%r = arith.addi %a, %a : i64")
        self.values[name] = 2 * MAPS[m](self.values[a]) + np.zeros_like(self.values[a])

    def combine(self, name: str) -> None:
        a, b = self.pick(), self.pick()
        m, k = self.rng.choice(list(MAPS)), self.rng.choice(list(MAPS))
        body = "%t = arith.muli %b, %c2 : i64\n %r = arith.subi %a, %t : i64"
        self.generic(name, [m, k, "(i, j)"], [a, b], self.out(), body)
        zero = np.zeros_like(self.values[a])
        self.values[name] = MAPS[m](self.values[a]) - 2 * MAPS[k](self.values[b]) + zero

    def accumulate(self, name: str) -> None:
        a, start, m = self.pick(), self.pick(), self.rng.choice(list(MAPS))
        self.generic(name, [m, "(i, j)"], [a], start, "%r = arith.addi %a, %b : i64")
        self.values[name] = self.values[start] + MAPS[m](self.values[a])

    def contract(self, name: str) -> None:
        a, b, start = self.pick(), self.pick(), self.pick()
        body = "%t = arith.muli %a, %b : i64\n %r = arith.addi %c, %t : i64"
        self.generic(name, ["(i, k)", "(k, j)", "(i, j)"], [a, b], start, body, "i, j, k")
        self.values[name] = self.values[start] + self.values[a] @ self.values[b]

    def extract(self, name: str) -> None:
        a, b = self.pick(), self.pick()
        body = (
            "%i = linalg.index 0 : index\n %j = linalg.index 1 : index\n"
            f"%t = tensor.extract %{b}[%j, %i] : {TENSOR}\n %r = arith.subi %a, %t : i64"
        )
        self.generic(name, ["(i, j)", "(i, j)"], [a], self.out(), body)
        self.values[name] = self.values[a] - self.values[b].T

    def fill(self, name: str) -> None:
        self.lines.append(
            f"%{name} = linalg.fill ins(%c2 : i64) outs(%{self.out()} : {TENSOR}) -> {TENSOR}"
        )
        self.values[name] = np.full_like(self.values["arga"], 2)

    def text(self) -> str:
        arguments = ", ".join(f"%{name}: {TENSOR} {DIMS}" for name in self.arguments)
        results = ", ".join([f"{TENSOR} {DIMS}"] * len(self.returned))
        values = ", ".join(f"%{name}" for name in self.returned)
        types = ", ".join([TENSOR] * len(self.returned))
        body = "\n".join(self.lines)
        return (
            f"func.func @{self.name}({arguments}) -> ({results}) {{\n{body}\n"
            f"func.return {values} : {types}\n}}\n"
        )


@needs(MLIR)
@pytest.mark.parametrize("passes", [[], [LinalgToLoopsPass]], ids=["memrefs", "loops"])
def test_random_prim_funcs(passes: list[Callable]):
    rng = np.random.default_rng(0)
    inputs = [rng.integers(-3, 4, (3, 3)) for _ in range(2)]
    cases = [RandomPrimFunc(f"f{seed}", seed, inputs) for seed in range(FUNCTIONS)]
    module = parse("\n".join(case.text() for case in cases))
    for pass_ in [BufferizePass, *passes]:
        pass_().apply(Context(), module)
    module.verify()
    text = str(module)
    assert text.count("memref.alloc(") == text.count("memref.dealloc") <= 105
    assert passes or text.count("memref.copy") <= 82
    oracle = lower_and_load(module)
    for case in cases:
        arguments = [array.copy() for array in inputs]
        outputs = [np.full((3, 3), 77) for _ in case.returned]
        oracle.call_entry(case.name, *arguments, *outputs)
        for name, output in zip(case.returned, outputs):
            np.testing.assert_array_equal(output, case.values[name], case.text())
        for argument, before in zip(arguments, inputs):
            np.testing.assert_array_equal(argument, before, case.text())
