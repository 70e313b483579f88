"""Models whose callers give the memory: they allocate nothing, and say how much they need."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import run_sanitized

import lowering
from lowering.memory.plan.call_memory import shape_bytes
from lowering.runtime.shared_object import compile_c
from relax_dialect import RelaxError, interpret, parse

MATRIX = "!relax.tensor<[n, 16], f32>"
VECTOR = "!relax.tensor<[n], f32>"
PROGRAM = f"""
relax.func @main(%x: {MATRIX}) -> tuple<{MATRIX}, {VECTOR}> {{
  %w = relax.constant dense<[{", ".join(["[" + ", ".join(str(i % 7 - 3) for i in range(r, r + 16)) + ".0]" for r in range(16)])}]> : tensor<16x16xf32>
  %a = relax.matmul %x, %w : ({MATRIX}, !relax.tensor<[16, 16], f32>) -> {MATRIX}
  %b = relax.softmax %a {{axis = -1 : i64}} : ({MATRIX}) -> {MATRIX}
  %c = relax.tanh %b : ({MATRIX}) -> {MATRIX}
  %s = relax.sum %c {{axis = array<i64: 1>}} : ({MATRIX}) -> {VECTOR}
  %t = relax.tuple %c, %s : ({MATRIX}, {VECTOR}) -> tuple<{MATRIX}, {VECTOR}>
  relax.return %t : tuple<{MATRIX}, {VECTOR}>
}}
relax.func @times(%x: !relax.tensor<[m], f32>, %k: !relax.tensor<[], i64>) -> !relax.tensor<[m], f32> {{
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %i, %y = relax.while (%a = %zero, %b = %x) : (!relax.tensor<[], i64>, !relax.tensor<[m], f32>) -> (!relax.tensor<[], i64>, !relax.tensor<[m], f32>) {{
    %more = relax.less %a, %k : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
    relax.yield %more : !relax.tensor<[], i1>
  }} do {{
    %next = relax.add %a, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %r = relax.flip %b {{axis = 0 : i64}} : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    %d = relax.cumsum %r {{axis = 0 : i64}} : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    relax.yield %next, %d : !relax.tensor<[], i64>, !relax.tensor<[m], f32>
  }}
  relax.return %y : !relax.tensor<[m], f32>
}}
relax.func @outside(%x: !relax.tensor<[m], f32>, %k: !relax.tensor<[], i1>) -> !relax.tensor<[m], f32> {{
  %a = relax.exp %x : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %b = relax.call_dps_packed "arena.negate"(%a) : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  relax.assert_op %k, %b {{format = "k, of {{}}"}} : (!relax.tensor<[], i1>, !relax.tensor<[m], f32>) -> ()
  %c = relax.call_inplace_packed "arena.negate"(%b, %x) {{inplace_indices = array<i64: 1>}} : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %d = relax.subtract %b, %c : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  relax.return %d : !relax.tensor<[m], f32>
}}
"""
X = np.random.default_rng(0).uniform(-1, 1, (7, 16)).astype(np.float32)
ALLOCATING = (
    r"\b(malloc|calloc|realloc|aligned_alloc|posix_memalign|free|fopen|mmap|madvise|pthread_\w+)\b"
)


def negate(x: np.ndarray, out: np.ndarray) -> None:
    np.negative(x, out=out)


interpret.register_packed("arena.negate", negate)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    lowering.compile(
        parse(PROGRAM), "model", arena=True, cpu="generic", directory=folder, sidecar_threshold=64
    )
    return folder


@pytest.mark.slow
def test_nothing_is_allocated(folder: Path):
    needed = subprocess.run(
        ["nm", "-u", folder / "model.so"], capture_output=True, text=True, check=True
    )
    assert "vsnprintf" in needed.stdout
    assert re.findall(ALLOCATING, needed.stdout) == []
    assert re.findall(ALLOCATING + r"\(", (folder / "model.c").read_text()) == []


@pytest.mark.slow
def test_it_gives_what_the_program_means(folder: Path):
    module, model = parse(PROGRAM), lowering.load(folder)
    with pytest.raises(
        RelaxError, match=r"@main: expected an arena of [0-9]+ bytes, found 0; pass as many as"
    ):
        model.main(X)
    for n, m in ((7, 3), (0, 0), (1, 40), (40, 1)):
        model.use_arena(size := model.arena_size(n=n, m=m))
        x, v = np.resize(X, (n, 16)), np.resize(X, m)
        found, expected = model.main(x), interpret.run(module, "main", x)
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        kept = [part.copy() for part in found]
        given = (v, np.int64(2))
        np.testing.assert_allclose(
            model.times(*given), interpret.run(module, "times", *given), rtol=1e-5, atol=1e-6
        )
        assert all(np.array_equal(a, b) for a, b in zip(found, kept)), "a result is Python's own"
        np.testing.assert_allclose(model.outside(v, np.bool_(True)), -2 * np.exp(v), rtol=1e-5)
    model.use_arena(size - 128)
    with pytest.raises(RelaxError, match=f"expected an arena of {size} bytes, found {size - 128}"):
        model.main(np.resize(X, (40, 16)))
    model.use_arena(model.arena_size(n=1, m=1))
    with pytest.raises(RelaxError, match="@times: expected an arena of"):
        model.times(np.resize(X, 1000), np.int64(2))
    assert model.arena_size(n=2**50, m=0) == model.arena_size(n=-1, m=0) == 2**64 - 1
    with pytest.raises(RelaxError, match="that memory has room for, found 18446744073709551615"):
        model.use_arena(2**64 - 1)
    with pytest.raises(
        RelaxError, match="arena_size: expected the sizes n, m, found n; pass those"
    ):
        model.arena_size(n=1)


DRIVER = r"""
#include "model.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static _Alignas(64) char weights[1 << 16];
static char memory[1 << 16];

static void expect(int condition, const char *what)
{
    if (!condition)
        printf("wrong: %s: %s\n", what, model_last_error());
}

static int calls_back(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)context, (void)args, (void)count, (void)result;
    int64_t times = 1, one = 1;
    float own = 1;
    const DLTensor x = {&own, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &one, NULL, 0};
    const DLTensor k = {&times, {kDLCPU, 0}, 0, {kDLInt, 64, 1}, NULL, NULL, 0};
    DLTensor out = {0};
    return model_times(&x, &k, &out);
}

int main(void)
{
    const DLDataType f32 = {kDLFloat, 32, 1};
    float x[5 * 16], y[5];
    for (int i = 0; i < 80; ++i)
        x[i] = (float)(i % 5) - 2;
    int64_t shape[] = {5, 16};
    DLTensor in = {x, {kDLCPU, 0}, 2, f32, shape, NULL, 0};
    DLTensor z = {0}, s = {y, {kDLCPU, 0}, 1, f32, shape, NULL, 0};

    expect(model_main(&in, &z, &s) != 0 && strstr(model_last_error(), "call model_use_weights first"), "weights");
    FILE *file = fopen("model.weights", "rb");
    const size_t size = fread(weights, 1, sizeof weights, file);
    fclose(file);
    expect(model_use_weights(weights + 1, size) != 0, "unaligned");
    expect(model_use_weights(weights, size - 1) != 0, "too few");
    weights[70] ^= 1;
    expect(model_use_weights(weights, size) != 0, "corrupt");
    weights[70] ^= 1;
    weights[20] ^= 1;
    expect(model_use_weights(weights, size) != 0, "other");
    weights[20] ^= 1;
    expect(model_use_weights(weights, size) == 0, "right");

    for (int start = 0; start < 64; start += 21) {
        const size_t bytes = model_arena_size(5, 0);
        expect(bytes < sizeof memory - 128, "room");
        memset(memory, 77, sizeof memory);
        model_use_arena(memory + start, bytes);
        DLTensor out = {0};
        expect(model_main(&in, &out, &s) == 0, "call");
        for (int i = 0; i < start; ++i)
            expect(memory[i] == 77, "before");
        expect(memory[start + bytes] == 77, "after");
        expect((char *)out.data > memory && (char *)out.data < memory + start + bytes, "inside");
        expect(model_main(&out, &z, &s) != 0 && strstr(model_last_error(), "outside of the arena"), "again");
        float sum = 0;
        for (int i = 0; i < 16; ++i)
            sum += ((float *)out.data)[i];
        expect(sum - y[0] < 1e-4f && y[0] - sum < 1e-4f, "values");
        model_release(&out);
        expect(out.data == NULL, "released");
    }
    const DLDataType i1 = {kDLBool, 8, 1};
    bool yes = true;
    DLTensor row = {x, {kDLCPU, 0}, 1, f32, shape, NULL, 0}, k = {&yes, {kDLCPU, 0}, 0, i1, NULL, NULL, 0};
    model_use_arena(memory, model_arena_size(0, 5));
    expect(model_register("arena.negate", calls_back, NULL) == 0, "register");
    for (int i = 0; i < 2; ++i) {
        DLTensor out = {0};
        expect(model_outside(&row, &k, &out) != 0 && strstr(model_last_error(), "from within a function"), "within");
    }
    model_use_arena(NULL, 0);
    expect(model_main(&in, &z, &s) != 0, "none");
    printf("done\n");
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED[:1])
def test_a_caller_in_c_under_sanitizers(folder: Path, cc: str):
    assert run_sanitized(cc, folder, DRIVER) == "done\n"


def test_the_copy_of_a_shape_takes_whole_lines():
    """Beside its header, and a line for what is empty."""
    assert [str(shape_bytes(rank)) for rank in (0, 1, 8, 9)] == ["128", "192", "192", "256"]


def test_memory_that_no_size_changes_is_a_constant(tmp_path: Path):
    text = f"relax.func @f(%x: {VECTOR}) -> {VECTOR} {{\n  %y = relax.exp %x : ({VECTOR}) -> {VECTOR}\n  relax.return %y : {VECTOR}\n}}"
    source = lowering.to_c(parse(text.replace("[n]", "[30]")), "one", cpu="generic", arena=True)
    assert source.arena == ()
    (size,) = re.findall(r"#define ONE_ARENA_BYTES (\d+)", source.h)
    found = re.search(r"frames = (\d+);\n    const int64_t values = (\d+);", source.c)
    assert found is not None and int(found[1]) + int(found[2]) == int(size) - 63
    assert "ARENA_BYTES" not in lowering.to_c(parse(text), "one", cpu="generic", arena=True).h
    assert "size_t one_arena_size(void);" in source.h
    source.write(tmp_path)
    compile_c(source, tmp_path, extra_flags=["-Wall", "-Wextra", "-Werror", "-pedantic", "-O0"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("""relax.func @main(%x: V) -> !relax.tensor<[1, ?], i64> {
  %y = relax.nonzero %x : (V) -> !relax.tensor<[1, ?], i64>
  relax.return %y : !relax.tensor<[1, ?], i64> }""",
         r"@main: 'y' of @nonzero\w*: .* found the shape \[1, \?\], which only the running function knows; compile without --arena$"),
        ("""relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %y = relax.cumsum %x {axis = 0} : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32> }""",
         r"'y' of @cumsum: .* compile without --arena, or name the dimensions in the types of its arguments$"),
        ("""relax.func @main(%x: V) -> V {
  %y = relax.call_packed "f"(%x) : (V) -> V
  relax.return %y : V }""", '@main: .* found a call of "f" from outside, which allocates its result; call it by relax.call_dps_packed'),
        ("""relax.func @main(%f: !relax.func<(V) -> V>, %x: V) -> V {
  %y = relax.call_closure %f, %x : (!relax.func<(V) -> V>, V) -> V
  relax.return %y : V }""", "@main: .* found a call of a function value"),
        ("""relax.func @main(%x: V) -> V {
  %y = relax.call @main(%x) : (V) -> V
  %z = relax.exp %y : (V) -> V
  relax.return %z : V }""", "@main: call of @main_nested: .* found recursion"),
        ("""relax.func @main(%x: V, %k: !relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
  %y = relax.while (%b = %x) : (V) -> (!relax.tensor<[?], f32>) {
    relax.yield %k : !relax.tensor<[], i1>
  } do {
    %c = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %e = relax.concat %c, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, V) -> !relax.tensor<[m + n], f32>
    relax.yield %e : !relax.tensor<[m + n], f32>
  }
  relax.return %y : !relax.tensor<[?], f32> }""", r"@main: '.*' of .*: .* found the shape \[\?\]"),
        ("""relax.func private @g(%x: V) -> !relax.tensor<[], f32> {
  %a = relax.cumsum %x {axis = 0 : i64} : (V) -> V
  %b = relax.cumsum %a {axis = 0 : i64} : (V) -> V
  %s = relax.sum %b : (V) -> !relax.tensor<[], f32>
  relax.return %s : !relax.tensor<[], f32> }
relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[], f32> {
  %c = relax.match_cast %x : !relax.tensor<[?], f32> -> V
  %y = relax.call @g(%c) : (V) -> !relax.tensor<[], f32>
  relax.return %y : !relax.tensor<[], f32> }""",
         r"@main: call of @g: .* one that takes 128 \* \(\(n \+ 15\) floordiv 16\) \+ 192 \+ 0 bytes, of sizes that only"),
        ("""relax.func private @g(%x: V, %z: M, %k: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %b = relax.if %k : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %a = relax.cumsum %x {axis = 0 : i64} : (V) -> V
    relax.yield %a : V
  } else {
    %a = relax.cumsum %z {axis = 0 : i64} : (M) -> M
    relax.yield %a : M
  }
  %s = relax.sum %b : (!relax.tensor<[?], f32>) -> !relax.tensor<[], f32>
  relax.return %s : !relax.tensor<[], f32> }
relax.func @main(%x: V, %z: M, %k: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %zero = relax.constant dense<0.0> : tensor<f32>
  %y = relax.while (%b = %zero) : (!relax.tensor<[], f32>) -> (!relax.tensor<[], f32>) {
    relax.yield %k : !relax.tensor<[], i1>
  } do {
    %c = relax.call @g(%x, %z, %k) : (V, M, !relax.tensor<[], i1>) -> !relax.tensor<[], f32>
    relax.yield %c : !relax.tensor<[], f32>
  }
  relax.return %y : !relax.tensor<[], f32> }""", "@main: .* found a loop in each iteration of which @g allocates; compile without"),
        ("relax.func @main(%x: !relax.object) -> !relax.object { relax.return %x : !relax.object }",
         "@main: expected tensors and numbers, found an object"),
    ],
    ids=["data", "unnamed", "packed", "function value", "recursion", "growing", "callee", "loop", "object"],
)  # fmt: skip
def test_what_needs_more_than_sizes_is_refused(text: str, message: str):
    with pytest.raises(RelaxError, match=message) as caught:
        text = text.replace("V", VECTOR).replace("M", "!relax.tensor<[m], f32>")
        lowering.to_c(parse(text), arena=True)
    assert "--arena: " in str(caught.value)


def test_print_stays():
    text = f"relax.func @f(%x: {VECTOR}) -> {VECTOR} {{\n  relax.print %x : ({VECTOR}) -> ()\n  relax.return %x : {VECTOR}\n}}"
    assert (
        re.findall(ALLOCATING + r"\(", lowering.to_c(parse(text), cpu="generic", arena=True).c)
        == []
    )
