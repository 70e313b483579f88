"""Slices that are views, and results written over what dies: random programs against the interpreter."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from optional import LIGHTLY, SANITIZED
from sanitizers import run_sanitized

import lowering
from relax_dialect import interpret, parse

COUNT = 8


def tensor(size: str, columns: int) -> str:
    return f"!relax.tensor<[{size}, {columns}], f32>"


class Function:
    """Values that are split and sliced, read by kernels of rows, written over, kept, handed out."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.known = [("%x", "n", 24), ("%y", "m", 24)]
        for _ in range(9):
            self.rng.choice(
                (self.split, self.split, self.slice, self.row, self.row, self.add, self.reshape)
            )()
        self.given = [self.known[-1], self.rng.choice(self.known), self.rng.choice(self.known[2:])]
        types = ", ".join(tensor(*kind) for _, *kind in self.given)
        names = ", ".join(name for name, *_ in self.given)
        self.text = "\n".join([
            f"relax.func @f{seed}(%x: {tensor('n', 24)}, %y: {tensor('m', 24)}) -> tuple<{types}> {{",
            *self.lines,
            f"%all = relax.tuple {names} : ({types}) -> tuple<{types}>",
            f"relax.return %all : tuple<{types}>",
            "}",
        ])  # fmt: skip

    def pick(self) -> tuple[str, str, int]:
        return self.rng.choice(self.known[-5:])

    def emit(self, text: str, size: str, columns: int) -> None:
        name = f"%v{len(self.lines)}x"
        self.lines.append(f"{name} = {text} -> {tensor(size, columns)}")
        self.known.append((name, size, columns))

    def row(self) -> None:
        value, size, columns = self.pick()
        how = self.rng.choice(
            ("relax.softmax {} {{axis = 1 : i64}}", "relax.cumsum {} {{axis = 1 : i64}}")
        )
        self.emit(f"{how.format(value)} : ({tensor(size, columns)})", size, columns)

    def split(self) -> None:
        value, size, columns = self.pick()
        if columns % 2 == 1:
            return self.row()
        number = len(self.lines)
        part = tensor(size, columns // 2)
        names = [f"%p{number}{letter}" for letter in "ab"]
        self.lines.append(
            f"{', '.join(names)} = relax.split {value} {{axis = 1 : i64, sections = 2 : i64}} : "
            f"({tensor(size, columns)}) -> ({part}, {part})"
        )
        self.known += [(name, size, columns // 2) for name in names]
        return None

    def slice(self) -> None:
        value, size, columns = self.pick()
        begin = self.rng.randrange(columns)
        end = self.rng.randint(begin + 1, columns)
        text = f"axes = array<i64: 1>, begin = array<i64: {begin}>, end = array<i64: {end}>"
        self.emit(
            f"relax.strided_slice {value} {{{text}}} : ({tensor(size, columns)})", size, end - begin
        )

    def add(self) -> None:
        value, size, columns = self.pick()
        others = [name for name, *kind in self.known if kind == [size, columns]]
        type = tensor(size, columns)
        self.emit(f"relax.add {value}, {self.rng.choice(others)} : ({type}, {type})", size, columns)

    def reshape(self) -> None:
        """A reshape that splits a dimension and joins it again."""
        value, size, columns = self.pick()
        if columns % 2 == 1:
            return self.row()
        number, split = len(self.lines), f"!relax.tensor<[{size}, 2, {columns // 2}], f32>"
        self.lines.append(f"%s{number}x = relax.shape [{size}, 2, {columns // 2}]")
        self.lines.append(
            f"%r{number}x = relax.reshape %{value[1:]}, %s{number}x : ({tensor(size, columns)}, "
            f"!relax.shape<[{size}, 2, {columns // 2}]>) -> {split}"
        )
        self.lines.append(
            f"%m{number}x = relax.softmax %r{number}x {{axis = 2 : i64}} : ({split}) -> {split}"
        )
        self.lines.append(f"%t{number}x = relax.shape [{size}, {columns}]")
        shape = f"!relax.shape<[{size}, {columns}]>"
        self.emit(f"relax.reshape %m{number}x, %t{number}x : ({split}, {shape})", size, columns)
        return None


@pytest.fixture(scope="module")
def functions() -> list[Function]:
    return [Function(seed) for seed in range(COUNT)]


@pytest.fixture(scope="module")
def text(functions) -> str:
    return "\n".join(function.text for function in functions)


@pytest.fixture(scope="module")
def model(text):
    return lowering.compile(parse(text), extra_flags=LIGHTLY)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(COUNT))
def test_what_is_compiled_is_what_is_interpreted(functions, model, seed: int):
    module = parse(functions[seed].text)
    rng = np.random.default_rng(seed)
    for n, m in ((0, 1), (1, 33), (40, 3)):
        x, y = (rng.integers(-9, 9, (size, 24)).astype("f") for size in (n, m))
        before = x.copy(), y.copy()
        expected = interpret.run(module, f"f{seed}", x, y)
        found = getattr(model, f"f{seed}")(x, y)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
        for result in found:  # nothing is handed out that somebody else has
            assert not any(np.shares_memory(result, other) for other in (x, y))
        for given, was in zip((x, y), before):
            np.testing.assert_array_equal(given, was)


@pytest.mark.slow
def test_many_slices_are_views_and_many_results_written_over_arguments(text):
    lowered = str(lowering.lower(parse(text)))
    assert len(re.findall(r"func\.call @\w+_strided", lowered)) >= 3
    assert len(re.findall(r"func\.call @\w+_in_place", lowered)) >= 3


DRIVER = """
#include <stdio.h>
#include "model.h"

int main(void)
{
    float x[4 * 24] = {1, 2, 3}, y[2 * 24] = {5, 6, 7};
    int64_t rows[] = {4, 24}, others[] = {2, 24};
    DLTensor a = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, rows, NULL, 0};
    DLTensor b = {y, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, others, NULL, 0};
    DLTensor out[3] = {{0}};
CALLS
    model_unload();
    puts("done");
    return 0;
}
"""
CALL = """    if (model_f{0}(&a, &b, &out[0], &out[1], &out[2]) != 0)
        puts(model_last_error());
    for (int i = 0; i < 3; ++i)
        model_release(&out[i]);"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED[:1])
def test_sanitizers_find_nothing_in_views(text, tmp_path, cc):
    lowering.to_c(parse(text)).write(tmp_path)
    driver = DRIVER.replace("CALLS", "\n".join(CALL.format(seed) for seed in range(COUNT)))
    assert run_sanitized(cc, tmp_path, driver, []) == "done\n"
