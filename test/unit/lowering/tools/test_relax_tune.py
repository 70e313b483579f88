"""The command line of `relax-tune`: what it prints and writes, and what it refuses."""

from pathlib import Path

import numpy as np
import pytest

import lowering
import relax_dialect
from lowering.schedule.schedule import parse
from lowering.support.target import CPUS, native
from lowering.tools import relax_compile, relax_tune
from lowering.tune import program_search
from lowering.tune.program_search import Tuning
from relax_dialect.errors import RelaxError

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.sum %x {axis = array<i64: 1>} : (!relax.tensor<[n, 64], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
"""
KERNEL = "expect(cpu=generic, kernel={})\n"


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "net.mlir"
    file.write_text(PROGRAM)
    return str(file)


def tune(*words: str) -> int:
    return relax_tune.main(["--cpu", "generic", *words])


@pytest.mark.slow
def test_it_searches_and_goes_on(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert tune(program, "--dim", "n=3", "n=40", "--budget", "0.001") == 0
    said = capsys.readouterr().out
    assert said.startswith("kernel ") and "more time goes on from there" in said
    file = tmp_path / "net.mlir.schedules"
    assert "// relax-tune" in file.read_text()
    assert tune(program, "--dim", "n=3", "n=40", "--budget", "9m") == 0
    assert "nothing is left to try" in capsys.readouterr().out
    compiled = [program, "--schedules", str(file), "--cpu", "generic", "--emit", "c"]
    assert relax_compile.main([*compiled, "-o", str(tmp_path)]) == 0


def test_ctrl_c_leaves_a_file(
    program: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    def stopped(self: Tuning, seconds: float) -> bool:
        self.save()
        raise KeyboardInterrupt

    monkeypatch.setattr(Tuning, "run", stopped)
    assert tune(program, "--dim", "n=3") == 130
    assert "interrupted, the same command goes on" in capsys.readouterr().out
    parse((tmp_path / "net.mlir.schedules").read_text())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--dim: expected a size for 'n' of @main, found none"),
        (["--dim", "m=3"], "--dim m=3: expected a variable of the parameters of @main (n)"),
        (["--dim", "n=3,m=3"], "--dim m=3: expected a variable of the parameters of @main (n)"),
        (["--dim", "n=3", "m=3"], "--dim m=3: expected a variable"),
        (["--dim", "n=-3"], "expected a name and a size of 0 or more"),
        (["--dim", "n=3", "--budget", "0"], "--budget 0: expected a time above 0"),
        (["--dim", "n=3", "--budget", "0s"], "expected a time above 0"),
        (["--dim", "n=3", "--budget", "soon"], "--budget soon: expected a time above 0"),
        (["--dim", "n=3", "--threads", "0"], "--threads 0: expected"),
        (["--dim", "n=3", "-o", "-"], "--output -: expected a file"),
        (["--dim", "n=3", "--entry", "f"], "entry @f: expected a function of the program"),
        (["--dim", "n=3", "--cpu", "i386"], "cpu 'i386': expected one of"),
        (["--dim", "n=3", "--cpu", "aarch64"], "expected one that this machine"),
        (
            ["--dim", "n=3", "n=4", "--static"],
            "--static: expected the sizes of one program, found 2",
        ),
        (["--dim", "n=3", "--static"], "expected a .onnx file"),
    ],
)
def test_bad_options(
    program: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    if message.endswith("this machine") and native().architecture == "aarch64":
        pytest.skip("this machine runs it")
    assert tune(program, *words) == 1
    assert message in capsys.readouterr().err


def test_a_cpu_that_this_machine_does_not_run(
    program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    wide = CPUS["x86-64-v4"]
    monkeypatch.setattr(program_search, "check_machine", lambda name: None)
    monkeypatch.setattr(
        program_search, "find", lambda name="native": wide if name == wide.name else CPUS["generic"]
    )
    assert tune(program, "--dim", "n=3", "--cpu", "x86-64-v4") == 1
    assert "expected a CPU whose code this machine runs" in capsys.readouterr().err


def test_another_file_is_not_overwritten(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "notes.txt"
    file.write_text("notes")
    assert tune(program, "--dim", "n=3", "-o", str(file)) == 1
    assert "expected a file of relax-tune" in capsys.readouterr().err
    assert file.read_text() == "notes"


def test_a_program_without_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "same.mlir"
    file.write_text(
        "relax.func @main(%x: !relax.tensor<[3], f32>) -> !relax.tensor<[3], f32> {\n"
        "  relax.return %x : !relax.tensor<[3], f32>\n}"
    )
    assert tune(str(file)) == 1
    assert "expected a program with kernels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("expect(cpu=x86_64_v3)", "expected the CPU x86_64_v3, .* found generic"),
        ("expect(kernel=k0)", "expected the kernel k0, .* found k[0-9a-f]{12} of the same name"),
    ],
)
def test_schedules_of_others_are_refused(step: str, message: str):
    module = relax_dialect.parse(PROGRAM)
    with pytest.raises(RelaxError, match=message):
        lowering.to_c(module, cpu="generic", schedules=f"@sum:\n  {step}\n")


def test_what_is_expected_changes_nothing():
    module = relax_dialect.parse(PROGRAM)
    plain, expected = (
        lowering.compile(module, cpu="generic", schedules=f"@sum:\n{step}unroll(d1, 2)\n")
        for step in ("", "expect(cpu=generic)\n")
    )
    x = np.ones((3, 64), np.float32)
    assert np.array_equal(plain.main(x), expected.main(x))
