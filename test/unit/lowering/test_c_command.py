"""The identity of a shared object: everything that it is made of, which alone decides what the cache gives."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import pytest
from optional import COMPILERS

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime import c_command
from lowering.runtime import loading as runtime
from lowering.runtime.c_command import CCommand
from lowering.support import c_compiler
from lowering.support.progress import told

FLAGS = ["-std=c11", "-O0", "-fPIC", "-shared"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "model.c": '#include "model.h"\nint other(void);\n__attribute__((visibility("default"))) int model(void) { return VALUE + other(); }\n',
        "model.h": "#define VALUE 1\n",
        "other.c": "#include <own.h>\nint other(void) { return OWN; }\n",
        "include/own.h": "#define OWN 10\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def command(folder: Path, *more: str, cc: Sequence[str] = (), **options: list[str]) -> CCommand:
    linked = options.get("linked", [str(folder / "other.c")])
    compiler = [*c_compiler.find_compiler(), *cc]
    return CCommand(
        compiler, [*FLAGS, *more], folder, "model", linked, options.get("libraries", [])
    )


@pytest.fixture(autouse=True)
def own_header(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CPATH", str(folder / "include"))


def identity(folder: Path, *more: str, **options: list[str]) -> str:
    found = command(folder, *more, **options).identity()
    assert found is not None
    return found


@pytest.mark.parametrize("cc", COMPILERS)
def test_the_folder_is_no_part_of_the_identity(folder: Path, cc: str):
    other = folder / "elsewhere"
    other.mkdir()
    for name in ("model.c", "model.h"):
        (other / name).write_bytes((folder / name).read_bytes())
    here, there = (CCommand([cc], FLAGS, each, "model").identity() for each in (folder, other))
    assert here == there


def change(path: Path, text: str = "") -> None:
    path.write_text(path.read_text() + text)


def test_the_identity_changes_with_all_that_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch):
    first = identity(folder)
    assert identity(folder) == first
    seen = {first, identity(folder, "-O1"), identity(folder, "-DX"), identity(folder, cc=["-g"])}
    assert len(seen) == 4
    for file, text in (
        ("model.c", "int more;\n"),
        ("model.h", "#undef VALUE\n#define VALUE 2\n"),
        ("other.c", "int another;\n"),
        ("include/own.h", "#undef OWN\n#define OWN 20\n"),
    ):
        change(folder / file, text)
        seen.add(found := identity(folder))
        change(folder / file, "/* of no account */\n")
        assert identity(folder) == found, "a comment changes nothing"
    assert len(seen) == 8
    monkeypatch.setenv("LD_RUN_PATH", "/elsewhere")
    assert identity(folder) not in seen


def test_linked_objects_and_libraries_count(folder: Path):
    """By what is in them; libraries by the file that the linker would find."""
    object_file = folder / "other.o"
    object_file.write_bytes(b"one")
    linked = [str(object_file)]
    one = identity(folder, linked=linked)
    object_file.write_bytes(b"two")
    assert identity(folder, linked=linked) != one
    assert identity(folder, libraries=["-lm"]) != identity(folder)


def test_the_processor_counts(folder: Path):
    """The meaning of -march=native here."""
    assert identity(folder, "-march=native") != identity(folder, "-march=x86-64")


@pytest.mark.parametrize(
    "flag",
    [
        "-L.", "-lother", "-Wl,-z,now", "-Wa,-v", "-I.", "-include own.h", "-fplugin=x", "other.o", "@flags",
        "-fprofile-use", "-ftest-coverage", "--coverage", "-save-temps", "-gsplit-dwarf", "-flto", "-o",
        "-fsanitize-blacklist=x", "-fdump-tree-all", "-B.", "-specs=x", "-x",
    ],
)  # fmt: skip
def test_flags_that_may_name_files_make_no_identity(folder: Path, flag: str):
    assert command(folder, flag).identity() is None
    assert command(folder, cc=[flag]).identity() is None or not flag.startswith("-")


def test_what_does_not_preprocess_has_no_identity(folder: Path):
    change(folder / "model.c", '#include "missing.h"\n')
    assert command(folder).identity() is None


def test_libraries_of_the_cache_are_those_of_the_compiler(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """The same C linked with other files: each gets its own, the second time too."""
    monkeypatch.setenv("RELAX_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "10")
    source = CSource("model", (folder / "model.c").read_text(), "#define VALUE 1\n", None, ())
    other = folder / "other.c"
    for turn in range(2):
        for own in (10, 20):
            other.write_text(f"int other(void) {{ return {own}; }}\n")
            out = folder / f"out{turn}{own}"
            library = runtime.compile_c(source, out, link=[other])
            assert ctypes.CDLL(str(library)).model() == 1 + own
    assert len(list((folder / "cache").iterdir())) == 2


def test_parts_that_have_not_begun_are_left_out_by_ctrl_c(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    compiler = tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\nsleep 0.1\necho "$@" >>"{tmp_path}/called"\n')
    compiler.chmod(0o755)
    monkeypatch.setattr(c_command, "cores", lambda: 2)

    def interrupt(what: str, done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    whole = CCommand([str(compiler)], FLAGS, folder, "model", parts=20)
    with told(interrupt), pytest.raises(KeyboardInterrupt):
        whole.run()
    assert len((tmp_path / "called").read_text().splitlines()) < 8


def test_parts_are_compiled_as_one_file_where_no_thread_can_be_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(c_command, "cores", lambda: 2)
    monkeypatch.setattr(c_command.ThreadPoolExecutor, "submit", fail)
    whole = CCommand(["gcc"], FLAGS, folder, "model", parts=2)
    assert whole.run().returncode == 0 and whole.library.exists()
