"""Machines that run short of something: each run says what mends it, and the next one is right."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from optional import amount, shortened

import lowering
from lowering.runtime import loading
from lowering.runtime.build_cache import FOLDER, LIMIT
from lowering.support import shortage
from lowering.support.whole_files import beside, write_whole
from lowering.tools import relax_compile
from relax_dialect import RelaxError, parse

pytestmark = pytest.mark.usefixtures("unoptimised")

WEIGHTS = np.arange(1, 3001, dtype=np.float32)
PROGRAM = f"""
#w = dense<"0x{WEIGHTS.tobytes().hex().upper()}"> : tensor<3000xf32>
relax.func @main(%x: !relax.tensor<[3000], f32>) -> !relax.tensor<[3000], f32> {{
  %w = relax.constant #w
  %y = relax.multiply %x, %w : (!relax.tensor<[3000], f32>, !relax.tensor<[3000], f32>) -> !relax.tensor<[3000], f32>
  relax.return %y : !relax.tensor<[3000], f32>
}}
"""
"""Of 3,000 weights, in a file of their own."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "net.mlir"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache that is in use."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    monkeypatch.setenv(LIMIT, "16")
    return tmp_path / "cache"


def compiled(program: Path, out: Path) -> int:
    return relax_compile.main([str(program), "-o", str(out), "--quiet", "--cflags=-O0"])


def is_right(out: Path) -> bool:
    x = np.full(3000, 2, np.float32)
    with lowering.load(out / "net") as model:
        return np.array_equal(model.main(x), 2 * WEIGHTS)


def in_child(action: Callable[[], int]) -> tuple[int, str]:
    """How an action ends in a process of its own, and what it prints to standard error."""
    with tempfile.TemporaryFile("w+") as printed:
        if (child := os.fork()) == 0:
            code = 99
            with suppress(BaseException):
                sys.stderr = printed
                code = action()
            printed.flush()
            os._exit(code)
        status = os.waitpid(child, 0)[1]
        printed.seek(0)
        return os.waitstatus_to_exitcode(status), printed.read()


# Killed processes ----------------------------------------------------------------------------------


def files_are_touched(event: str, arguments: tuple[object, ...], below: Path) -> bool:
    """Whether an event of the interpreter touches the files of a model, or begins the C compiler."""
    return event == "subprocess.Popen" or (
        event in ("open", "os.rename", "os.remove", "os.mkdir")
        and str(arguments[0]).startswith(str(below))
    )


def killed_at(moment: int | None, program: Path, out: Path) -> tuple[int, int]:
    """The exit code of a compilation that is killed at a moment, by its count among those that matter; and how
    many there were."""
    log = program.with_suffix(".log")
    log.write_bytes(b"")

    def compile_until_then() -> int:
        moments = log.open("ab", buffering=0)

        def count(event: str, arguments: tuple[object, ...]) -> None:
            if files_are_touched(event, arguments, program.parent):
                moments.write(b".")
                if os.fstat(moments.fileno()).st_size == moment:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        return compiled(program, out)

    return in_child(compile_until_then)[0], log.stat().st_size


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("first", [True, False], ids=["into nothing", "over another build"])
def test_the_run_after_one_that_was_killed_is_right(program: Path, cache: Path, first: bool):
    """Killed where a file is opened, renamed or removed, or the compiler begins, at ten moments in full."""

    def prepared(name: str) -> Path:
        out = program.parent / name
        if not first:
            program.write_text(PROGRAM.replace("multiply", "add"))
            assert compiled(program, out) == 0
            program.write_text(PROGRAM)
        shutil.rmtree(cache, ignore_errors=True)
        return out

    assert compiled(program, program.parent / "once") == 0  # what is found once, children inherit
    code, count = killed_at(None, program, prepared("whole"))
    assert code == 0 and count > 10
    for moment in np.linspace(1, count, amount(5, 2)).astype(int):
        out = prepared(f"out{moment}")
        code, reached = killed_at(moment, program, out)
        assert code == -signal.SIGKILL and reached == moment
        with suppress(RelaxError):  # no model yet, or files of two builds
            assert not first or is_right(out)
        assert compiled(program, out) == 0 and is_right(out)


def test_a_file_is_whole_or_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "model.so"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        assert beside(path).read_bytes() == b"new"
        raise OSError("full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="full"):
            write_whole(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]
    write_whole(path, b"new")
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_a_compiler_that_is_killed_leaves_no_library(
    program: Path, monkeypatch: pytest.MonkeyPatch
):
    """The half that it has written does not take the place of the library."""
    cc = program.parent / "half-cc"
    cc.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho half >"$2"\nkill -9 $$\n')
    cc.chmod(0o755)
    out = program.parent / "out"
    assert compiled(program, out) == 0
    before = (out / "net.so").read_bytes()
    monkeypatch.setenv("CC", str(cc))
    assert compiled(program, out) == 1
    assert (out / "net.so").read_bytes() == before
    assert {path.name for path in out.iterdir()} == {
        f"net.{s}" for s in ("c", "h", "so", "json", "weights")
    }


# Short of memory and disk --------------------------------------------------------------------------


def in_kilobytes(name: str) -> int:
    """A line of /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def limited(limit: int, more: int, program: Path, out: Path) -> tuple[int, str]:
    """A compilation with so much more of something than is in use."""

    def action() -> int:
        resource.setrlimit(limit, (more, more))
        return compiled(program, out)

    return in_child(action)


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("megabytes", [2, 8, 40, 100])
def test_short_of_memory(program: Path, cache: Path, megabytes: int):
    more = (in_kilobytes("VmSize") << 10) + (megabytes << 20)
    out = program.parent / "out"
    code, printed = limited(resource.RLIMIT_AS, more, program, out)
    assert code == 0 or (code == 1 and printed.startswith(("error:", "C compiler:"))), printed
    assert code == 0 or "memory" in printed or "failed" in printed, printed
    assert compiled(program, out) == 0 and is_right(out)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path | None]]:
    """Mounts a file system for temporary files with options; None where that is not allowed."""
    folder = tmp_path / "mounted"
    folder.mkdir()

    def mount(options: str) -> Path | None:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        with suppress(OSError):
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return folder
        return None

    yield mount
    with suppress(OSError):
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


@pytest.mark.parametrize("full", ["output", "temporary", "cache"])
def test_a_full_disk(
    full: str, program: Path, cache: Path, mounted: Callable[[str], Path | None],
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    """8 KB hold the C of the program and no more; where nothing can be mounted, no file is longer."""
    folder = mounted("size=8k")
    out = program.parent / "out"
    if folder is None:
        code, printed = limited(resource.RLIMIT_FSIZE, 8192, program, out)
    else:
        with monkeypatch.context() as patch:
            if full == "cache":
                patch.setenv(FOLDER, str(folder))
            if full == "temporary":
                patch.setenv("TMPDIR", str(folder))
                patch.setattr(tempfile, "tempdir", None)
            code = compiled(program, folder / "out" if full == "output" else out)
        printed = capsys.readouterr().err
        assert code == (0 if full == "cache" else 1)
    if code != 0:
        mends = ("free space there, or set TMPDIR", "name another one", "`ulimit -f`")
        assert any(mend in printed for mend in mends) and "Traceback" not in printed, printed
    assert compiled(program, out) == 0 and is_right(out)


def test_temporary_files_that_may_not_run(
    mounted: Callable[[str], Path | None], monkeypatch: pytest.MonkeyPatch
):
    folder = mounted("noexec")
    if folder is not None:
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
    else:
        error = OSError("model.so: failed to map segment from shared object")
        monkeypatch.setattr(loading, "SharedLibrary", lambda _: (_ for _ in ()).throw(error))
    with pytest.raises(RelaxError, match=r"mounted with noexec: set TMPDIR to a folder .* \(now /"):
        lowering.compile(parse(PROGRAM), "net", extra_flags=["-O0"])


def test_no_folder_for_temporary_files(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    monkeypatch.setattr(tempfile, "mkdtemp", lambda *_, **__: none())
    with pytest.raises(
        RelaxError, match=r"set TMPDIR to a folder that can be written to \(now none\)"
    ):
        lowering.compile(parse(PROGRAM), "net")


@pytest.mark.parametrize(
    "text", ["cc1: out of memory allocating 65536 bytes", "No space left on device"]
)
def test_what_compilers_say_of_the_machine_has_a_mend(text: str, tmp_path: Path):
    cc = tmp_path / "cc"
    cc.write_text(f"#!/bin/sh\necho 'fatal error: {text}' >&2\nexit 1\n")
    cc.chmod(0o755)
    with pytest.raises(RelaxError, match=r"; (raise the limit of memory|free space there)"):
        lowering.compile(parse(PROGRAM), "net", cc=str(cc))
    assert shortage.mend("net.c:1: error: expected ';'") == ""


# Before the work -----------------------------------------------------------------------------------


UNWRITABLE: Mapping[str, str] = {
    "net.mlir": "Not a directory",
    "net.mlir/out": "Not a directory",
    "/proc/out": "No such file or directory|Permission denied",
}


@pytest.mark.parametrize("where", UNWRITABLE)
def test_what_cannot_be_written_is_refused_before_the_work(
    where: str, program: Path, monkeypatch: pytest.MonkeyPatch
):
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr(lowering.driver, "to_c", work)
    monkeypatch.chdir(program.parent)
    with pytest.raises(
        RelaxError, match=f"directory .*{where}: expected a directory .*({UNWRITABLE[where]})"
    ):
        lowering.compile(parse(PROGRAM), directory=where)
    with pytest.raises(
        RelaxError, match="C compiler: the argument cc names 'none', which is not found"
    ):
        lowering.compile(parse(PROGRAM), cc="none")
