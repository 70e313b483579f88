"""Run by test_extension.py where examples/extension is installed: its programs in this process, the tools."""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from pathlib import Path

import pytest
from told import assert_printed, commands
from xdsl.universe import Universe

ENTRY_POINTS = Universe.get_multiverse
"""As it is without `in_process`, which reads them once."""

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "examples/extension"
sys.path.insert(0, str(ROOT / "test/filecheck/lit_format"))
from in_process import RUN, run, stages, succeeds  # noqa: E402

from lowering.pipeline import lower  # noqa: E402
from lowering.tools import relax_compile, relax_opt, relax_run  # noqa: E402
from relax_dialect import extensions, parse  # noqa: E402
from relax_dialect.dpl import find_all, is_constant, is_op  # noqa: E402

PROGRAMS = sorted((PACKAGE / "test/filecheck").glob("*.mlir"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_program(program: Path):
    lines = RUN.findall(program.read_text("utf-8"))
    pipelines = [stages(line, {"%s": str(program)}) for line in lines]
    assert pipelines and all(pipeline and succeeds(pipeline) for pipeline in pipelines), lines


def test_it_is_found_by_its_entry_point():
    (found,) = extensions.extensions()
    assert (found.name, found.package) == ("signal", "relax-signal 0.1.0")


def test_other_passes_take_its_operator_as_one_of_ours():
    """Constants are folded by its semantics, equal ones are joined, patterns name it."""
    module = parse("""
relax.func @main() -> tuple<!relax.tensor<[2], f32>, !relax.tensor<[2], f32>> {
  %r0, %r1 = relax.dataflow {
    %x = relax.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
    %taps = relax.constant dense<[1.0, 10.0]> : tensor<2xf32>
    %0 = signal.fir %x, %taps : (!relax.tensor<[3], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    %1 = signal.fir %x, %taps : (!relax.tensor<[3], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    relax.output %0, %1 : !relax.tensor<[2], f32>, !relax.tensor<[2], f32>
  }
  %r = relax.tuple %r0, %r1 : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> tuple<!relax.tensor<[2], f32>, !relax.tensor<[2], f32>>
  relax.return %r : tuple<!relax.tensor<[2], f32>, !relax.tensor<[2], f32>>
}""")
    filters = is_op("signal.fir")(is_constant(), is_constant())
    assert len(list(find_all(filters, module))) == 2
    lower(module, ["relax-cse"])
    assert len(list(find_all(filters, module))) == 1
    lower(module, ["relax-fold-constant"])
    assert "signal.fir" not in str(module) and "dense<[2.100000e+01, 4.200000e+01]>" in str(module)


@pytest.mark.parametrize("tool", [relax_opt, relax_run, relax_compile])
def test_without_extensions(
    tool, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Universe, "get_multiverse", staticmethod(ENTRY_POINTS))
    options = ["-o", str(tmp_path)] if tool is relax_compile else []
    assert tool.main([str(PACKAGE / "test/filecheck/fir.mlir"), "--no-extensions", *options]) == 1
    assert "expected an op of a known dialect, found signal.fir" in capsys.readouterr().err


def test_its_programs_are_cached_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RELAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "64")
    for _ in range(2):
        capsys.readouterr()
        words = [str(PACKAGE / "test/filecheck/fir.mlir"), "-o", str(tmp_path / "out")]
        assert relax_compile.main(words) == 0
    assert "Relax to C, from the cache" in capsys.readouterr().out


# The start page -----------------------------------------------------------------------------------

START = (ROOT / "docs/start.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w./]+\.\w+)`\)?:\Z")
"""How the text before a block ends that says which file it is."""


def test_the_start_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Parts of files that are shown are in these, other files are written, and commands print what is said."""
    monkeypatch.chdir(tmp_path)
    told = ["pip install -e '.[test]'", "lit test/filecheck", "pytest"]
    own = (PACKAGE / "README.md").read_text("utf-8")
    assert all(line in own for line in told)
    counts = Counter[str]()
    for block in BLOCK.finditer(START):
        kind, text = block[1], block[2]
        named = NAMED.search(START[: block.start()].rstrip())
        counts[kind] += 1
        if named and (PACKAGE / named[1]).exists():
            assert text in (PACKAGE / named[1]).read_text("utf-8"), named[1]
            counts["of a file"] += 1
        elif kind == "console":
            for command, expected in commands(text):
                prints(command, expected)
        elif kind == "python":
            exec(compile(text, "start.md", "exec"), {})
        elif kind == "sh":
            assert set(text.splitlines()) <= set(told)
        elif kind == "mlir" or text.startswith("@"):
            before = re.findall(r"`([\w.]+\.(?:mlir|schedule))`", START[: block.start()])
            Path(before[-1]).write_text(text)
            if before[-1] == "layer.mlir":
                Path("wrong.mlir").write_text(text.replace("[n, 2], f32> {", "[n, 4], f32> {"))
    assert counts["console"] > 7 and counts["of a file"] == 10 and counts["python"] > 7, counts


def prints(command: str, expected: str) -> None:
    """A command that is one of our tools prints what is told."""
    tool, *words = shlex.split(command)
    fails = "error: " in expected
    code, found = run(tool, words, b"", True)
    assert (code != 0) is fails, found.decode()
    assert_printed(found.decode(), expected)
