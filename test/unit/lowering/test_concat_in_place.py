"""Tensors that are joined: written to their places in the result, against the interpreter."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import run_sanitized
from xdsl.dialects.builtin import MemRefType

import lowering
from lowering.emit_c.syntax.analysis import analyse
from relax_dialect import interpret, parse

COUNT = 10
SIZES = ("n", "m", "2", "n + 1")


def tensor(size: str) -> str:
    return f"!relax.tensor<[{size}, 3], f32>"


def function(seed: int) -> str:
    """Values of several lengths, made of each other, joined again and again, some of them kept."""
    rng = random.Random(seed)
    known = [("%x", "n"), ("%y", "m")]
    lines: list[str] = []

    def add(text: str, size: str) -> None:
        lines.append(f"%v{len(lines)}x = {text} -> {tensor(size)}")
        known.append((f"%v{len(lines) - 1}x", size))

    for _ in range(10):
        if rng.random() < 0.4:
            parts = [rng.choice(known[-4:]) for _ in range(rng.randint(2, 4))]
            types = ", ".join(tensor(size) for _, size in parts)
            names = ", ".join(name for name, _ in parts)
            size = " + ".join(size for _, size in parts)
            add(f"relax.concat {names} {{axis = 0 : i64}} : ({types})", size)
        else:
            value, size = rng.choice(known[-4:])
            how = rng.choice(("flip", "reverse"))
            if how == "flip":
                add(f"relax.flip {value} {{axis = 0 : i64}} : ({tensor(size)})", size)
            else:
                add(f"relax.cumsum {value} {{axis = 1 : i64}} : ({tensor(size)})", size)
    given = [known[-1], rng.choice(known)]
    types = ", ".join(tensor(size) for _, size in given)
    names = ", ".join(name for name, _ in given)
    return "\n".join([
        f"relax.func @f{seed}(%x: {tensor('n')}, %y: {tensor('m')}) -> tuple<{types}> {{",
        *lines,
        f"%all = relax.tuple {names} : ({types}) -> tuple<{types}>",
        f"relax.return %all : tuple<{types}>",
        "}",
    ])  # fmt: skip


@pytest.fixture(scope="module")
def text() -> str:
    return "\n".join(map(function, range(COUNT)))


@pytest.fixture(scope="module")
def model(text):
    return lowering.compile(parse(text))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(COUNT))
def test_joined_tensors_are_those_of_the_interpreter(text, model, seed: int):
    module = parse(text)
    rng = np.random.default_rng(seed)
    for n, m in ((0, 0), (1, 0), (0, 3), (3, 2)):
        x, y = (rng.integers(-9, 9, (size, 3)).astype("f") for size in (n, m))
        expected = interpret.run(module, f"f{seed}", x, y)
        for one, other in zip(getattr(model, f"f{seed}")(x, y), expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_most_are_written_at_once_and_known_to_be_apart(text):
    module = lowering.lower(parse(text))
    calls = len(re.findall(r"func\.call @concat", str(module)))
    joined = text.count("relax.concat")
    assert joined > 3 * calls / 2 and "relax.part = 1" in str(module)
    analysis = analyse(module)
    for name in ("flip", "cumsum"):
        parameters = analysis.functions[name].body.block.args
        assert not any(analysis.is_aliased(p) for p in parameters if isinstance(p.type, MemRefType))


DRIVER = """
#include <stdio.h>
#include "model.h"

int main(void)
{
    float x[4 * 3] = {1, 2, 3}, y[2 * 3] = {5, 6, 7};
    int64_t rows[] = {4, 3}, others[] = {2, 3};
    DLTensor a = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, rows, NULL, 0};
    DLTensor b = {y, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, others, NULL, 0};
    DLTensor out[2] = {{0}};
CALLS
    model_unload();
    puts("done");
    return 0;
}
"""
CALL = """    if (model_f{0}(&a, &b, &out[0], &out[1]) != 0)
        puts(model_last_error());
    model_release(&out[0]);
    model_release(&out[1]);"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED[:1])
def test_sanitizers_find_nothing_in_parts(text, tmp_path, cc):
    lowering.to_c(parse(text)).write(tmp_path)
    driver = DRIVER.replace("CALLS", "\n".join(CALL.format(seed) for seed in range(COUNT)))
    assert run_sanitized(cc, tmp_path, driver, []) == "done\n"
