"""Frames of functions: places that never collide, memory that stays between calls and is given back."""

from __future__ import annotations

import gc
import random
import re
import resource
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from optional import LIGHTLY, SANITIZED
from sanitizers import run_sanitized
from xdsl.dialects import func

import lowering
from lowering.emit_c import emit
from lowering.emit_c.helpers.arena import NAMES
from lowering.emit_c.helpers.c_files import helpers_of
from lowering.emit_c.syntax.file_parts import FileParts
from lowering.memory.in_place.memref_size_exprs import magnitude
from lowering.memory.in_place.size_order import typical
from lowering.memory.plan.lifetimes import OwnedMemory, values_of
from lowering.memory.plan.offset_order import needed
from lowering.memory.plan.placement import LONGEST, place
from lowering.memory.plan.plan_memory import plan_memory
from lowering.memory.plan.usage import memory_usage
from relax_dialect import interpret, parse, symbolic
from relax_dialect.errors import ExecutionError, RelaxError, SymbolicError
from relax_dialect.symbolic import provably_at_least

SIZES = ("n", "m", "n * m", "n + 3", "2 * n", "max(n, m)", "n floordiv 2", "7", "64")


def random_function(rng: random.Random) -> func.FuncOp:
    """Allocations of random sizes that are freed in a random order, some of them in regions."""
    lines: list[str] = []
    alive: list[tuple[str, str]] = []
    for number in range(rng.randint(1, 14)):
        while alive and rng.random() < 0.45:
            name, type = alive.pop(rng.randrange(len(alive)))
            lines.append(f"memref.dealloc {name} : {type}")
        rows, columns = rng.choice(SIZES), rng.choice((1, 3, 16, 64))
        name, type = f"%v{number}x", f"memref<?x{columns}x{rng.choice(('f32', 'i8', 'f64'))}>"
        size = f"%s{SIZES.index(rows)}"
        if rng.random() < 0.2:
            lines += ["scf.if %c {", f"{name} = memref.alloc({size}) : {type}"]
            lines += [f"memref.dealloc {name} : {type}", "}"]
        else:
            lines.append(f"{name} = memref.alloc({size}) : {type}")
            alive.append((name, type))
    lines += [f"memref.dealloc {name} : {type}" for name, type in alive]
    dims = ", ".join(f'"{size}"' for size in SIZES)
    unknown = f"memref<{'?x' * len(SIZES)}f32>"
    head = [f"%i{i} = arith.constant {i} : index" for i in range(len(SIZES))]
    head += [f"%s{i} = memref.dim %shape, %i{i} : {unknown}" for i in range(len(SIZES))]
    text = "\n".join([*head, *lines])
    module = parse(f"""
    func.func @f(%n: index {{relax.symbol = "n"}}, %m: index {{relax.symbol = "m"}}, %c: i1,
                 %shape: {unknown} {{relax.dims = [{dims}]}}) {{
      {text}
      func.return
    }}""")
    function = module.body.block.first_op
    assert isinstance(function, func.FuncOp)
    return function


def bound(values: Sequence[OwnedMemory], sizes: dict[str, int]) -> int:
    """The most bytes that are needed at once."""

    def alive(at: int) -> int:
        found = 0
        for v in values:
            assert v.size is not None and v.end is not None
            found += v.size.evaluate(sizes) if v.start <= at < v.end else 0
        return found

    return max(alive(v.start) for v in values)


@pytest.mark.parametrize("seed", range(60))
def test_values_that_are_alive_at_once_do_not_collide(seed):
    values = values_of(random_function(random.Random(seed)))
    placement = place(values)
    assert set(placement.places) == set(values)
    for n, m in [(0, 0), (1, 1), (1, 0), (0, 9), (3, 2), (2, 40), (700, 3), (128, 128)]:
        sizes = {"n": n, "m": m}
        at = {v: start.evaluate(sizes) for v, (start, _) in placement.places.items()}
        ends = {v: at[v] + v.size.evaluate(sizes) for v in values if v.size is not None}
        size = placement.size.evaluate(sizes)
        assert all(at[v] >= 0 and at[v] % 64 == 0 and ends[v] <= size for v in values)
        for a, b in combinations(values, 2):
            assert a.end is not None and b.end is not None
            if a.start < b.end and b.start < a.end and ends[a] > at[a] and ends[b] > at[b]:
                assert ends[a] <= at[b] or ends[b] <= at[a], (seed, a.name, b.name, sizes)


@pytest.mark.long
def test_many_values_at_once_are_placed_in_time():
    count, type = 1500, "memref<?x64xf32>"
    lines = [f"%v{i}x = memref.alloc(%n) : {type}" for i in range(count)]
    lines += [f"memref.dealloc %v{i}x : {type}" for i in range(count)]
    body = "\n".join([*lines, "func.return"])
    module = parse(f'func.func @f(%n: index {{relax.symbol = "n"}}) {{ {body} }}')
    start = time.process_time()
    plan_memory(module)
    assert time.process_time() - start < 10
    assert f'relax.frame = "{count * 256} * n"' in str(module)


@pytest.mark.slow
def test_frames_take_little_more_than_is_needed_at_once():
    """Also where one size is much larger than the other, which no order is made for."""
    functions = [values_of(random_function(random.Random(seed))) for seed in range(50)]
    frames = [place(values).size for values in functions]
    for n, m in [(128, 128), (1, 1), (37, 37), (5, 1000), (700, 3)]:
        sizes = {"n": n, "m": m}
        pairs = zip(functions, frames)
        ratios = [f.evaluate(sizes) / max(1, bound(values, sizes)) for values, f in pairs]
        assert np.mean(ratios) < 1.02 and max(ratios) < (1.25 if n == m else 1.8), sizes


def test_what_is_needed_at_once_is_counted():
    """Two values overlap, and the third takes the place of the first."""
    spans = ((0, 4, 10), (2, 9, 100), (4, 8, 30))
    sizes = {
        OwnedMemory(func.ReturnOp(), None, "", (), None, start, end): size
        for start, end, size in spans
    }
    assert needed(sizes) == 130 and needed({}) == 0


def test_what_comes_later_lies_where_larger_values_were_whatever_the_sizes():
    """Three stages of which each is smaller than the one before for large sizes, and larger for small ones."""
    stages = [(64, "n"), (128, "n floordiv 4 + 1"), (256, "n floordiv 16 + 1")]
    lines: list[str] = []
    before = ""
    for number, (columns, _) in enumerate(stages):
        for part in "ab":
            type = f"memref<?x{columns}xf32>"
            lines.append(f"%{part}{number}x = memref.alloc(%s{number}) : {type}")
            lines += [before] if before else []
            before = f"memref.dealloc %{part}{number}x : {type}"
    dims = ", ".join(f'"{rows}"' for _, rows in stages)
    module = parse(f"""
    func.func @f(%n: index {{relax.symbol = "n"}}, %s: memref<?x?x?xf32> {{relax.dims = [{dims}]}}) {{
      {chr(10).join(f"%i{i} = arith.constant {i} : index" for i in range(3))}
      {chr(10).join(f"%s{i} = memref.dim %s, %i{i} : memref<?x?x?xf32>" for i in range(3))}
      {chr(10).join([*lines, before])}
      func.return
    }}""")
    function = module.body.block.first_op
    assert isinstance(function, func.FuncOp)
    values = values_of(function)
    frame = place(values).size
    for n in (1, 2, 3, 10, 100, 1000):
        assert frame.evaluate({"n": n}) <= 1.25 * bound(values, {"n": n})


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ("n + 1", "n", True),
        ("n", "m", False),
        ("max(n, m)", "m", True),
        ("n + max(n, m)", "max(n, m)", True),
        ("n + max(n, m)", "max(2 * n, m)", True),
        ("n + max(n, m)", "max(3 * n, m)", False),
        ("max(n, m)", "n + 1", False),
    ],
)
def test_comparing_sizes_with_maxima(a: str, b: str, expected: bool):
    assert provably_at_least(symbolic.parse(a), symbolic.parse(b)) is expected


def test_a_magnitude_bounds_what_is_computed_on_the_way():
    """Of a product also where one factor is 0, and of a difference both sides."""
    for text, expected in (
        ("n * m - 2 * n", 3 * 4 + 2 * 2),
        ("3 * n", 6),
        ("max(n, m) + 1", 2 + 3 + 1),
    ):
        size = magnitude([symbolic.parse(text)])
        assert size.evaluate({"n": 2, "m": 3}) == expected


# Calls

ROWS = "!relax.tensor<[n, 64], f32>"
SQUARE = "!relax.tensor<[64, 64], f32>"
PROGRAM = f"""
relax.func @main(%x: {ROWS}, %w: {SQUARE}) -> !relax.tensor<[64], f32> {{
  %a = relax.matmul %x, %w : ({ROWS}, {SQUARE}) -> {ROWS}
  %b = relax.matmul %a, %w : ({ROWS}, {SQUARE}) -> {ROWS}
  %c = relax.matmul %b, %w : ({ROWS}, {SQUARE}) -> {ROWS}
  %s = relax.sum %c {{axis = array<i64: 0>}} : ({ROWS}) -> !relax.tensor<[64], f32>
  relax.return %s : !relax.tensor<[64], f32>
}}
relax.func @down(%x: {ROWS}, %w: {SQUARE}, %s: !relax.shape<[k]>) -> {ROWS} {{
  %0 = relax.shape_to_tensor %s : (!relax.shape<[k]>) -> !relax.tensor<[1], i64>
  %1 = relax.astype %0 {{dtype = i1}} : (!relax.tensor<[1], i64>) -> !relax.tensor<[1], i1>
  %more = relax.squeeze %1 : (!relax.tensor<[1], i1>) -> !relax.tensor<[], i1>
  %r = relax.if %more : (!relax.tensor<[], i1>) -> {ROWS} {{
    %t = relax.shape [k - 1]
    %a = relax.matmul %x, %w : ({ROWS}, {SQUARE}) -> {ROWS}
    %y = relax.call @down(%a, %w, %t) : ({ROWS}, {SQUARE}, !relax.shape<[k - 1]>) -> {ROWS}
    %b = relax.flip %a {{axis = 0 : i64}} : ({ROWS}) -> {ROWS}
    %z = relax.add %b, %y : ({ROWS}, {ROWS}) -> {ROWS}
    relax.yield %z : {ROWS}
  }} else {{
    relax.yield %x : {ROWS}
  }}
  relax.return %r : {ROWS}
}}
"""


@pytest.fixture(scope="module")
def module():
    return parse(PROGRAM)


@pytest.fixture(scope="module")
def model(module):
    return lowering.compile(module, extra_flags=LIGHTLY)


def arguments(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.standard_normal((n, 64), "f"), rng.standard_normal((64, 64), "f") / 8


def expected(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    w = w.astype(np.float64)
    return (x @ w @ w @ w).sum(axis=0)


def kept(n: int) -> int:
    """The bytes of the frame of @main: two of the values at once."""
    return 2 * n * 64 * 4


# So many rows that malloc does not keep the frame for its own use, as it may up to 32 MiB once it has freed as much.
MANY = 80_000


@pytest.mark.slow
def test_a_steady_call_faults_no_page(model):
    x, w = arguments(MANY)

    def faults() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        model.main(x, w)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    model.trim()
    assert faults() > kept(MANY) // 4096 // 600  # large pages count as one
    assert min(faults() for _ in range(3)) == 0
    assert model.trim() >= kept(MANY)
    assert faults() > 0
    model.trim()


@pytest.mark.slow
def test_trim_gives_back_what_the_largest_call_needed(model):
    model.trim()
    assert model.trim() == 0
    for n in (10, 1000, 3):
        np.testing.assert_allclose(model.main(*arguments(n)), expected(*arguments(n)), atol=1e-3)
    assert kept(1000) <= model.trim() <= kept(1000) + 1024
    np.testing.assert_allclose(model.main(*arguments(5)), expected(*arguments(5)), atol=1e-3)
    assert model.trim() < kept(20)


@pytest.mark.slow
def test_threads_have_memory_of_their_own(model):
    sizes = [3, 50, 777, 1500]
    barrier = threading.Barrier(len(sizes))

    def work(n: int) -> int:
        args = arguments(n)
        barrier.wait()
        for _ in range(50):
            np.testing.assert_allclose(model.main(*args), expected(*args), atol=1e-2)
        return model.trim()

    with ThreadPoolExecutor(len(sizes)) as pool:
        trimmed = list(pool.map(work, sizes))
    assert all(kept(n) <= size < kept(n) + 1024 for n, size in zip(sizes, trimmed))


def resident() -> int:
    """The bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.slow
def test_threads_that_end_give_their_memory_back(model):
    args = arguments(MANY)
    model.main(*args)
    before = resident()
    for _ in range(8):
        thread = threading.Thread(target=model.main, args=args)
        thread.start()
        thread.join()
    assert resident() - before < 3 * kept(MANY)


@pytest.mark.long
def test_a_closed_module_gives_back_what_all_threads_keep(module):
    args = arguments(100_000)
    with lowering.compile(module, extra_flags=LIGHTLY) as own, ThreadPoolExecutor(1) as pool:
        gc.collect()
        before = resident()
        pool.submit(own.main, *args).result()
        own.main(*args)
        assert resident() - before > 1.5 * kept(100_000)  # two frames; malloc may give others back
        own.close()
        gc.collect()  # results and functions that refer to the library
        assert resident() - before < kept(100_000)
        assert own.trim() == 0


@pytest.mark.slow
def test_every_activation_of_a_recursive_function_has_a_frame(module, model):
    x, w = arguments(9)
    model.trim()
    for depth in (40, 3, 40):
        found = model.down(x, w, (depth,))
        np.testing.assert_allclose(found, interpret.run(module, "down", x, w, (depth,)), rtol=1e-3)
    assert model.trim() >= 40 * 9 * 64 * 4


def test_the_parts_of_a_file_share_one_arena():
    """Static variables without a value are shared by all parts, and nothing else is."""
    text = helpers_of("arena.c")["empty_arena"].text
    variables = re.findall(r"^static [^(]*?(\w+)(?: =.*)?;", text, re.M)
    shared = FileParts("model", {}, [], [], whole=False).state(text)
    assert set(variables) == NAMES == set(re.findall(r"^MODEL_STATE [^(]*?(\w+);$", shared, re.M))


@pytest.mark.slow
def test_what_is_called_back_does_not_write_over_what_is_needed():
    """A function from outside that calls the model again, from inside of a function whose frame lies in that of
    another."""
    square = "!relax.tensor<[64, 64], f32>"
    own = parse(f"""
    relax.func @main(%x: {square}) -> {square} {{
      %a = relax.matmul %x, %x : ({square}, {square}) -> {square}
      %b = relax.softmax %a {{axis = 0 : i64}} : ({square}) -> {square}
      %c = relax.call @inner(%b) : ({square}) -> {square}
      %d = relax.matmul %a, %b : ({square}, {square}) -> {square}
      %e = relax.matmul %d, %c : ({square}, {square}) -> {square}
      relax.return %e : {square}
    }}
    relax.func private @inner(%x: {square}) -> {square} {{
      %a = relax.softmax %x {{axis = 0 : i64}} : ({square}) -> {square}
      %b = relax.call_packed "again"(%a) : ({square}) -> {square}
      %c = relax.matmul %a, %b : ({square}, {square}) -> {square}
      relax.return %c : {square}
    }}
    """)
    depth = 0

    def again(x: np.ndarray) -> np.ndarray:
        nonlocal depth
        depth += 1
        return call(x.copy()) if depth < 4 else x.copy()

    interpret.register_packed("again", again)
    model = lowering.compile(own)
    x = np.random.default_rng(0).standard_normal((64, 64), "f") / 8
    call = lambda value: interpret.run(own, "main", value)  # noqa: E731
    right = call(x)
    for _ in range(2):
        depth, call = 0, model.main
        np.testing.assert_allclose(model.main(x), right, rtol=1e-4)


def test_frames_too_large_for_memory_fail_as_allocations_do(model):
    """Sizes that no memory holds: the error names the first value that there is no room for."""
    x, w = arguments(2)
    huge = np.lib.stride_tricks.as_strided(x, (2**46, 64), (256, 4))
    with pytest.raises(ExecutionError, match=r"^main: a: (out of memory for|the sizes are too)"):
        model.main(huge, w)
    np.testing.assert_allclose(model.main(x, w), expected(x, w), atol=1e-3)


DRIVER = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "model.h"

static float x[300 * 64], w[64 * 64];

static int call(int64_t n)
{
    int64_t rows[] = {n, 64}, square[] = {64, 64};
    DLTensor a = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, rows, NULL, 0};
    DLTensor b = {w, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, square, NULL, 0};
    DLTensor out = {0}, deep = {0};
    int failed = model_main(&a, &b, &out) || model_down(&a, &b, n % 30, &deep);
    for (int i = 0; i < 64 && !failed; ++i)
        failed = ((float *)out.data)[i] != (float)n * 8;
    model_release(&out);
    model_release(&deep);
    return failed;
}

static void *run(void *own)
{
    for (int64_t n = 1; n <= 300; n += 23)
        if (call(n) != 0)
            *(int *)own = 1;
    return NULL;
}

int main(void)
{
    int failed[4] = {0};
    pthread_t threads[4];
    for (int i = 0; i < 300 * 64; ++i)
        x[i] = 1;
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j)
            w[i * 64 + j] = (float)((i + j) % 64 < 2);
    for (int i = 0; i < 4; ++i)
        pthread_create(&threads[i], NULL, run, &failed[i]);
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
        if (failed[i])
            printf("thread %d failed: %s\\n", i, model_last_error());
    }
    int own = 0;
    run(&own);
    printf("%d %d", own, model_trim() > 0);
    printf(" %d", (int)model_trim());
    run(&own);
    model_unload();
    run(&own);
    printf(" %d\\n", own);
    return 0;
}
"""


RACES = ("-fno-sanitize=address,undefined", "-fsanitize=thread")


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_sanitizers_find_nothing_in_frames(module, tmp_path, cc):
    """Builds for AddressSanitizer leave frames out unless asked for them; nothing of a thread leaks."""
    lowering.to_c(module).write(tmp_path)
    assert run_sanitized(cc, tmp_path, DRIVER, ["-DRELAX_ARENA=1"]) == "0 1 0 0\n"


@pytest.mark.long
@pytest.mark.parametrize("cc", SANITIZED[:1])
def test_threads_do_not_race(module, tmp_path, cc):
    lowering.to_c(module).write(tmp_path)
    assert run_sanitized(cc, tmp_path, DRIVER, RACES) == "0 1 0 0\n"


def test_frames_that_reach_beyond_their_callers_frame_meet_nothing():
    """@middle has no place for the frame of @inner, where it would begin is too long to say; @outer needs %x while it
    calls @middle, so that %x lies before all of that."""
    names = [letter * LONGEST for letter in "ab"]
    arguments = ", ".join(f'%{n}: index {{relax.symbol = "{n}"}}' for n in names)
    given, types = ", ".join(f"%{n}" for n in names), ", ".join(["index"] * len(names))
    sizes = [f"%v{i}x = memref.alloc(%{n}) : memref<?x16xf32>" for i, n in enumerate(names)]
    frees = [f"memref.dealloc %v{i}x : memref<?x16xf32>" for i in range(2)]
    module = parse(f"""
func.func private @inner({arguments}) {{
  {chr(10).join([sizes[0], frees[0]])}
  func.return
}}
func.func private @middle({arguments}) {{
  {sizes[1]}
  func.call @inner({given}) : ({types}) -> ()
  {frees[1]}
  func.return
}}
func.func @outer({arguments}) {{
  %x = memref.alloc() : memref<16xf32>
  func.call @middle({given}) : ({types}) -> ()
  memref.dealloc %x : memref<16xf32>
  func.return
}}""")
    plan_memory(module)
    functions = {f.sym_name.data: f for f in module.walk() if isinstance(f, func.FuncOp)}
    assert "relax.frame" in functions["inner"].attributes
    offsets = {
        name: [
            op.attributes["relax.offset"].data for op in f.walk() if "relax.offset" in op.attributes
        ]
        for name, f in functions.items()
    }
    assert offsets["middle"] == ["0"]  # of its value; the frame of @inner begins after its own
    assert offsets["outer"] == ["0"]
    usage = memory_usage(module)
    peaks = {f.name: f.peak.evaluate(dict.fromkeys(names, 1)) for f in usage.functions}
    assert peaks == {"inner": 64, "middle": 64 + 64, "outer": 64 + 128}


@pytest.mark.parametrize(
    "frame, offset, message",
    [
        ("", "0", r"relax\.offset: expected relax\.frame on the function, found none; run"),
        ('"64 * m"', "0", r'relax\.frame: expected a size in n, found "64 \* m"; run'),
        ("64", "0", r"relax\.frame: expected a size in n, found 64 : i64; run"),
        ('"64 * n"', "k", r'relax\.offset: expected a size in n, found "k"; run'),
        ('"64 * "', "0", r"'64 \* ': "),
    ],
)
def test_a_plan_that_does_not_fit_the_function_is_refused(frame: str, offset: str, message: str):
    attribute = f", relax.frame = {frame}" if frame else ""
    text = f"""
    func.func @f(%n: index {{relax.symbol = "n"}}) attributes {{relax.entry{attribute}}} {{
      %a = memref.alloc(%n) {{relax.offset = "{offset}"}} : memref<?x16xf32>
      memref.dealloc %a : memref<?x16xf32>
      func.return
    }}"""
    with pytest.raises(RelaxError, match=message):
        emit(parse(text), "model")


def test_sizes_too_long_to_compare_have_no_order():
    a, b = (symbolic.total(symbolic.var(f"{x}{i}") for i in range(40)) for x in "ab")
    with pytest.raises(SymbolicError):
        _ = a - b
    assert not provably_at_least(a, b) and not provably_at_least(b, a)
    assert provably_at_least(a, a)


def test_sizes_that_no_call_can_have_at_the_guessed_number():
    """For n = 128 the sizes do not broadcast."""
    n = symbolic.var("n")
    rows, positions = (symbolic.minimum(n, symbolic.const(most)) for most in (8, 16))
    size = symbolic.broadcast(rows, positions)
    assert typical(size) == 0 and typical(size, 4) == 4
