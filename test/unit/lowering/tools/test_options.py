"""The options of all tools: the same spelling, help and checks in each."""

import argparse
import io
import sys
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from optional import package

from lowering.tools import relax_compile, relax_explore, relax_run, relax_translate
from lowering.tools.option_values import parse_sizes, split_assignments
from lowering.tools.options import OPTIONS

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %z = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %s = relax.add %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %s : !relax.tensor<[n, 4], f32>
}
"""
PARSED = ("run", "compile", "explore", "translate", "reduce", "lsp")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return str(path)


def actions(tool: str) -> dict[str, argparse.Action]:
    parser = import_module(f"lowering.tools.relax_{tool}").arguments()
    return {", ".join(a.option_strings): a for a in parser._actions if a.option_strings}


@pytest.mark.parametrize("tool", PARSED)
def test_options_are_those_of_the_table(tool: str):
    """Only the help of -o, the target of the imports and the folder differ by tool."""
    for names, action in actions(tool).items():
        if names == "-h, --help":
            continue
        declared = OPTIONS[names]
        assert action.metavar == (
            "DIR" if (tool, names) == ("compile", "-o, --output") else declared.get("metavar")
        )
        if names not in ("-o, --output", "-v, --version"):
            assert action.help == declared["help"]


def test_every_program_goes_through_passes():
    for tool in ("run", "compile", "explore", "translate"):
        assert {"-p, --passes", "-o, --output", "--dim"} <= actions(tool).keys()


def test_sizes_with_commas_or_spaces():
    assert parse_sizes(["n=7,m=2", "k=3"]) == {"n": 7, "m": 2, "k": 3}
    assert parse_sizes(["batch size,1=2,x:0=3"], "--dim") == {"batch size,1": 2, "x:0": 3}
    assert list(split_assignments(["n=7,ids=-2:3,x=0:0.5,"])) == ["n=7", "ids=-2:3", "x=0:0.5"]


def test_the_program_may_come_last(file: str, capsys: pytest.CaptureFixture[str]):
    how = ["--backend", "interpret"]
    assert relax_run.main([*how, "--random", "n=2", file]) == 0
    assert "[2, 4] float32" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        relax_run.main([*how, "--random", "n=2"])
    assert "required: file" in capsys.readouterr().err


def test_passes_run_before_the_interpreter(file: str, capsys: pytest.CaptureFixture[str]):
    """The parameters are those after the passes."""
    words = [
        file,
        "--backend",
        "interpret",
        "--random",
        "-p",
        "relax-bind-symbolic-vars{vars=n sizes=3}",
    ]
    assert relax_run.main(words) == 0
    assert "[3, 4] float32" in capsys.readouterr().out
    assert relax_run.main([*words[:-1], "relax-cse{"]) == 1
    assert "--passes relax-cse{: expected passes with commas" in capsys.readouterr().err


def test_a_dash_is_standard_output(
    file: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
):
    data = io.TextIOWrapper(io.BytesIO(PROGRAM.encode()), "utf-8")
    with patch.object(sys, "stdin", data):
        assert (
            relax_compile.main(["-", "-o", "-", "--emit", "loops", "-p", "relax-cse", "--quiet"])
            == 0
        )
    assert capsysbinary.readouterr().out.startswith(b"builtin.module {\n  func.func @main")
    assert relax_compile.main([file, "-o", "-", "--emit", "c"]) == 0
    assert b"program_main(" in capsysbinary.readouterr().out
    assert relax_compile.main([file, "-o", "-"]) == 1
    assert b"expected --emit c or --emit loops" in capsysbinary.readouterr().err
    assert relax_run.main([file, "--backend", "interpret", "--random", "n=2", "-o", "-"]) == 0
    printed = capsysbinary.readouterr()
    assert np.load(io.BytesIO(printed.out))["output"].shape == (2, 4)
    assert b"[2, 4] float32" in printed.err
    assert list(tmp_path.iterdir()) == [Path(file)]


def test_a_page_on_standard_output(file: str, capsys: pytest.CaptureFixture[str]):
    package("igraph", "explore")
    assert relax_explore.main([file, "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!")


def test_a_script_from_standard_input(capsys: pytest.CaptureFixture[str]):
    script = """
from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return R.exp(x)
"""
    with patch.object(sys, "stdin", io.StringIO(script)):
        assert relax_translate.main(["--import-tvmscript", "-", "-o", "-"]) == 0
    assert "relax.exp" in capsys.readouterr().out


@pytest.mark.parametrize("tool", ["opt", "run", "explore"])
def test_the_program_is_not_overwritten(tool: str, file: str, capsys: pytest.CaptureFixture[str]):
    main = import_module(f"lowering.tools.relax_{tool}").main
    assert main([file, "-o", file]) == 1
    assert "expected another file than the program" in capsys.readouterr().err
    assert Path(file).read_text() == PROGRAM


def test_standard_input_that_is_no_text(file: str, capsys: pytest.CaptureFixture[str]):
    tools = ("opt", ["-"]), ("run", ["-"]), ("translate", ["--import-tvmscript", "-", "-o", "-"])
    for tool, words in tools:
        with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfeno"), "utf-8")):
            assert import_module(f"lowering.tools.relax_{tool}").main(words) == 1
        assert "standard input: expected a program as UTF-8 text" in capsys.readouterr().err
    assert relax_translate.main(["--import-onnx", "-", "-o", "-"]) == 1
    assert "found standard input; name the file" in capsys.readouterr().err


def test_an_output_of_relax_opt_that_is_a_folder(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    main = import_module("lowering.tools.relax_opt").main
    assert main([file, "-o", str(tmp_path)]) == 1
    assert "expected a file that can be written to" in capsys.readouterr().err
    assert main([file, "-o", str(tmp_path / "new" / "x.mlir")]) == 0
    assert "relax.exp" in (tmp_path / "new" / "x.mlir").read_text()
