"""The C compiler in the package ziglang, where there is no other."""

from __future__ import annotations

import subprocess
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from optional import X86_64, needs, package

import lowering
from lowering.support import c_compiler, target
from lowering.support.c_compiler import find_compiler
from lowering.support.target import find, flags_for
from relax_dialect import RelaxError, parse

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}
"""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a C compiler."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(c_compiler, "COMPILERS", ("no-such-compiler",))


@pytest.mark.usefixtures("bare")
def test_it_is_the_last_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: None)
    with pytest.raises(
        RelaxError, match=r"or install one with Python's packages \(pip install ziglang\)"
    ):
        find_compiler()
    spec = ModuleSpec("ziglang", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(c_compiler, "find_spec", {"ziglang": spec}.get)
    zig = [str(tmp_path / "zig"), "cc"]
    assert find_compiler() == zig and find_compiler("true -g") == ["true", "-g"]
    assert find_compiler(None, "riscv64") == [*zig, "-target", "riscv64-linux-gnu"]


def test_cpus_are_spelled_as_zig_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "machine", lambda: "x86_64")
    kept = "-fno-sanitize=undefined"
    for cpu, flags in (
        ("x86-64-v3", ["-march=x86_64_v3"]),
        ("x86-64-v4", ["-march=x86_64_v4", "-mprefer-vector-width=512"]),
        ("generic", ["-march=x86_64"]),
    ):
        assert flags_for(["/opt/zig", "cc"], find(cpu).flags) == [*flags, kept]
        assert flags_for(["gcc"], find(cpu).flags) == list(find(cpu).flags)
    aarch64 = ["zig", "cc", "-target", "aarch64-linux-gnu"]
    assert flags_for(aarch64, find("aarch64").flags) == [kept]


@needs(X86_64)
@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("cpu", ["generic", "x86-64-v3"])
def test_it_compiles(cpu: str, tmp_path: Path) -> None:
    package("ziglang", "cc")
    model = lowering.compile(parse(PROGRAM), directory=tmp_path, cpu=cpu)
    x = np.linspace(-3, 3, 37, dtype=np.float32)
    np.testing.assert_allclose(model.main(x), np.tanh(x), rtol=1e-6)
    shown = subprocess.run(
        ["nm", "-D", tmp_path / "model.so"], capture_output=True, text=True, check=True
    )
    assert "model_main" in shown.stdout
