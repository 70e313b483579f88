"""`relax-compile` as a user calls it: the files it writes, what it says, and its exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import numpy as np
import pytest

import lowering
from lowering import driver
from lowering.runtime import source_cache
from lowering.runtime.c_command import CCommand
from lowering.support import c_compiler
from lowering.support.target import find
from lowering.tools import (
    relax_compile,
    relax_explore,
    relax_lsp,
    relax_opt,
    relax_profile,
    relax_reduce,
    relax_run,
    relax_translate,
    relax_tune,
)
from relax_dialect.parsing import load

pytestmark = pytest.mark.usefixtures("unoptimised")

ROOT = Path(__file__).parents[4]

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 2], f32> {
  %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
relax.func @row(%x: !relax.tensor<[m], f64>, %s: !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f64> {
  %y = relax.broadcast_to %x, %s : (!relax.tensor<[m], f64>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f64>
  relax.return %y : !relax.tensor<[n, m], f64>
}
"""
WEIGHTS = np.array([[1, 2], [3, 4], [5, 6]], np.float32)

Run = Callable[..., str]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def succeed(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the tool, which must succeed; what it prints."""

    def run(*args: object) -> str:
        code = relax_compile.main([str(a) for a in args])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out

    return run


@pytest.fixture
def fail(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the tool, which must fail with one message; that message."""

    def run(*args: object) -> str:
        assert relax_compile.main([str(a) for a in args]) == 1
        err = capsys.readouterr().err
        assert err.count("error:") == 1 and "Traceback" not in err
        return err

    return run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# What it writes ----------------------------------------------------------------------------------


def test_it_writes_c_header_and_shared_object(program: Path, tmp_path: Path, succeed: Run):
    out = tmp_path / "new" / "folder"
    printed = succeed(program, "-o", out)
    assert names(out) == ["program.c", "program.h", "program.json", "program.so"]
    for file in names(out):
        assert f"{out / file}  {(out / file).stat().st_size} bytes" in printed
    assert "program_main(x: [n, 3] float32) -> [n, 2] float32" in printed
    assert "program_row(x: [m] float64, n: int64) -> [n, m] float64" in printed


def test_the_shared_object_runs(program: Path, tmp_path: Path, succeed: Run):
    succeed(program, "-o", tmp_path)
    model = lowering.load(tmp_path / "program")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(model.main(x), x @ WEIGHTS)


def test_the_recursion_limit_is_checked(program: Path, tmp_path: Path, fail: Run):
    message = fail(program, "-o", tmp_path, "--recursion-limit", 0)
    assert "--recursion-limit 0: expected a number from 1 to 2^63 - 1, found 0" in message


def test_big_constants_go_to_the_sidecar(program: Path, tmp_path: Path, succeed: Run):
    succeed(program, "-o", tmp_path / "one", "--sidecar-threshold", 23)
    assert "program.weights" in names(tmp_path / "one")
    assert WEIGHTS.tobytes() in (tmp_path / "one" / "program.weights").read_bytes()
    succeed(program, "-o", tmp_path / "two", "--sidecar-threshold", 24)
    assert "program.weights" not in names(tmp_path / "two")


def test_what_is_emitted_and_what_is_said_of_it(program: Path, tmp_path: Path, succeed: Run):
    loops = succeed(
        program,
        "-o",
        tmp_path / "loops",
        "--emit",
        "loops",
        "--passes",
        "relax-cse,relax-normalize",
    )
    assert names(tmp_path / "loops") == ["program.loops.mlir"]
    assert re.fullmatch(
        r"Relax to loops +\d+\.\d{3} s  \d+ passes\nwrote .*program.loops.mlir  \d+ bytes\n",
        loops,
    )
    (text,) = (tmp_path / "loops").iterdir()
    assert "relax.entry" in str(load(text)) and "relax.matmul" not in text.read_text()
    said = succeed(
        program, "-o", tmp_path / "c", "--emit", "c", "--verbose", "--cflags=-g -DX='a b'", "--no-cache",
        "--passes", "relax-cse",
    )  # fmt: skip
    stages = re.findall(r"^(\S+) +\d+\.\d{3} s$", said, re.M)
    assert stages[0] == "relax-cse" and {"relax-legalize", "relax-plan-memory"} < set(stages)
    assert re.search(
        r"^\S+ -std=c11 .* -g '-DX=a b' .*program\.c -o .*program\.so -lm$", said, re.M
    )
    assert said.rstrip().splitlines()[-1].startswith(f"wrote {tmp_path / 'c' / 'program.h'}  ")


def test_what_happens_between_passes_in_the_words_of_xdsl(
    program: Path, tmp_path: Path, succeed: Run
):
    for _ in range(2):  # what was built before is no reason to show nothing
        said = succeed(
            program, "-o", tmp_path, "--emit", "c", "--time-passes", "--print-between-passes"
        )
        assert re.search(r"^Pass relax-legalize took \d\S* seconds$", said, re.M)
        assert "IR after relax-bufferize:\nbuiltin.module {" in said


@pytest.mark.parametrize(
    "tool",
    [
        relax_compile,
        relax_run,
        relax_translate,
        relax_opt,
        relax_explore,
        relax_lsp,
        relax_profile,
        relax_reduce,
        relax_tune,
    ],
)
def test_the_version(tool: ModuleType, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit, match="0"):
        tool.main(["--version"])
    assert re.fullmatch(r"relax-xdsl .+ \(xdsl 0\..+, Python 3\..+\)\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--cflags='"],
            "--cflags ': expected words as a shell reads them, found others: No closing",
        ),
        (
            ["--passes", "relax-cse{"],
            "--passes relax-cse{: expected passes with commas between them",
        ),
        (["--passes", "relax-nothing"], "pass 'relax-nothing': expected one of relax-"),
    ],
)
def test_flags_and_passes_that_are_none(
    program: Path, tmp_path: Path, fail: Run, words: list[str], message: str
):
    assert message in fail(program, "-o", tmp_path, "--emit", "c", *words)


def test_c_alone_needs_no_compiler(
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("CC", "nonexistent")
    assert relax_compile.main([str(program), "-o", str(tmp_path / "c"), "--emit", "c"]) == 0
    assert names(tmp_path / "c") == ["program.c", "program.h"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("cpu", ["generic", "x86-64-v4"])
def test_the_cpu_is_the_one_named(program: Path, tmp_path: Path, succeed: Run, cpu: str):
    succeed(program, "-o", tmp_path / "out", "--cpu", cpu, "--emit", "c")
    c = (tmp_path / "out" / "program.c").read_text()
    first = " ".join(c[: c.index("*/")].split())
    assert first.startswith(f"/* program.c: emitted from loop-level IR for {cpu}")
    assert all(flag in first for flag in find(cpu).flags)
    assert ("missing_feature" in c) is (cpu != "generic")


def test_an_unknown_cpu(program: Path, tmp_path: Path, fail: Run):
    message = fail(program, "-o", tmp_path / "out", "--cpu", "x86-64")
    assert (
        "cpu 'x86-64': expected one of native, x86-64-v3, x86-64-v4, aarch64, generic; is x86"
        in message
    )
    assert not (tmp_path / "out").exists()


def test_the_name_stands_before_every_symbol(program: Path, tmp_path: Path, succeed: Run):
    succeed(program, "-o", tmp_path / "out", "--name", "mlp", "--emit", "c")
    assert names(tmp_path / "out") == ["mlp.c", "mlp.h"]
    assert "int mlp_main(" in (tmp_path / "out" / "mlp.h").read_text()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("my-model.v2.mlir", "my_model_v2"),
        ("3d.mlir", "m3d"),
        ("größe.mlir", "gr__e"),
        ("a", "a"),
        ("main.mlir", "main_"),
        ("while.mlir", "while_"),
        ("_own.mlir", "m_own"),
        ("é.mlir", "m_"),
    ],
)
def test_a_file_name_becomes_an_identifier(tmp_path: Path, succeed: Run, file: str, name: str):
    (tmp_path / file).write_text(PROGRAM)
    succeed(tmp_path / file, "-o", tmp_path / "out", "--emit", "c")
    assert names(tmp_path / "out") == [f"{name}.c", f"{name}.h"]


def test_the_compiler_is_the_one_named(program: Path, tmp_path: Path, succeed: Run):
    compiler = tmp_path / "my cc"
    compiler.write_text(f'#!/bin/sh\ntouch "{tmp_path}/called"\nexec cc "$@"\n')
    compiler.chmod(0o755)
    succeed(program, "-o", tmp_path / "out", "--cc", f"'{compiler}'")
    assert (tmp_path / "called").exists()


@pytest.mark.slow
def test_as_a_command(program: Path, tmp_path: Path):
    command = [sys.executable, "-m", "lowering.tools.relax_compile", program, "-o", tmp_path]
    done = subprocess.run(
        [*command, "--emit", "c"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "program.c").exists()


# What goes wrong ---------------------------------------------------------------------------------


def test_no_c_compiler(program: Path, tmp_path: Path, fail: Run, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "out"
    message = fail(program, "-o", out, "--cc", "nonexistent")
    assert "the argument cc names 'nonexistent', which is not found" in message
    assert 'the argument cc names "\'", which is not found' in fail(program, "-o", out, "--cc", "'")
    monkeypatch.setenv("CC", "also-nonexistent -O1")
    assert "$CC names 'also-nonexistent -O1'" in fail(program, "-o", out)
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: None)
    message = fail(program, "-o", out)
    assert "none of cc, gcc, clang is found; install gcc or clang, or set CC" in message
    assert not out.exists(), "the compiler is looked for before the work"
    monkeypatch.setenv("CC", "also-nonexistent")
    assert relax_compile.main([str(program), "-o", str(out), "--emit", "c", "--quiet"]) == 0
    assert names(out) == ["program.c", "program.h"]


def test_ctrl_c_says_nothing(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CCommand, "run", Mock(side_effect=KeyboardInterrupt))
        code = relax_compile.main([str(program), "-o", str(tmp_path), "--no-cache", "--quiet"])
    assert (code, *capsys.readouterr()) == (130, "", "")


def test_a_c_compiler_that_fails(program: Path, tmp_path: Path, fail: Run):
    message = fail(program, "-o", tmp_path, "--cc", "false")
    assert "false failed on program.c" in message and "exited with code 1" in message
    message = fail(program, "-o", tmp_path, "--cc", "cc --no-such-flag")
    assert "cc failed on program.c" in message and "no-such-flag" in message


def test_a_report_of_memory(program: Path, tmp_path: Path, succeed: Run, fail: Run):
    """Printed, or in a file as its name says."""
    plain = ["-o", tmp_path / "out", "--emit", "c", "--sizes", "n=10", "m=3"]
    assert "\n  peak         64 * ((n + 7) floordiv 8) = 128\n" in succeed(
        program, "--report", *plain
    )
    text, data = tmp_path / "report.txt", tmp_path / "report.json"
    assert str(text) in succeed(program, f"--report={text}", *plain)
    assert text.read_text().startswith("@main\n  peak         64 * (")
    succeed(program, f"--report={data}", *plain)
    assert [f["peak_value"] for f in json.loads(data.read_text())["functions"]] == [128, 256]


@pytest.mark.parametrize(
    "options, message",
    [
        (["--report=memory.md"], "--report memory.md: expected a file that ends in .txt or .json;"),
        (
            ["--report=/dev/null/memory.txt"],
            "--report /dev/null/memory.txt: expected a file that can be written to,",
        ),
        (
            ["--sizes", "n=1"],
            "--sizes: expected --report, whose sizes they are, found none; add it",
        ),
        (
            ["--report", "--sizes", "n"],
            "--sizes n: expected a name and a size of 0 or more, as in n=7;",
        ),
        (
            ["--report", "--sizes", "k=1"],
            "size k=1: expected one of the program's symbolic variables, m, n;",
        ),
    ],
)
def test_a_report_that_cannot_be_made(
    program: Path, tmp_path: Path, fail: Run, options: list[str], message: str
):
    assert message in fail(program, "-o", tmp_path / "out", "--emit", "c", *options)


@pytest.mark.parametrize("name", ["my-model", "", "2d", "größe", "int", "a b"])
def test_a_name_that_is_no_c_identifier(program: Path, tmp_path: Path, fail: Run, name: str):
    message = fail(program, "-o", tmp_path / "out", "--name", name)
    assert f"'{name}'" in message and "C identifier" in message
    assert not (tmp_path / "out").exists()


def test_a_threshold_below_zero(program: Path, tmp_path: Path, fail: Run):
    assert "--sidecar-threshold -1: " in fail(program, "-o", tmp_path, "--sidecar-threshold", -1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "expected a readable file, found none: No such file or directory; check the path"),
        (bytes(range(256)), "expected a program as UTF-8 text, found bytes that are none"),
        (b"\0" * 100, "error:"),
        (b"relax.func @f(", "program.mlir:1:15: error:"),
    ],
)
def test_a_file_that_is_no_program(tmp_path: Path, fail: Run, content: bytes | None, message: str):
    path = tmp_path / "program.mlir"
    if content is not None:
        path.write_bytes(content)
    assert message in fail(path, "-o", tmp_path)


def test_a_directory_in_place_of_a_file(tmp_path: Path, fail: Run):
    assert f"{tmp_path}: expected a readable file" in fail(tmp_path, "-o", tmp_path)


def test_an_output_that_cannot_be_written(program: Path, tmp_path: Path, fail: Run):
    for out in (program, program / "below", "/proc/none"):
        message = fail(program, "-o", out)
        assert f"--output {out}: expected a directory that can be written to" in message
    (tmp_path / "out" / "program.c").mkdir(parents=True)
    assert "Is a directory" in fail(program, "-o", tmp_path / "out")
    (tmp_path / "so" / "program.so").mkdir(parents=True)
    assert "program.so" in fail(program, "-o", tmp_path / "so")


UNKNOWN_RANK = """relax.func @f(%x: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> {
  relax.return %x : !relax.tensor<*, f32>
}"""
PACKED = """relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %p = relax.call_packed "custom"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
  relax.print %p : (!relax.object) -> ()
  relax.return %x : !relax.tensor<[n], f32>
}"""


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (UNKNOWN_RANK, ["@f: parameter 'x'", "known rank and element type"]),
        (PACKED, ["@f: relax.print", "print it by a function from outside"]),
    ],
    ids=["unknown_rank", "packed"],
)
def test_programs_that_cannot_be_compiled(
    program: Path, tmp_path: Path, fail: Run, text: str, messages: list[str]
):
    program.write_text(text)
    load(program)  # it is well formed
    found = fail(program, "-o", tmp_path / "out")
    for message in messages:
        assert message in found
    assert not (tmp_path / "out").exists()


# The cache ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_second_time_comes_from_the_cache(
    program: Path, tmp_path: Path, succeed: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RELAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "10")
    monkeypatch.setattr(source_cache, "_unchanged", lambda: True)
    succeed(program, "-o", tmp_path / "first", "--no-cache")
    assert not (tmp_path / "cache").exists()
    printed = [succeed(program, "-o", tmp_path / "second")]
    monkeypatch.setattr(driver, "to_c", None)
    monkeypatch.setattr(CCommand, "run", None)
    printed.append(succeed(program, "-o", tmp_path / "third"))
    folders = [tmp_path / name for name in ("first", "second", "third")]
    texts = [[file.read_bytes() for file in sorted(folder.iterdir())] for folder in folders]
    assert texts[0][:2] == texts[1][:2] and texts[1] == texts[2]
    stages = r"(Relax to C\S*)( from the cache)? +[\d.]+ s  (\d+ passes, )?[\d.]+ kB of C\n(C to shared object\S*)( from the cache)? +[\d.]+ s\n"
    first, again = (re.match(stages, text) for text in printed)
    assert first and first[2] is None is first[5] and first[3]
    assert again and again[2] and again[5] and again[3] is None
    said = [re.sub(stages + "|second|third", "", text) for text in printed]
    assert said[0] == said[1]
    assert succeed(program, "-o", tmp_path / "third", "--quiet") == ""


def test_a_limit_that_is_none(
    program: Path, tmp_path: Path, fail: Run, succeed: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "much")
    assert "$RELAX_CACHE_LIMIT: expected a number of megabytes" in fail(program, "-o", tmp_path)
    succeed(program, "-o", tmp_path, "--no-cache")


def test_schedules_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program = tmp_path / "m.mlir"
    program.write_text(
        "relax.func @main(%x: !relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32> {\n"
        "  %0 = relax.exp %x : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>\n"
        "  relax.return %0 : !relax.tensor<[n, 8], f32>\n}\n"
    )
    given = tmp_path / "m.schedule"
    command = [str(program), "-o", str(tmp_path), "--emit", "c", "--schedules", str(given)]
    given.write_text("@exp:\n  tile(d0, 16)\n")
    assert relax_compile.main(command) == 0
    assert "* 16" in (tmp_path / "m.c").read_text()
    given.write_text("@exp:\n  tile(d0)\n")
    assert relax_compile.main(command) == 1
    assert f"{given}:2: tile(d0): expected loop, size in brackets" in capsys.readouterr().err
    given.write_text("@expp:\n  tile(d0, 16)\n")
    assert relax_compile.main(command) == 1
    assert "schedule of @expp: expected one of the prim funcs exp" in capsys.readouterr().err
