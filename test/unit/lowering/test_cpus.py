"""Code for one kind of CPU: right where it can run, refused with a reason where it cannot."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from called_from_c import check, driver, program
from optional import (
    AARCH64,
    COMPILERS,
    OLD_X86_64,
    QEMU_AARCH64,
    QEMU_X86_64,
    X86_64,
    needs,
)

import lowering
from lowering.emit_c import CSource
from lowering.runtime import loading as runtime
from lowering.support import c_compiler, target
from lowering.support.c_compiler import machine
from lowering.support.target import find
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

SMALL = """
relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.exp %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  %z = relax.sum %y {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
"""

SPEED = ("-O1",)
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic")

source_of = cache(program)


def run_c(
    source: CSource, folder: Path, cc: str, flags: Sequence[str], emulator: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Build the program for its CPU, its caller for any, and run them."""
    source.write(folder)
    (folder / "driver.c").write_text(driver(source))
    commands = [
        [cc, *STRICT, *flags, "-c", "model.c"],
        [cc, *STRICT, "-c", "driver.c"],
        [cc, *(["-static"] if emulator else []), "model.o", "driver.o", "-o", "driver", "-lm"],
    ]
    for command in commands:
        subprocess.run(command, cwd=folder, check=True)
    run = [*emulator, "./driver"]
    return subprocess.run(run, cwd=folder, check=False, capture_output=True, text=True)


@needs(AARCH64)
def test_aarch64(tmp_path: Path):
    flags = (*SPEED, *find("aarch64").flags)
    done = run_c(source_of("aarch64"), tmp_path, "aarch64-linux-gnu-gcc", flags, QEMU_AARCH64)
    assert done.returncode == 0
    check(done.stdout)


@pytest.mark.slow
def test_generic_c_needs_no_flag_of_its_own(tmp_path: Path):
    done = run_c(source_of("generic"), tmp_path, "gcc", SPEED)
    assert done.returncode == 0
    check(done.stdout)


@needs(QEMU_X86_64)
@pytest.mark.parametrize("cc", COMPILERS)
def test_a_cpu_that_lacks_something(tmp_path: Path, cc: str):
    """It is asked before anything else: no illegal instruction ends the program, nor a load of weights."""
    cpu = "x86-64-v4"
    done = run_c(source_of(cpu), tmp_path, cc, (*SPEED, *find(cpu).flags), OLD_X86_64)
    assert done.returncode == 1, done.stderr  # what the driver returns where no weights are loaded
    assert done.stdout.splitlines() == 2 * [
        f"model: expected a CPU with avx2, since this was built for {cpu}, found one without; build it "
        "with --cpu native on this machine, or --cpu generic for any"
    ]


@needs(QEMU_X86_64)
def test_flags_of_any_cpu_in_place_of_its_own(tmp_path: Path):
    """C compiled without the flags of its CPU asks for nothing, since it uses nothing."""
    done = run_c(source_of("x86-64-v4"), tmp_path, "gcc", SPEED, OLD_X86_64)
    assert done.returncode == 0
    check(done.stdout)


@pytest.mark.slow
@needs(X86_64)
@pytest.mark.parametrize("cc", COMPILERS)
def test_python_refuses_what_the_machine_lacks(
    cc: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """XOP is gone from all CPUs since 2017."""
    bulldozer = replace(
        find("generic"), name="bulldozer", architecture="x86_64", features=frozenset({"xop"}),
        flags=("-mxop",),
    )  # fmt: skip
    monkeypatch.setattr(target, "CPUS", {**target.CPUS, "bulldozer": bulldozer})
    message = (
        "model: expected a CPU with xop, since this was built for bulldozer, found one without"
    )
    with pytest.raises(RelaxError, match=message):
        lowering.compile(parse(SMALL), cc=cc, cpu="bulldozer", directory=tmp_path)
    with pytest.raises(RelaxError, match=message):
        lowering.compile(parse(SMALL), cc=cc, cpu="bulldozer")


@needs(AARCH64, X86_64)
def test_a_shared_object_of_another_architecture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CC", raising=False)  # the cross compiler is found by its name
    source = lowering.to_c(parse(SMALL), cpu="aarch64")
    library = runtime.compile_c(source, tmp_path)
    with pytest.raises(
        RelaxError, match="expected code for x86_64, found code for aarch64; build it"
    ):
        runtime.load(library, source.entries)


def test_a_cpu_of_another_architecture_is_refused_before_the_work():
    other = "x86-64-v3" if machine() == "aarch64" else "aarch64"
    with pytest.raises(
        RelaxError, match=f"cpu '{other}': expected one that this machine, .*; build"
    ):
        lowering.compile(parse(SMALL), cpu=other)


def test_no_compiler_for_another_architecture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = "x86-64-v3" if machine() == "aarch64" else "aarch64"
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: None)
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(
        RelaxError, match=r"C compiler: expected one for .*; install gcc-\w+-linux-gnu"
    ):
        runtime.compile_c(lowering.to_c(parse(SMALL), cpu=other), tmp_path)


def test_a_compiler_that_makes_code_for_another_cpu(tmp_path: Path):
    compiler = tmp_path / "cross-cc"
    compiler.write_text(
        "#!/bin/sh\necho \"error: bad value 'x86-64-v3' for '-march='\" >&2; exit 1\n"
    )
    compiler.chmod(0o755)
    source = lowering.to_c(parse(SMALL), cpu="x86-64-v3")
    with pytest.raises(
        RelaxError, match="a compiler that makes code for x86-64-v3 with --cc, or the"
    ):
        runtime.compile_c(source, tmp_path, cc=str(compiler))


@pytest.mark.parametrize("cpu", ["native", "generic"])
def test_a_model_says_what_it_is_built_for(cpu: str):
    model = lowering.compile(parse(SMALL), cpu=cpu)
    assert model.library is not None
    built_for = model.library.model_built_for
    built_for.restype = runtime.ctypes.c_char_p
    assert built_for().decode().split(":")[0] == cpu
    x = np.random.default_rng(0).standard_normal((3, 100)).astype(np.float32)
    np.testing.assert_allclose(model.main(x), np.exp(x).sum(1), rtol=1e-5)


@pytest.mark.parametrize("function", [lowering.compile, lowering.to_c])
def test_an_unknown_cpu(function):
    with pytest.raises(RelaxError, match="cpu 'x86-64-v5': expected one of native"):
        function(parse(SMALL), cpu="x86-64-v5")
