"""Finding and running the C compiler, and loading what it makes."""

from __future__ import annotations

import gc
import mmap
from collections.abc import Callable

import numpy as np
import pytest

from lowering.emit_c import emit
from lowering.runtime import loading as runtime
from lowering.runtime import shared_object
from lowering.support import c_compiler
from relax_dialect.errors import RelaxError


def fill(value: int) -> str:
    return f"""
func.func @main(%n: index {{relax.symbol = "n"}})
    -> (memref<?xi64> {{relax.dims = ["n"]}}) attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant {value} : i64
  %a = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {{
    memref.store %v, %a[%i] : memref<?xi64>
  }}
  func.return %a : memref<?xi64>
}}"""


def test_no_compiler(monkeypatch, tmp_path, parse):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: None)
    source = emit(parse(fill(1)), "model")
    with pytest.raises(RelaxError, match="install gcc or clang, or set CC"):
        runtime.compile_c(source, tmp_path)
    monkeypatch.setenv("CC", "tcc -w")
    with pytest.raises(RelaxError, match=r"\$CC names 'tcc -w', which is not found"):
        runtime.compile_c(source, tmp_path)
    with pytest.raises(RelaxError, match="the argument cc names 'icc', which is not found"):
        runtime.compile_c(source, tmp_path, cc="icc")


def test_the_argument_comes_before_the_environment(monkeypatch):
    installed = c_compiler.find_compiler()[0]
    monkeypatch.setenv("CC", f"{installed} -DA=1")
    assert c_compiler.find_compiler() == [installed, "-DA=1"]
    assert c_compiler.find_compiler(f"{installed} -g") == [installed, "-g"]


def test_a_failing_compiler_is_quoted(parse, tmp_path):
    source = emit(parse(fill(1)), "model")
    with pytest.raises(RelaxError, match=r"failed on model\.c:\n.*error.*no-such-flag") as error:
        runtime.compile_c(source, tmp_path, extra_flags=("-fno-such-flag",))
    assert len(str(error.value).splitlines()) <= shared_object.ERROR_LINES + 1


@pytest.mark.slow
def test_recompiling_never_gives_the_old_library(parse, tmp_path):
    modules = []
    for value in range(4):
        source = emit(parse(fill(value)), "model")
        library = runtime.compile_c(source, tmp_path, extra_flags=("-O0",))
        modules.append(runtime.load(library, source.entries))
    assert [m.main(1).tolist() for m in modules] == [[0], [1], [2], [3]]


def test_a_file_that_is_no_library(tmp_path):
    (tmp_path / "model.so").write_text("nothing")
    with pytest.raises(RelaxError, match=r"cannot load .*model\.so"):
        runtime.load(tmp_path / "model.so", ())


def test_large_results_cost_few_page_faults(build):
    """48 MB, which malloc takes from the system and gives back on every call: 11,700 pages of 4 KB, or 24 large
    ones where the system has some now."""
    resource = pytest.importorskip("resource")
    main = build(fill(1)).main

    def result() -> None:
        assert main(6_000_000)[-1] == 1

    def memory() -> None:
        taken = mmap.mmap(-1, 48_000_000, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            taken.madvise(mmap.MADV_HUGEPAGE)
        np.frombuffer(taken, np.uint8)[::4096] = 1

    def faults(action: Callable[[], None]) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        action()
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    assert min(faults(result) for _ in range(4)) < 2 * max(faults(memory) for _ in range(4)) + 1000


@pytest.mark.slow
def test_results_own_their_memory(build):
    """A million calls' worth of bytes would not fit; slices keep what they look at."""
    main = build(fill(3)).main
    kept = main(1 << 20)[5:9]
    for turn in range(2):  # what the process keeps for later is there after the first
        before = resident()
        for _ in range(200):
            main(1 << 20)
        gc.collect()
        assert turn == 0 or resident() - before < 64 << 20
    assert kept.tolist() == [3, 3, 3, 3]
    kept[0] = 4
    assert main(0).shape == (0,)


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_a_scalar_of_each_kind(build):
    module = build("""
func.func @f(%a: i8, %b: f64, %c: i1, %d: f32) -> (i8, f64, i1, f32) attributes {relax.entry} {
  func.return %a, %b, %c, %d : i8, f64, i1, f32
}""")
    assert module.f(np.int8(-3), 0.1, True, 0.5) == (-3, 0.1, True, 0.5)
    with pytest.raises(RelaxError, match="@f: argument 'a': 128 does not fit into int8"):
        module.f(128, 0.0, False, 0.0)
    with pytest.raises(
        RelaxError, match="@f: argument 'b': expected a number for float64, found a Python list"
    ):
        module.f(1, [], False, 0.0)
