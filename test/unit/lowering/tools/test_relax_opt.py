"""`relax-opt` as a user calls it: what it prints, where, and its exit code."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType
from xdsl.utils.exceptions import VerifyException

from lowering.pipeline import ALL_PASSES
from lowering.tools.relax_opt import main

PROGRAM = """
relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}
"""
MISTAKE = PROGRAM.replace("%y : !relax", "%z : !relax")
ILL_FORMED = PROGRAM.replace(
    "[n, 4], f32>) -> !relax.tensor<[n, 4], f32>\n  relax.return",
    "[n, 4], f32>) -> !relax.tensor<[n, 5], f32>\n  relax.return",
).replace(
    "relax.return %y : !relax.tensor<[n, 4], f32>", "relax.return %x : !relax.tensor<[n, 4], f32>"
)


COMMAND = (sys.executable, "-m", "lowering.tools.relax_opt")


def relax_opt(*args: str, text: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """The tool in this process; `test_it_is_a_program_of_its_own` starts one."""
    data = text.encode() if isinstance(text, str) else text
    output, errors = io.StringIO(), io.StringIO()
    given = patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
    with given, redirect_stdout(output), redirect_stderr(errors):
        try:
            code = main(args)
        except SystemExit as stop:
            code = stop.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(args, code, output.getvalue(), errors.getvalue())


def refused(result: subprocess.CompletedProcess[str], *messages: str) -> None:
    """One short message on standard error, nothing on standard output, and a failure."""
    assert result.returncode not in (0, -11)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr and "builtin.module" not in result.stderr
    assert len(result.stderr) < 5000
    for message in messages:
        assert message in result.stderr


def test_prints_what_it_read():
    once = relax_opt(text=PROGRAM)
    assert once.returncode == 0 and once.stderr == ""
    assert relax_opt(text=once.stdout).stdout == once.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("text", "code"), [(PROGRAM, 0), (MISTAKE, 1)])
def test_it_is_a_program_of_its_own(text: str, code: int):
    found = subprocess.run(COMMAND, input=text, capture_output=True, text=True, timeout=60)
    expected = relax_opt(text=text)
    assert found.returncode == expected.returncode == code
    assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr)


def test_missing_file():
    refused(relax_opt("no/such.mlir"), "no/such.mlir: expected a readable file", "check the path")


def test_directory(tmp_path: Path):
    refused(relax_opt(str(tmp_path)), "expected a readable file")


def test_binary_file(tmp_path: Path):
    path = tmp_path / "weights.mlir"
    path.write_bytes(bytes(range(256)))
    refused(relax_opt(str(path)), "weights.mlir: expected a program as UTF-8 text")


def test_binary_input():
    refused(relax_opt(text=bytes(range(256))), "error: ")


def test_empty_file(tmp_path: Path):
    path = tmp_path / "empty.mlir"
    path.write_text("")
    refused(relax_opt(str(path)), "empty.mlir", "error: ")


def test_unknown_extension(tmp_path: Path):
    expected = "expected a file named .mlir or .py, found program"
    for name, mend in {
        "program.xyz": "program.xyz; say what it is, with --frontend mlir",
        "program.onnx": "program.onnx; import it: relax-translate --import-onnx",
    }.items():
        path = tmp_path / name
        path.write_text(PROGRAM)
        refused(relax_opt(str(path)), f"error: {path}: {expected}", mend)


def test_unknown_pass():
    result = relax_opt("-p", "relax-legalise", text=PROGRAM)
    refused(result, "pass 'relax-legalise': expected the name of a pass", "relax-legalize")


def test_bad_pass_option():
    refused(relax_opt("-p", "relax-legalize{speed=9}", text=PROGRAM), "error: ", "speed")


@pytest.mark.parametrize("pipeline", ["relax-legalize{", "{}", "cse,,dce", "cse}"])
def test_unreadable_pipeline(pipeline: str):
    refused(relax_opt("-p", pipeline, text=PROGRAM), "error: ")


def test_unknown_target():
    refused(relax_opt("-t", "d", text=PROGRAM), "error: argument -t/--target: invalid choice: 'd'")


def test_unknown_flag():
    refused(relax_opt("--fast", text=PROGRAM), "--fast")


def test_parse_error_names_the_place():
    refused(relax_opt(text=MISTAKE), "stdin:4:16: error: expected values that are defined")


def test_verify_error_names_function_and_op():
    refused(
        relax_opt(text=ILL_FORMED), "stdin:3:8: error: @f: relax.exp (%y): expected result type"
    )


def test_disable_verify_lets_it_pass():
    assert relax_opt("--disable-verify", text=ILL_FORMED).returncode == 0


def test_disable_verify_holds_for_one_run():
    relax_opt("--disable-verify", text=PROGRAM)
    with pytest.raises(VerifyException):
        IntegerType(-1)


def test_a_crash_of_a_verifier_of_xdsl_is_one_message():
    text = """%m = "test.op"() : () -> memref<4xf32>
    %x = "memref.load"(%m) : (memref<4xf32>) -> f32"""
    refused(relax_opt(text=text), "stdin: error: ", "xpected an index for each dimension")


def test_diagnostics_of_each_chunk():
    text = f"{PROGRAM}// -----\n{MISTAKE}// -----\n{ILL_FORMED}"
    result = relax_opt("--split-input-file", "--verify-diagnostics", text=text)
    assert result.returncode == 0 and result.stderr == ""
    first, second, third = result.stdout.split("// -----\n")
    assert "relax.exp" in first
    line = text[: text.index("%z")].count("\n") + 1
    assert second.startswith(f"stdin:{line}:16: error: expected values that are defined")
    assert third.startswith("stdin:15:8: error: @f: relax.exp (%y)")


def test_c_target():
    program = """
    func.func @f(%x: memref<4xf32> {relax.name = "x"}, %y: memref<4xf32> {relax.result})
        attributes {relax.entry} {
      %c = arith.constant 0 : index
      %v = memref.load %x[%c] : memref<4xf32>
      memref.store %v, %y[%c] : memref<4xf32>
      func.return
    }"""
    result = relax_opt("-t", "c", text=program)
    assert result.returncode == 0, result.stderr
    assert "DLTensor" in result.stdout
    assert result.stdout.count("#ifndef MODEL_H") == 1 and '#include "' not in result.stdout


LARGE = """
func.func @f(%y: memref<2048xf32> {relax.result}) attributes {relax.entry} {
  %a = memref.get_global @large : memref<2048xf32>
  memref.copy %a, %y : memref<2048xf32> to memref<2048xf32>
  func.return
}
"memref.global"() <{sym_name = "large", sym_visibility = "private", type = memref<2048xf32>,
  initial_value = dense<"0xHEX"> : tensor<2048xf32>, constant}> : () -> ()
""".replace("HEX", np.arange(2048, dtype=np.float32).tobytes().hex())


def test_c_in_one_file_or_more(tmp_path: Path):
    alone = relax_opt("-t", "c", text=LARGE).stdout
    assert "2047.0f" in alone and "model_load" not in alone
    header, weights = tmp_path / "net.h", tmp_path / "net.weights"
    c = relax_opt(
        "--header", str(header), "-t", f'c{{weights="{weights}" model=net}}', text=LARGE
    ).stdout
    assert '#include "net.h"' in c and "2047.0f" not in c
    assert "int net_load(const char *path);" in header.read_text()
    assert np.arange(2048, dtype=np.float32).tobytes() in weights.read_bytes()
    for place in (tmp_path / "no" / "x.h", tmp_path):
        refused(
            relax_opt("--header", str(place), "-t", "c", text=LARGE), "header ", "name another one"
        )
    refused(
        relax_opt("--header", "x.h", text=LARGE), "--header x.h: expected the target c, found mlir"
    )


def test_output_file_that_cannot_be_written():
    refused(relax_opt("-o", "/dev/null/out.mlir", text=PROGRAM), "error: ", "out.mlir")


@pytest.mark.slow
def test_closed_output():
    """A reader that stops early, as `head` does, ends the tool in silence."""
    text = "\n".join(PROGRAM.replace("@f", f"@f{i}") for i in range(100))
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write(text)
        process.stdin.close()
        errors = process.stderr.read()
        assert process.wait(timeout=60) != 0
    assert errors == ""


@pytest.mark.slow
@pytest.mark.parametrize("text", [ILL_FORMED, MISTAKE, '"'])
def test_plain_xdsl_opt_gives_a_message_too(text: str):
    command = [sys.executable, "-m", "xdsl.tools.xdsl_opt"]
    result = subprocess.run(command, input=f"{PROGRAM}{text}", capture_output=True, text=True)
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "error: " in result.stderr and "builtin.module" not in result.stderr


def test_the_nearest_pass_is_suggested():
    refused(relax_opt("-p", "relax-legalise", text=PROGRAM), "is relax-legalize meant?")


@pytest.mark.parametrize("words", [("-",), ("-", "-o", "-"), ()])
def test_a_dash_is_standard_input_and_output(words: tuple[str, ...]):
    result = relax_opt(*words, text=PROGRAM)
    assert (result.returncode, result.stderr) == (0, "") and "relax.exp" in result.stdout


@pytest.mark.slow
def test_passes_are_listed_with_a_line_each():
    lines = relax_opt("--list-passes").stdout.splitlines()
    assert {line.split()[0] for line in lines} >= {*ALL_PASSES, "canonicalize", "cse"}
    assert all(len(line.split()) > 1 for line in lines if line.startswith("relax-"))


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        ("--canonicalize", "canonicalize"),
        ("--relax-cse=call-only=true", "relax-cse{call-only=true}"),
        ("--pass-pipeline=builtin.module(func.func(cse,licm))", "cse,licm"),
        ("--pass-pipeline=builtin.module(relax-fold-constant{max-elements=4})",
         "relax-fold-constant{max-elements=4}"),
    ],
)  # fmt: skip
def test_spellings_of_mlir_opt_get_ours(word: str, ours: str):
    result = relax_opt(word, text=PROGRAM)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: {word}: expected an option")
    assert result.stderr.endswith(f"write -p {ours}\n")
    assert relax_opt("-p", ours, text=PROGRAM).returncode == 0


def test_help_breaks_no_name_at_its_hyphens():
    words = set(relax_opt("--help").stdout.split())
    assert not {word for word in words if word.endswith("-") and word != "-"}
