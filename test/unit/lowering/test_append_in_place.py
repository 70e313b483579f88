"""Loops whose state grows by concatenation: against the interpreter, and how many bytes they copy."""

from __future__ import annotations

import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import run_sanitized

import lowering
from relax_dialect import interpret, parse
from relax_dialect.errors import ExecutionError
from relax_dialect.ops.joining import ConcatOp

N, B, V, U = (f"!relax.tensor<{t}>" for t in ("[], i64", "[], i1", "[n, 3], f32", "[?, 3], f32"))
M, ROW = "!relax.tensor<[m, 3], f32>", "!relax.tensor<[1, 3], f32>"
HEAD = f"""
    %more = relax.less %k, %end : ({N}, {N}) -> {B}
    relax.yield %more : {B}
  }} do {{
    %next = relax.add %k, 1 : ({N}) -> {N}
    %t = relax.match_cast %s : {U} -> {M}
    %row = relax.sum %t {{axis = array<i64: 0>, keepdims = true}} : ({M}) -> {ROW}"""
ZERO = "%zero = relax.constant dense<0> : tensor<i64>"
PROGRAM = f"""
// a cache, looked at before and after it has grown, with another state; its last length is not known
relax.func @cache(%x: {V}, %end: {N}) -> tuple<{U}, {ROW}> {{
  {ZERO}
  %last = relax.constant dense<0.0> : tensor<1x3xf32>
  %i, %y, %l = relax.while (%k = %zero, %s = %x, %a = %last) : ({N}, {V}, {ROW}) -> ({N}, {U}, {ROW}) {{{HEAD}
    %long = relax.concat %t, %row {{axis = 0 : i64}} : ({M}, {ROW}) -> !relax.tensor<[m + 1, 3], f32>
    %max = relax.max %long {{axis = array<i64: 0>, keepdims = true}} : (!relax.tensor<[m + 1, 3], f32>) -> {ROW}
    %b = relax.add %max, %a : ({ROW}, {ROW}) -> {ROW}
    relax.yield %next, %long, %b : {N}, !relax.tensor<[m + 1, 3], f32>, {ROW}
  }}
  %all = relax.tuple %y, %l : ({U}, {ROW}) -> tuple<{U}, {ROW}>
  relax.return %all : tuple<{U}, {ROW}>
}}

// three parts in each turn, one of them from outside; what comes of it is checked and stays inside
relax.func @parts(%x: {V}, %z: !relax.tensor<[q, 3], f32>, %end: {N}, %p: !relax.shape<[p]>) -> {ROW} {{
  {ZERO}
  %i, %y = relax.while (%k = %zero, %s = %x) : ({N}, {V}) -> ({N}, {U}) {{{HEAD}
    %long = relax.concat %t, %z, %row {{axis = 0 : i64}} : ({M}, !relax.tensor<[q, 3], f32>, {ROW}) -> !relax.tensor<[m + q + 1, 3], f32>
    relax.yield %next, %long : {N}, !relax.tensor<[m + q + 1, 3], f32>
  }}
  %full = relax.match_cast %y : {U} -> !relax.tensor<[n + p, 3], f32>
  %sum = relax.sum %full {{axis = array<i64: 0>, keepdims = true}} : (!relax.tensor<[n + p, 3], f32>) -> {ROW}
  relax.return %sum : {ROW}
}}

// along the second axis of one row, and before what was there: only the first of them grows in place
relax.func @axes(%x: !relax.tensor<[1, n], f32>, %end: {N}) -> tuple<!relax.tensor<[1, ?], f32>, !relax.tensor<[1, ?], f32>> {{
  {ZERO}
  %i, %y, %z = relax.while (%k = %zero, %s = %x, %r = %x) : ({N}, !relax.tensor<[1, n], f32>, !relax.tensor<[1, n], f32>) -> ({N}, !relax.tensor<[1, ?], f32>, !relax.tensor<[1, ?], f32>) {{
    %more = relax.less %k, %end : ({N}, {N}) -> {B}
    relax.yield %more : {B}
  }} do {{
    %next = relax.add %k, 1 : ({N}) -> {N}
    %t = relax.match_cast %s : !relax.tensor<[1, ?], f32> -> !relax.tensor<[1, m], f32>
    %u = relax.match_cast %r : !relax.tensor<[1, ?], f32> -> !relax.tensor<[1, l], f32>
    %a = relax.concat %t, %x {{axis = 1 : i64}} : (!relax.tensor<[1, m], f32>, !relax.tensor<[1, n], f32>) -> !relax.tensor<[1, m + n], f32>
    %b = relax.concat %x, %u {{axis = 1 : i64}} : (!relax.tensor<[1, n], f32>, !relax.tensor<[1, l], f32>) -> !relax.tensor<[1, n + l], f32>
    relax.yield %next, %a, %b : {N}, !relax.tensor<[1, m + n], f32>, !relax.tensor<[1, n + l], f32>
  }}
  %all = relax.tuple %y, %z : (!relax.tensor<[1, ?], f32>, !relax.tensor<[1, ?], f32>) -> tuple<!relax.tensor<[1, ?], f32>, !relax.tensor<[1, ?], f32>>
  relax.return %all : tuple<!relax.tensor<[1, ?], f32>, !relax.tensor<[1, ?], f32>>
}}
"""

LAST = f"""
relax.func private @twice(%x: {V}) -> !relax.tensor<[n + n, 3], f32> {{
  %a = relax.negative %x : ({V}) -> {V}
  %y = relax.concat %a, %x {{axis = 0 : i64}} : ({V}, {V}) -> !relax.tensor<[n + n, 3], f32>
  relax.return %y : !relax.tensor<[n + n, 3], f32>
}}
relax.func @main(%x: {V}) -> !relax.tensor<[n + n, 3], f32> {{
  %y = relax.call @twice(%x) : ({V}) -> !relax.tensor<[n + n, 3], f32>
  relax.return %y : !relax.tensor<[n + n, 3], f32>
}}
"""


@pytest.fixture(scope="module")
def module():
    return parse(PROGRAM)


@pytest.fixture(scope="module")
def model(module):
    return lowering.compile(parse(PROGRAM))


def integers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).integers(-2, 3, shape).astype("f")


@pytest.mark.slow
@pytest.mark.parametrize("n, turns", [(0, 3), (1, 0), (1, 1), (3, 2), (5, 9)])
def test_what_has_grown_is_what_the_interpreter_gives(module, model, n: int, turns: int):
    end = np.array(turns, np.int64)
    for q in (0, 1, 2):
        size = (q + 1) * turns
        found = model.parts(integers(n, 3), integers(q, 3), end, (size,))
        np.testing.assert_array_equal(
            found, interpret.run(module, "parts", integers(n, 3), integers(q, 3), end, (size,))
        )
        with pytest.raises(ExecutionError, match=r"relax\.match_cast"):
            model.parts(integers(n, 3), integers(q, 3), end, (size + 1,))
    for name, x in (("cache", integers(n, 3)), ("axes", integers(1, n))):
        expected = interpret.run(module, name, x, end)
        for one, other in zip(getattr(model, name)(x, end), expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_room_is_left_to_the_next_call(module, model):
    """What is of some size, until `trim` frees it; what was computed there before is not seen."""
    model.trim()
    given = integers(3, 3), integers(2000, 3), np.array(4, np.int64), (8004,)
    expected, left = interpret.run(module, "parts", *given), []
    for call in range(2):
        np.testing.assert_array_equal(model.parts(*given), expected)
        left.append(model.trim() if call else 0)
    small = integers(3, 3), integers(2, 3), np.array(4, np.int64), (12,)
    model.parts(*small)
    assert 8007 * 12 <= left[-1] < 2 * 8007 * 12 and model.trim() < 8007 * 12


def test_which_states_are_bytes():
    lowered = str(lowering.lower(parse(PROGRAM)))
    loops = [line for line in lowered.splitlines() if "= scf.while" in line]
    assert [line.count("memref<?xi8>") for line in loops] == [2, 2, 2]


def test_values_have_no_users_outside_of_the_module():
    """Such as ops that were made to try something."""
    lowered = lowering.lower(parse(PROGRAM + LAST))
    inside = set(lowered.walk())
    values = [
        value
        for op in inside
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args))
    ]
    assert all(use.operation in inside for value in values for use in value.uses)


def test_which_concatenations_join_memory(module):
    found = [op.joins_in_memory for op in module.walk() if isinstance(op, ConcatOp)]
    assert found == [True] * 4
    across = parse(f"""
relax.func @main(%x: {V}, %y: {V}) -> !relax.tensor<[n, 6], f32> {{
  %z = relax.concat %x, %y {{axis = 1 : i64}} : ({V}, {V}) -> !relax.tensor<[n, 6], f32>
  relax.return %z : !relax.tensor<[n, 6], f32>
}}""")
    assert "relax.joins" not in str(lowering.lower(across))


DRIVER = """
#include <stdio.h>
#include <string.h>
#include "model.h"

static size_t copied;

void *counted(void *to, const void *from, size_t size)
{
    copied += size;
    return memcpy(to, from, size);
}

int main(void)
{
    float x[4 * 3] = {1, 2, 3};
    int64_t turns = 1000, shape[] = {4, 3};
    DLTensor a = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
    DLTensor end = {&turns, {kDLCPU, 0}, 0, {kDLInt, 64, 1}, NULL, NULL, 0};
    DLTensor out[2] = {{0}};
    if (model_cache(&a, &end, &out[0], &out[1]) != 0)
        puts(model_last_error());
    printf("%d %d\\n", (int)out[0].shape[0], (int)copied);
    model_release(&out[0]);
    model_release(&out[1]);
    model_unload();
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED[:1])
def test_few_rows_are_copied(module, tmp_path, cc):
    """Rows are written where they lie, and copied where room is made for more: in every turn they would be 6 MB."""
    lowering.to_c(parse(PROGRAM)).write(tmp_path)
    source = (tmp_path / "model.c").read_text().replace(" memcpy(", " counted(")
    declared = "#include <stddef.h>\nvoid *counted(void *, const void *, size_t);\n"
    (tmp_path / "model.c").write_text(declared + source)
    length, copied = map(int, run_sanitized(cc, tmp_path, DRIVER, []).split())
    assert length == 1004
    assert 0 < copied < 12 * length
