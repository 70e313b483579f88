"""Results of functions, branches and loops in buffers from before them: random programs, and who allocates."""

from __future__ import annotations

import random

import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import run_sanitized
from xdsl.dialects import func, memref

import lowering
from lowering.emit_c.syntax.analysis import analyse
from lowering.ir.memref_views import uncast
from relax_dialect import interpret, parse
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import OFFSET

T, N, B = "!relax.tensor<[n, 3], f32>", "!relax.tensor<[], i64>", "!relax.tensor<[], i1>"
MIX = f"""
relax.func private @mix(%a: {T}, %b: {T}) -> {T} {{
  %c = relax.subtract %a, %b : ({T}, {T}) -> {T}
  %d = relax.flip %c {{axis = 0 : i64}} : ({T}) -> {T}
  relax.return %d : {T}
}}
relax.func @known(%a: {T}, %b: {T}) -> tuple<{T}, {T}> {{
  %c = relax.call @mix(%b, %a) : ({T}, {T}) -> {T}
  %t = relax.tuple %c, %b : ({T}, {T}) -> tuple<{T}, {T}>
  relax.return %t : tuple<{T}, {T}>
}}
"""
COUNT = 12


class Program:
    """A function of random loops, branches and calls on tensors of one type."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.fresh = 0
        self.name = f"f{seed}"

    def add(self, text: str) -> str:
        self.fresh += 1
        self.lines.append(f"%v{self.fresh}x = {text}")
        return f"%v{self.fresh}x"

    def value(self, known: list[str], depth: int) -> str:
        """A new value, of those that are known."""
        a, b = self.rng.choice(known), self.rng.choice(known)
        kind = self.rng.randrange(7 if depth else 4)
        if kind == 0:
            return self.add(f"relax.call @mix({a}, {b}) : ({T}, {T}) -> {T}")
        if kind == 1:
            pair = self.add(f"relax.call @known({a}, {b}) : ({T}, {T}) -> tuple<{T}, {T}>")
            field = self.rng.randrange(2)
            get = f"relax.tuple_get_item {pair} {{index = {field} : i64}}"
            return self.add(f"{get} : (tuple<{T}, {T}>) -> {T}")
        if kind in (2, 3):
            return self.add(f"relax.add {a}, {b} : ({T}, {T}) -> {T}")
        if kind == 4:
            return self.branches(known, depth - 1)
        return self.rng.choice(self.loop(known, depth - 1))

    def branches(self, known: list[str], depth: int) -> str:
        condition = self.add(f"relax.less %zero, %end : ({N}, {N}) -> {B}")
        result = self.add(f"relax.if {condition} : ({B}) -> {T} {{")
        for last in ("} else {", "}"):
            given = self.rng.choice([self.value(known, depth), self.rng.choice(known)])
            self.lines += [f"relax.yield {given} : {T}", last]
        return result

    def loop(self, known: list[str], depth: int) -> list[str]:
        """A loop over one to three tensors, which change places or are computed anew; its results."""
        count = self.rng.randint(1, 3)
        inits = [self.rng.choice([*known, self.value(known, 0)]) for _ in range(count)]
        self.fresh += 1
        name = f"l{self.fresh}"
        states = [f"%{name}_s{i}x" for i in range(count)]
        results = [f"%{name}_r{i}x" for i in range(count)]
        pairs = ", ".join(f"{s} = {i}" for s, i in zip(states, inits))
        types = ", ".join([N] + [T] * count)
        head = f"%{name}_i, {', '.join(results)} = relax.while (%{name}_k = %zero, {pairs})"
        self.lines.append(f"{head} : ({types}) -> ({types}) {{")
        more = self.add(f"relax.less %{name}_k, %end : ({N}, {N}) -> {B}")
        self.lines += [f"relax.yield {more} : {B}", "} do {"]
        following = self.add(f"relax.add %{name}_k, %one : ({N}, {N}) -> {N}")
        inside = [*known, *states]
        made = [self.value(inside, depth) for _ in range(self.rng.randint(1, 2))]
        given = [self.rng.choice([*states, *made, *made, self.rng.choice(known)]) for _ in states]
        self.lines += [f"relax.yield {', '.join([following, *given])} : {types}", "}"]
        return results

    def text(self) -> str:
        known = ["%x", "%y"]
        for _ in range(3):
            known += self.loop(known, 2)
        given = self.rng.sample(known, 3)
        types = ", ".join([T] * 3)
        head = f"relax.func @{self.name}(%x: {T}, %y: {T}, %end: {N}) -> tuple<{types}> {{"
        constants = [f"%{n} = relax.constant dense<{v}> : tensor<i64>" for n, v in ONE_AND_ZERO]
        end = f"%all = relax.tuple {', '.join(given)} : ({types}) -> tuple<{types}>"
        lines = [head, *constants, *self.lines, end, f"relax.return %all : tuple<{types}>", "}"]
        return "\n".join(lines)


ONE_AND_ZERO = (("zero", 0), ("one", 1))


@pytest.fixture(scope="module")
def text() -> str:
    return MIX + "\n".join(Program(seed).text() for seed in range(COUNT))


@pytest.fixture(scope="module")
def model(text):
    return lowering.compile(parse(text))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(COUNT))
def test_loops_branches_and_calls_give_what_the_interpreter_gives(text, model, seed: int):
    module = parse(text)
    rng = np.random.default_rng(seed)
    for n, turns in ((0, 2), (1, 0), (2, 1), (4, 2), (3, 3)):
        x, y = (rng.integers(-9, 9, (n, 3)).astype("f") for _ in range(2))
        args = (x, y, np.array(turns, np.int64))
        expected = interpret.run(module, f"f{seed}", *args)
        for one, other in zip(getattr(model, f"f{seed}")(*args), expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_only_results_that_callers_own_are_allocated_one_by_one(text):
    """All sizes are known: what has no place in a frame is returned by a function that others call."""
    module = lowering.lower(parse(text))
    for function in module.body.block.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks:
            end = function.body.block.last_op
            assert end is not None
            returned = {uncast(value) for value in end.operands}
            for op in walk_ops(function):
                if isinstance(op, memref.AllocOp):
                    assert OFFSET in op.attributes or op.memref in returned
                    assert op.memref not in returned or "relax.entry" in function.attributes


def test_kernels_in_loops_know_that_buffers_which_take_turns_differ():
    """So C says `restrict` of their parameters."""
    module = lowering.lower(
        parse(f"""
relax.func @main(%x: {T}, %end: {N}) -> {T} {{
  %zero = relax.constant dense<0> : tensor<i64>
  %i, %y = relax.while (%k = %zero, %s = %x) : ({N}, {T}) -> ({N}, {T}) {{
    %more = relax.less %k, %end : ({N}, {N}) -> {B}
    relax.yield %more : {B}
  }} do {{
    %next = relax.add %k, 1 : ({N}) -> {N}
    %t = relax.flip %s {{axis = 0 : i64}} : ({T}) -> {T}
    relax.yield %next, %t : {N}, {T}
  }}
  relax.return %y : {T}
}}""")
    )
    analysis = analyse(module)
    parameters = analysis.functions["flip"].body.block.args
    assert not any(
        analysis.is_aliased(p) for p in parameters if isinstance(p.type, memref.MemRefType)
    )


DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include "model.h"

static int allocations;

void *counted(size_t alignment, size_t size)
{
    ++allocations;
    return aligned_alloc(alignment, size);
}

typedef int (*function)(
    const DLTensor *, const DLTensor *, const DLTensor *, DLTensor *, DLTensor *, DLTensor *);

int main(void)
{
    const function functions[] = {FUNCTIONS};
    float x[4 * 3] = {1, 2, 3}, y[4 * 3] = {5, 6, 7};
    int64_t turns = 3, shape[] = {4, 3};
    DLTensor a = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
    DLTensor b = {y, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
    DLTensor end = {&turns, {kDLCPU, 0}, 0, {kDLInt, 64, 1}, NULL, NULL, 0};
    for (int f = 0; f < (int)(sizeof functions / sizeof *functions); ++f) {
        for (int call = 0; call < 2; ++call) {
            DLTensor out[3] = {{0}};
            allocations = 0;
            if (functions[f](&a, &b, &end, &out[0], &out[1], &out[2]) != 0)
                puts(model_last_error());
            for (int i = 0; i < 3; ++i)
                model_release(&out[i]);
        }
        printf("%d ", allocations);
    }
    model_unload();
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED[:1])
def test_a_steady_call_allocates_its_results_alone(text, tmp_path, cc):
    """The elements and the sizes of three; without frames sanitizers see the life of each value."""
    lowering.to_c(parse(text)).write(tmp_path)
    source = (tmp_path / "model.c").read_text().replace("aligned_alloc(", "counted(")
    (tmp_path / "model.c").write_text(f"void *counted(unsigned long, unsigned long);\n{source}")
    functions = ", ".join(f"(function)model_f{seed}" for seed in range(COUNT))
    driver = DRIVER.replace("FUNCTIONS", functions)
    in_frames = run_sanitized(cc, tmp_path, driver, ["-DRELAX_ARENA=1"])
    assert in_frames.split() == ["6"] * COUNT
    one_by_one = run_sanitized(cc, tmp_path, driver, [])
    assert all(int(count) > 10 for count in one_by_one.split())
