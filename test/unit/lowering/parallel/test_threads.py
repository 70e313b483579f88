"""Compiled models on several threads: the same bits, forks, many callers, errors, builds without threads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import COMPILERS, UNOPTIMISED
from watched_threads import all_loops

import lowering
from lowering.runtime.loading import CompiledModule
from lowering.tools import relax_run
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse

WEIGHTS = np.random.default_rng(1).standard_normal((24, 40)).astype(np.float32)
FILTERS = np.random.default_rng(2).standard_normal((8, 4, 3, 3)).astype(np.float32)

FUNCTIONS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "dense": (("n", 24), lambda x: op.softmax(op.relu(op.matmul(x, const(WEIGHTS))))),
    "convolution": (("n", 4, 9, 11), lambda x: op.conv2d(x, const(FILTERS), padding=1)),
    "depthwise": (
        ("n", 8, 13, 7),
        lambda x: op.conv2d(x, const(FILTERS[:, :1]), padding=1, groups=8),
    ),
    "norm": (("n", 33), lambda x: op.divide(x, op.sqrt(op.mean(op.multiply(x, x), [-1], True)))),
    "moved": (("n", 5, 17), lambda x: op.concat([op.permute_dims(x, [2, 0, 1])] * 2, 1)),
    "wide": (("n",), lambda x: op.tanh(op.multiply(x, x))),
    "sums": (("n", 700), lambda x: op.sum(x, [0])),
    "scanned": (("n", 9), lambda x: op.cumsum(x, 0)),
}


def built(names: Any = FUNCTIONS, **options: Any) -> CompiledModule:
    builder = BlockBuilder()
    for name in names:
        shape, network = FUNCTIONS[name]
        with builder.function(name, {"x": TensorType(shape, "f32")}) as (x,):
            builder.emit_func_output(builder.emit(network(x)))
    with all_loops():
        options = {"extra_flags": UNOPTIMISED, **options}
        return lowering.compile(builder.get(), "threaded", **options)


def argument(name: str, n: int) -> np.ndarray:
    shape = [n if size == "n" else size for size in FUNCTIONS[name][0]]
    return np.random.default_rng(n).standard_normal(shape).astype(np.float32)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return built()


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_number_of_threads_computes_the_same_bits(model: CompiledModule, name: str):
    for n in (0, 1, 2, 7, 70):
        x = argument(name, n)
        model.threads = 1
        expected = model[name](x)
        for threads in (2, 3, 7):
            model.threads = threads
            assert model.threads == threads
            np.testing.assert_array_equal(model[name](x), expected, f"{n=} {threads=}")


def test_loops_of_enough_work_are_split():
    assert "run_parts(&split" in lowering.to_c(wide(), cpu="generic").c


def wide() -> Any:
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n", 64], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.exp(x)))
    return builder.get()


def test_little_work_has_no_threads():
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType([8, 8], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.exp(x)))
    source = lowering.to_c(builder.get(), cpu="generic")
    assert not source.has_threads
    assert "set_threads" not in source.c
    compiled = lowering.compile(builder.get())
    compiled.threads = 2  # nothing to share
    assert compiled.threads == 1


@pytest.mark.slow
def test_many_callers_and_two_models():
    first, second = built(["dense"]), built(["norm"])
    x, y = argument("dense", 70), argument("norm", 50)
    expected = first.dense(x), second.norm(y)
    first.threads, second.threads = 2, 3

    def call(number: int) -> bool:
        own = first.dense(x) if number % 2 else second.norm(y)
        return np.array_equal(own, expected[1 - number % 2])

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(call, range(120)))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this machine has no fork (use Linux)")
def test_a_forked_child_makes_its_own_threads(model: CompiledModule):
    x = argument("dense", 70)
    model.threads = 3
    expected = model.dense(x)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(model.dense(x), expected) else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    np.testing.assert_array_equal(model.dense(x), expected)


@pytest.mark.slow
def test_models_close_while_threads_wait():
    for threads in (2, 3):
        with built(["dense"]) as model:
            model.threads = threads
            model.dense(argument("dense", 70))


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, -1, 257, True, 2.0, "2"])
def test_a_wrong_number_is_refused(model: CompiledModule, count: Any):
    with pytest.raises(RelaxError, match=r"threads: expected a number from 1 to 256, found"):
        model.threads = count


@pytest.mark.slow
@pytest.mark.parametrize("cc", COMPILERS)
def test_without_threads_it_is_serial_and_says_so(cc: str):
    flags = ["-DRELAX_THREADS=0", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"]
    alone = built(["dense", "depthwise"], cc=cc, extra_flags=flags)
    assert alone.threads == 1
    alone.threads = 1
    with pytest.raises(RelaxError, match=r"found one without; compile threaded\.c without -D"):
        alone.threads = 2
    x = argument("dense", 7)
    np.testing.assert_allclose(alone.dense(x).sum(1), 1, rtol=1e-5)


@pytest.mark.slow
def test_with_threads_there_are_no_warnings_either():
    built(["dense", "depthwise"], extra_flags=["-Wall", "-Wextra", "-Werror", "-Wno-psabi"])


FAILING = """
func.func @main(%n: index {relax.symbol = "n"}, %x: memref<?x64xf32> {relax.dims = ["n", "64"]})
    -> (memref<?xf32> {relax.dims = ["n"]}) attributes {relax.entry} {
  %out = memref.alloc(%n) : memref<?xf32>
  func.call @checked(%n, %x, %out) : (index, memref<?x64xf32>, memref<?xf32>) -> ()
  func.return %out : memref<?xf32>
}
func.func private @checked(%n: index {relax.symbol = "n"}, %x: memref<?x64xf32> {relax.dims = ["n", "64"]},
    %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i, %c0] : memref<?x64xf32>
    %index = arith.fptosi %a : f32 to i64
    %limit = arith.constant 100 : i64
    %small = arith.cmpi slt, %index, %limit : i64
    cf.assert %small, "checked: expected a number below 100"
    memref.store %a, %out[%i] : memref<?xf32>
  } {relax.parallel}
  func.return
}
"""


def test_the_error_is_that_of_the_first_iteration_that_fails():
    from lowering.emit_c import emit
    from lowering.pipeline import lower
    from lowering.runtime import loading

    with all_loops():
        module = lower(parse(FAILING), ["relax-parallelize-loops", "relax-plan-memory"])
        source = emit(module, "failing")
    assert source.has_threads
    model = loading.build(source)
    x = np.zeros((300, 64), np.float32)
    for threads in (1, 2, 7):
        model.threads = threads
        assert model.main(x).shape == (300,)
    x[[40, 170, 299], 0] = 140, 270, 399
    for threads in (1, 2, 7):
        model.threads = threads
        for _ in range(5):
            with pytest.raises(RelaxError, match=r"below 100 \(140 vs 100\)"):
                model.main(x)


@pytest.mark.slow
def test_the_environment_and_the_tools_set_the_number(tmp_path: Path, capsys: Any):
    assert built(["wide"]).threads == 1
    program = tmp_path / "wide.mlir"
    program.write_text(str(wide()))
    assert relax_run.main([str(program), "--random", "n=100", "--threads", "2", "--quiet"]) == 0
    assert relax_run.main([str(program), "--random", "n=3", "--threads", "0", "--quiet"]) != 0
    assert "--threads 0: expected a number from 1 to 256" in capsys.readouterr().err
    built_with = [sys.executable, "-m", "lowering.tools.relax_compile", str(program), "-o"]
    subprocess.run([*built_with, str(tmp_path), "--threads", "3", "--quiet"], check=True)
    load = f"import lowering; print(lowering.load({str(tmp_path / 'wide.json')!r}).threads)"
    for value, expected in ((None, "3"), ("2", "2")):
        told = {name: text for name, text in os.environ.items() if name != "OMP_NUM_THREADS"}
        told |= {} if value is None else {"OMP_NUM_THREADS": value}
        done = subprocess.run(
            [sys.executable, "-c", load], env=told, capture_output=True, check=True
        )
        assert done.stdout.decode().strip() == expected
