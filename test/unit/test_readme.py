"""The README shows nothing that does not work: its programs and commands are run here."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import lowering
from lowering.support import c_compiler
from relax_dialect.parsing import load

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
MAX_LINES = 15


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


(PROGRAM,) = blocks("mlir")
(CONSOLE,) = blocks("console")
(C_CODE,) = blocks("c")
COMMANDS = re.findall(r"^\$ (.*)$", CONSOLE, re.M)

MAIN = """
#include <stdio.h>

int main(void)
{
    float x_data[] = {1, 2, 3, -4, -5, -6}, w_data[] = {1, 2, 3, 4, 5, 6};
    int64_t x_shape[] = {2, COLUMNS}, w_shape[] = {3, 2};
    const DLDataType f32 = {.code = 2, .bits = 32, .lanes = 1};
    DLTensor x = {.data = x_data, .device = {1, 0}, .ndim = 2, .dtype = f32, .shape = x_shape};
    DLTensor w = {.data = w_data, .device = {1, 0}, .ndim = 2, .dtype = f32, .shape = w_shape};
"""
SHOW = """
for (int i = 0; out.data != NULL && i < 4; i++)
    printf("%g ", ((float *)out.data)[i]);
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with the README's program."""
    (tmp_path / "program.mlir").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_is_something_to_test():
    assert len(blocks("python")) >= 1
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("code", blocks("python"), ids=lambda code: code.splitlines()[0])
def test_the_python_runs(folder: Path, code: str, capsys: pytest.CaptureFixture[str]):
    exec(compile(code, "README.md", "exec"), {})
    promised = re.search(r"print\(\w+\) *# (.*)", code)
    assert promised is None or promised[1] in capsys.readouterr().out


def test_the_python_is_short():
    lines = [line for line in blocks("python")[0].splitlines() if line.split("#")[0].strip()]
    assert len(lines) <= MAX_LINES


FIRST = {command.split()[0]: command for command in reversed(COMMANDS)}
"""The first command of each tool."""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(folder: Path, command: str, capsys: pytest.CaptureFixture[str]):
    """The first one of each tool as a program of its own, the others in this process, which has all imported."""
    if command in FIRST.values():
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path}
        done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    else:
        tool, *words = shlex.split(command, comments=True)
        module = import_module(f"lowering.tools.{tool.replace('-', '_')}")
        assert (module.main(words), capsys.readouterr().err) == (0, "")
    if "-o build" in command:
        assert {f.suffix for f in (folder / "build").iterdir()} >= {".c", ".h", ".so"}
    if "--output y.npz" in command:
        with np.load("y.npz") as saved:
            assert saved["output"].shape == (7, 2)


def run_c(folder: Path, columns: int) -> subprocess.CompletedProcess[str]:
    """Build the README's C with a small `main` around it, for an x of so many columns; run it."""
    source = lowering.to_c(load("program.mlir"), "program")
    source.write(folder)
    include, statements = C_CODE.split("\n", 1)
    assert include == '#include "program.h"'
    body = statements.replace("program_release(", SHOW + "program_release(")
    main = MAIN.replace("COLUMNS", str(columns))
    (folder / "main.c").write_text(f"{include}\n{main}{body}    return 0;\n}}\n")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    command = [
        *c_compiler.find_compiler(),
        *flags,
        "main.c",
        "program.c",
        "-o",
        "main",
        "-lm",
    ]
    subprocess.run(command, check=True)
    return subprocess.run(["./main"], capture_output=True, text=True)


def test_the_c_runs(folder: Path):
    done = run_c(folder, 3)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["22", "28", "0", "0"]


def test_the_c_tells_what_is_wrong(folder: Path):
    done = run_c(folder, 2)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "@main: argument 'x': expected size 3 in dimension 1, found 2\n"


def test_it_is_short():
    assert len(README.splitlines()) <= 100


def test_the_targets_of_make_are_there():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^make (\w+)", "".join(blocks("sh")), re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_the_files_it_names_are_there():
    paths = re.findall(r"\]\((?!https?://)([^)#]+)\)", README)
    paths += re.findall(r"`((?:relax_dialect|lowering|test|examples|docs)/[\w./]*)`", README)
    assert len(paths) >= 5
    for path in paths:
        assert (ROOT / path).exists(), path
