"""Run by test_extension.py where examples/extension is installed: its programs in this process, the tools."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from xdsl.universe import Universe

ENTRY_POINTS = Universe.get_multiverse
"""As it is without `in_process`, which reads them once."""

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples/extension"
sys.path.insert(0, str(ROOT / "test/filecheck/lit_format"))
from in_process import RUN, stages, succeeds  # noqa: E402

from lowering.tools import relax_compile, relax_opt, relax_run  # noqa: E402
from relax_dialect import extensions  # noqa: E402

PROGRAMS = sorted((PACKAGE / "test/filecheck").glob("*.mlir"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_program(program: Path):
    lines = RUN.findall(program.read_text("utf-8"))
    pipelines = [stages(line, {"%s": str(program)}) for line in lines]
    assert pipelines and all(pipeline and succeeds(pipeline) for pipeline in pipelines), lines


def test_it_is_found_by_its_entry_point():
    (found,) = extensions.extensions()
    assert (found.name, found.package) == ("signal", "relax-signal 0.1.0")


@pytest.mark.parametrize("tool", [relax_opt, relax_run, relax_compile])
def test_without_extensions(
    tool, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Universe, "get_multiverse", staticmethod(ENTRY_POINTS))
    options = ["-o", str(tmp_path)] if tool is relax_compile else []
    assert tool.main([str(PACKAGE / "test/filecheck/fir.mlir"), "--no-extensions", *options]) == 1
    assert "expected an op of a known dialect, found signal.fir" in capsys.readouterr().err
