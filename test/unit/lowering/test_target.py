"""The kinds of CPU that code is made for, and the machine at hand as its C compiler sees it."""

from __future__ import annotations

import platform
import re
from dataclasses import replace
from pathlib import Path

import pytest
from optional import COMPILERS, X86_64, needs

from lowering.emit_c.helpers import used_helpers
from lowering.emit_c.helpers.c_files import helpers_of
from lowering.emit_c.syntax import weights_file
from lowering.pipeline import lower, pipeline
from lowering.support import target
from lowering.support.c_compiler import machine
from lowering.support.target import CPUS, Cpu, find, macro
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse


@pytest.mark.parametrize(
    ("name", "floats", "registers", "fma"),
    [
        ("x86-64-v3", 8, 16, True),
        ("x86-64-v4", 16, 32, True),
        ("aarch64", 4, 32, True),
        ("generic", 4, 16, False),
    ],
)
def test_kinds_of_cpu(name: str, floats: int, registers: int, fma: bool):
    cpu = find(name)
    assert (cpu.name, cpu.lanes(32), cpu.lanes(64), cpu.lanes(8)) == (
        *(name, floats, floats // 2, 4 * floats),
    )
    assert (cpu.registers, cpu.has_fma) == (registers, fma)
    assert 1 << 14 <= cpu.l1 < cpu.l2
    assert not cpu.has_vnni and not cpu.has_amx


def test_other_compilers_are_asked_for_what_the_machine_has():
    """Not for what LLVM's name of its processor promises: a virtual machine may lack half of that."""
    assert [find(name).level for name in CPUS] == ["x86-64-v3", "x86-64-v4", "generic", "generic"]
    cpu = CPUS["x86-64-v4"]
    assert replace(cpu, features=cpu.features | {"amx-tile"}).level == "x86-64-v4"
    assert replace(cpu, features=cpu.features - {"avx512vl"}).level == "x86-64-v3"
    assert replace(cpu, features=cpu.features - {"avx512vl", "fma"}).level == "generic"


def test_vectors_as_wide_as_those_of_the_cpu_are_asked_for():
    wide = [name for name, cpu in CPUS.items() if "-mprefer-vector-width=512" in cpu.flags]
    assert wide == ["x86-64-v4"]
    assert CPUS["generic"].flags == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x86-64-v5", "cpu 'x86-64-v5': expected one of native, x86-64-v3, x86-64-v4, aarch64, "
         "generic; is x86-64-v"),
        ("X86_64_V3", "is x86-64-v3 meant?"),
        ("nativ", "is native meant?"),
        ("zzz", "generic; pass one of them"),
        ("", "cpu '': expected one of"),
        (None, "cpu None: expected one of"),
        (["native"], "cpu \\['native'\\]: expected one of"),
    ],
)  # fmt: skip
def test_a_cpu_that_is_unknown(name: str, message: str):
    with pytest.raises(RelaxError, match=message):
        find(name)


@needs(X86_64)
@pytest.mark.parametrize("cc", COMPILERS)
@pytest.mark.parametrize("name", [n for n, cpu in CPUS.items() if cpu.architecture == "x86_64"])
def test_features_are_those_of_the_c_compiler(name: str, cc: str, monkeypatch: pytest.MonkeyPatch):
    """The table says what gcc and clang may use under the flags of a CPU, no more and no less."""
    monkeypatch.setenv("CC", cc)
    defined = target._defined(*CPUS[name].flags)
    assert defined is not None
    assert {f for f in target.FEATURES if macro(f) in defined} == CPUS[name].features


def fake_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """$CC is a program that runs this script."""
    path = folder / "fake-cc"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))


def detected(monkeypatch: pytest.MonkeyPatch, architecture: str) -> Cpu:
    monkeypatch.setattr(platform, "machine", lambda: architecture)
    return target.native.__wrapped__()


def defining(*features: str) -> str:
    return "\n".join(f"echo '#define {macro(f)} 1'" for f in features) or ":"


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ((), (16, 16, ("-march=native",))),
        (("avx", "fma"), (32, 16, ("-march=native",))),
        (("avx", "avx512f"), (64, 32, ("-march=native", "-mprefer-vector-width=512"))),
    ],
)
def test_native_asks_the_c_compiler(
    features: tuple[str, ...],
    expected: tuple[int, int, tuple[str, ...]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    fake_compiler(tmp_path, monkeypatch, defining(*features))
    cpu = detected(monkeypatch, "x86_64")
    assert (cpu.vector_bytes, cpu.registers, cpu.flags) == expected
    assert cpu.features == set(features) and cpu.architecture == "x86_64"


@pytest.mark.parametrize(
    ("features", "vnni", "amx"),
    [
        (("avx512vnni",), True, False),
        (("avxvnni",), True, False),
        (("amx-tile",), False, False),
        (("amx-tile", "amx-int8"), False, True),
    ],
)
def test_integer_instructions(
    features: tuple[str, ...],
    vnni: bool,
    amx: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    fake_compiler(tmp_path, monkeypatch, defining(*features))
    cpu = detected(monkeypatch, "x86_64")
    assert (cpu.has_vnni, cpu.has_amx) == (vnni, amx)


@pytest.mark.parametrize("architecture", ["aarch64", "arm64", "riscv64"])
def test_native_on_other_architectures(
    architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fake_compiler(tmp_path, monkeypatch, defining())
    cpu = detected(monkeypatch, architecture)
    assert (cpu.name, cpu.vector_bytes, cpu.flags) == ("native", 16, ("-march=native",))
    assert cpu.registers == (16 if architecture == "riscv64" else 32)


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64", "riscv64"])
@pytest.mark.parametrize("script", ["exit 1", None])
def test_native_without_a_compiler_that_knows_it(
    script: str | None, architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The least of the architecture: no flag that no compiler has taken."""
    if script is None:
        monkeypatch.setenv("CC", str(tmp_path / "none"))
    else:
        fake_compiler(tmp_path, monkeypatch, script)
    cpu = detected(monkeypatch, architecture)
    assert cpu.name == "native" and "-march=native" not in cpu.flags
    assert cpu.features <= {"fma"} and cpu.vector_bytes == 16


def test_caches_are_those_that_the_system_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    told = [
        (1, "Instruction", "64K"),
        (1, "Data", "48K"),
        (2, "Unified", "2048K"),
        (3, "Unified", ""),
    ]
    for i, (level, kind, size) in enumerate(told):
        (folder := tmp_path / f"index{i}").mkdir()
        for name, value in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(f"{value}\n")
    (tmp_path / "index9").mkdir()
    monkeypatch.setattr(target, "CACHES", tmp_path)
    cpu = detected(monkeypatch, "x86_64")
    assert (cpu.l1, cpu.l2) == (48 * 1024, 2048 * 1024)
    monkeypatch.setattr(target, "CACHES", tmp_path / "none")
    assert detected(monkeypatch, "x86_64").l1 == CPUS["generic"].l1


def test_one_alignment():
    """C helpers write it out; they must mean the same."""
    files = (*used_helpers.FILES, "weights.c")
    texts = [helper.text for file in files for helper in helpers_of(file).values()]
    found = [
        n
        for text in texts
        for n in re.findall(r"(?:aligned_alloc\(|data [-+] |_Alignas\()(\d+)", text)
    ]
    assert len(found) >= 5 and set(found) == {str(target.ALIGNMENT)}
    assert weights_file.ALIGNMENT == target.ALIGNMENT
    assert max(cpu.vector_bytes for cpu in CPUS.values()) <= target.ALIGNMENT


def test_native_is_looked_for_once():
    assert find() is find("native") is target.native()
    assert find().architecture == machine()


def test_a_pipeline_hands_its_cpu_to_the_passes_that_ask_for_one():
    names = ("relax-dce", "relax-split-reductions", "relax-split-reductions{cpu=generic}")
    passes = pipeline(names, "x86-64-v3").passes
    assert [getattr(p, "cpu", None) for p in passes] == [None, "x86-64-v3", "generic"]
    assert [getattr(p, "cpu", None) for p in pipeline(names).passes] == [None, "native", "generic"]


@pytest.mark.parametrize("name", ["relax-to-loops", "relax-lower-through-normal-forms"])
def test_passes_of_passes_hand_it_on(name: str):
    text = "func.func @f() { func.return }"
    with pytest.raises(RelaxError, match="cpu 'x86-64-v9': expected one of native, "):
        lower(parse(text), [f"{name}{{cpu=x86-64-v9}}"])
    with pytest.raises(RelaxError, match="cpu 'x86-64-v9': expected one of native, "):
        lower(parse(text), [name], cpu="x86-64-v9")


def test_flags_of_the_machine_stand_in_one_place():
    folder = Path(target.__file__).parents[1]
    text = re.compile(r"""["' ]-m(arch|cpu|tune|prefer|avx|fma)""")
    found = [p.name for p in folder.rglob("*.py") if text.search(p.read_text("utf-8"))]
    assert found == ["target.py"]


def test_the_documented_table():
    """docs/calling.md: the names, how many vectors of how many bytes, and the flags."""
    text = (Path(target.__file__).parents[2] / "docs" / "calling.md").read_text("utf-8")
    table = text.split("## The CPU")[1].split("---|\n")[1]
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", table, re.M))
    assert list(rows) == ["native", *CPUS]
    for name, cpu in CPUS.items():
        assert all(flag in rows[name] for flag in cpu.flags), name
        if cpu.flags:
            assert f"{cpu.registers} of {cpu.vector_bytes} bytes" in rows[name]
