"""A pass that fails by its own fault: one error, and a file that reproduces it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region

import lowering
import relax_dialect
from lowering.legalize import relax_legalize
from lowering.tools import relax_opt
from relax_dialect import interpret
from relax_dialect.errors import InternalError, RelaxError
from relax_dialect.frontends import tvmscript

PROGRAM = """relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
"""


def broken(module: ModuleOp) -> None:
    {}["n"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Legalisation has a fault; the folder that reproducers go to."""
    monkeypatch.setattr(relax_legalize, "legalize", broken)
    monkeypatch.setenv("RELAX_REPRODUCERS", str(tmp_path / "faults"))
    return tmp_path / "faults"


def check(folder: Path, message: str) -> None:
    (file,) = folder.iterdir()
    assert (
        "relax-legalize: expected the pass to succeed or to refuse the program, found a fault of the compiler: KeyError: 'n' (test_reproducer.py:"
        in message
    )
    assert message.rstrip().endswith(f"{file} shows it: please report it")
    command, what, versions, *program = file.read_text().splitlines()
    assert command == "// relax-opt FILE -p 'relax-dce,relax-legalize'"
    assert what.startswith("// KeyError: 'n'")
    assert versions.startswith("// relax-xdsl ") and ", xdsl 0.7" in versions
    expected = str(relax_dialect.parse(PROGRAM)).splitlines()
    assert program == expected, "the program as it was before the first pass"


def test_from_python(folder: Path) -> None:
    for _ in range(2):  # the same fault leaves the same file
        with pytest.raises(InternalError) as error:
            lowering.lower(relax_dialect.parse(PROGRAM), ["relax-dce", "relax-legalize"])
    check(folder, str(error.value))
    assert isinstance(error.value.__cause__, KeyError)


def test_the_place_is_ours_where_xdsl_finds_the_fault(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(relax_legalize, "legalize", lambda module: Region().block)
    with pytest.raises(InternalError, match=r"ValueError: .* \(test_reproducer.py:\d+\)"):
        lowering.lower(relax_dialect.parse(PROGRAM), ["relax-legalize"])


def test_from_the_shell(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder.parent / "p.mlir"
    file.write_text(PROGRAM)
    assert relax_opt.main([str(file), "-p", "relax-dce,relax-legalize"]) == 1
    check(folder, capsys.readouterr().err)


@pytest.mark.slow
def test_the_reproducer_runs(folder: Path) -> None:
    with pytest.raises(InternalError):
        lowering.lower(relax_dialect.parse(PROGRAM), ["relax-dce", "relax-legalize"])
    (file,) = folder.iterdir()
    command = file.read_text().splitlines()[0].removeprefix("// relax-opt FILE -p ").strip("'")
    code = f"import sys; from lowering.tools import relax_opt; sys.exit(relax_opt.main([{str(file)!r}, '-p', {command!r}]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "relax.call_tir @exp" in done.stdout, "the pass is whole there"


def test_where_no_file_can_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("not a folder")
    with pytest.raises(InternalError, match="no reproducer could be written"):
        lowering.lower(relax_dialect.parse(PROGRAM), ["relax-legalize"])


def test_a_mistake_of_the_user_leaves_none(folder: Path) -> None:
    with pytest.raises(RelaxError, match="relax-bind-params"):
        lowering.lower(relax_dialect.parse(PROGRAM), ["relax-bind-params{file=none.npz func=main}"])
    assert not folder.exists()


def test_output_that_nobody_reads_any_more_leaves_none(folder: Path) -> None:
    def told(*_: object) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        lowering.lower(relax_dialect.parse(PROGRAM), ["relax-dce", "relax-cse"], callback=told)
    assert not folder.exists()


@pytest.mark.parametrize(
    "use",
    [
        lambda module: lowering.lower(module, ["relax-normalize"]),
        lambda module: interpret.run(module, "main", np.zeros(2, "f")),
        tvmscript.dump,
    ],
)
def test_a_program_that_a_hand_has_broken(use: Callable[[ModuleOp], object], folder: Path) -> None:
    module = relax_dialect.parse(PROGRAM)
    last = next(op for op in module.walk() if op.name == "relax.return")
    last.detach()
    with pytest.raises(RelaxError, match=r"main.*: expected .+, found .+; "):
        use(module)
    assert not folder.exists()
