"""Programs compiled before come from the cache, and only those; whatever stands there is never a wrong one."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering import driver, pipeline
from lowering.external.cblas import CblasCodegen
from lowering.external.registry import _REGISTERED
from lowering.legalize.registry import RULES
from lowering.runtime import source_cache
from lowering.runtime.build_cache import FOLDER, LIMIT, BuildCache, digest
from lowering.runtime.c_command import CCommand
from lowering.runtime.source_cache import program_key, recalled, text_key
from relax_dialect import interpret, parse
from relax_dialect.ops.unary import ExpOp

pytestmark = pytest.mark.usefixtures("unoptimised")

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
"""
CALLS = """
relax.func @main(%x: !relax.tensor<[n], f32>, %o: !relax.object) -> tuple<!relax.tensor<[n], f32>, !relax.object> {
  %f = relax.closure (%z: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %a = relax.add %z, 2.0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.return %a : !relax.tensor<[n], f32>
  }
  %g = relax.call_packed "cached.twice"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %y = relax.call_closure %f, %g : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %t = relax.tuple %y, %o : (!relax.tensor<[n], f32>, !relax.object) -> tuple<!relax.tensor<[n], f32>, !relax.object>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.object>
}
"""
X = np.array([[1, 0], [0, 1]], np.float32)
W = np.array([[1, 2], [3, 4]], np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of one's own, by a project that has not changed."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    monkeypatch.setenv(LIMIT, "100")
    monkeypatch.setattr(source_cache, "_unchanged", lambda: True)
    yield tmp_path / "cache"


class Work:
    """Counts the work that was done, and not taken from the cache."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.done: list[str] = []
        for holder, name in ((driver, "_to_c"), (CCommand, "run")):
            monkeypatch.setattr(holder, name, self.noted(name, getattr(holder, name)))

    def noted(self, name: str, function: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            self.done.append(name)
            return function(*args, **options)

        return call

    def since(self) -> list[str]:
        done, self.done = self.done, []
        return done


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(monkeypatch)


@pytest.mark.slow
def test_the_second_time_nothing_is_done(folder: Path, work: Work, tmp_path: Path):
    for expected in (["_to_c", "run"], [], []):
        np.testing.assert_array_equal(lowering.compile(parse(PROGRAM)).main(X), W)
        assert work.since() == expected
    out = tmp_path / "out"
    lowering.compile(parse(PROGRAM), directory=out, sidecar_threshold=4)
    assert work.since() == ["_to_c", "run"]
    first = {file.name: file.read_bytes() for file in out.iterdir()}
    assert set(first) == {"model.c", "model.h", "model.json", "model.so", "model.weights"}
    again = tmp_path / "again"
    model = lowering.compile(parse(PROGRAM), directory=again, sidecar_threshold=4)
    assert work.since() == []
    assert {file.name: file.read_bytes() for file in again.iterdir()} == first
    np.testing.assert_array_equal(model.main(X), W)


@pytest.mark.slow
def test_without_the_cache(folder: Path, work: Work, monkeypatch: pytest.MonkeyPatch):
    for _ in range(2):
        lowering.compile(parse(PROGRAM), cache=False)
        assert work.since() == ["_to_c", "run"]
    monkeypatch.setenv(LIMIT, "0")
    for _ in range(2):
        lowering.compile(parse(PROGRAM))
        assert work.since() == ["_to_c", "run"]
    assert not folder.exists()


@pytest.mark.slow
def test_other_flags_and_other_compilers_make_another_shared_object(folder: Path, work: Work):
    for options in ({}, {"extra_flags": ["-DX=1"]}, {"extra_flags": ["-DX=2"]}, {"cc": "gcc -g"}):
        lowering.compile(parse(PROGRAM), **options)
        assert "run" in work.since()
        lowering.compile(parse(PROGRAM), **options)
        assert work.since() == []


@pytest.mark.slow
@pytest.mark.parametrize("damaged", [b"", b"foreign", None], ids=["empty", "foreign", "cut"])
def test_a_damaged_entry_is_rebuilt_without_a_word(
    folder: Path, work: Work, capfd: pytest.CaptureFixture[str], damaged: bytes | None
):
    lowering.compile(parse(PROGRAM))
    files = list(folder.iterdir())
    assert len(files) == 2
    for file in files:
        file.write_bytes(file.read_bytes()[:-1] if damaged is None else damaged)
    work.since()
    for expected in (["_to_c", "run"], []):
        np.testing.assert_array_equal(lowering.compile(parse(PROGRAM)).main(X), W)
        assert work.since() == expected
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_an_entry_that_is_whole_but_holds_no_source(folder: Path, work: Work):
    """As if a version of the format had been forgotten: checksums are right, the content is not."""
    lowering.compile(parse(PROGRAM))
    cache = BuildCache(folder, 1 << 20)
    keys = [file.stem for file in folder.iterdir()]
    (key,) = [key for key in keys if "source" in (cache.get(key) or {})]
    work.since()
    for content in (b"", b"no pickle", pickle.dumps(3), pickle.dumps(print), pickle.dumps(Path())):
        cache.put(key, {"source": content})
        np.testing.assert_array_equal(lowering.compile(parse(PROGRAM)).main(X), W)
        assert work.since() == ["_to_c"]
    cache.put(key, {"else": b""})
    np.testing.assert_array_equal(lowering.compile(parse(PROGRAM)).main(X), W)
    assert work.since() == ["_to_c"]


@pytest.mark.slow
def test_a_place_that_cannot_be_written_to(folder: Path, work: Work):
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file where the folder should be")
    for _ in range(2):
        np.testing.assert_array_equal(lowering.compile(parse(PROGRAM)).main(X), W)
        assert work.since() == ["_to_c", "run"]


@pytest.mark.slow
def test_threads_at_once(folder: Path):
    def compiled(_: int) -> np.ndarray:
        return lowering.compile(parse(PROGRAM)).main(X)

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(compiled, range(8)):
            np.testing.assert_array_equal(found, W)
    assert len(list(folder.iterdir())) == 2


def test_functions_from_outside_and_function_values(folder: Path, work: Work):
    """The functions are those of the time of the call, compiled or taken from the cache."""
    source = lowering.to_c(parse(CALLS))
    assert source.packed and source.has_objects
    work.since()
    x, o = np.ones(3, np.float32), object()
    for factor, expected in ((2, ["_to_c", "run"]), (3, [])):
        interpret.register_packed("cached.twice", lambda x, factor=factor: factor * x)
        y, same = lowering.compile(parse(CALLS)).main(x, o)
        assert work.since() == expected
        assert y.tolist() == [factor + 2] * 3 and same is o


# Keys --------------------------------------------------------------------------------------------


def key_of(text: str = PROGRAM, name: str = "model", file: str = "<text>", **options: Any) -> str:
    key = program_key(parse(text, file), name, options)
    assert key is not None
    return key


def test_a_key_holds_all_that_the_c_depends_on(folder: Path, monkeypatch: pytest.MonkeyPatch):
    keys = [
        key_of(),
        key_of(PROGRAM.replace("4.0", "4.0000005")),
        key_of(PROGRAM.replace("1.0", "-1.0")),
        key_of(PROGRAM.replace("%y", "%z")),
        key_of(PROGRAM.replace("@main", "@other")),
        key_of("\n" + PROGRAM),
        key_of(file="program.mlir"),
        key_of(name="another"),
        key_of(opt_level=1),
        key_of(opt_level=2),
        key_of(packed={"f": "my_f"}),
        text_key(PROGRAM.encode(), "program.mlir", "model", {}),
        text_key(PROGRAM.encode(), "other.mlir", "model", {}),
        text_key(PROGRAM.encode() + b"\n", "program.mlir", "model", {}),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "PASSES", dict(list(pipeline.PASSES.items())[:-1]))
        keys.append(key_of())
    with monkeypatch.context() as patch:
        patch.setattr(source_cache, "project", lambda _: digest("a later version"))
        keys.append(key_of())
    assert len(set(keys)) == len(keys)
    assert key_of() == keys[0]
    assert text_key(PROGRAM.encode(), "/elsewhere/program.mlir", "model", {}) == keys[11]


def test_the_project_is_all_its_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    files = sorted(source_cache._files(()))
    names = {Path(file).name for file in files}
    assert {"pipeline.py", "loading.py", "parsing.py", "memory.c", "model.h"} <= names
    copies = []
    for number, file in enumerate(files[:3]):
        copies.append(str(tmp_path / f"{number}.py"))
        Path(copies[-1]).write_bytes(Path(file).read_bytes())
    monkeypatch.setattr(source_cache, "_files", lambda _: iter(copies))
    project = source_cache.project.__wrapped__
    before = project()
    Path(copies[1]).write_text("# changed")
    assert project() != before


def test_nothing_is_kept_once_the_project_has_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """The code that is loaded is then no longer that in the files."""
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text("")
    monkeypatch.setattr(source_cache, "_process_start", lambda: old.stat().st_ctime + 60)
    monkeypatch.setattr(source_cache, "_files", lambda _: iter([str(old)]))
    assert source_cache._unchanged() and key_of()
    monkeypatch.setattr(source_cache, "_process_start", lambda: old.stat().st_ctime - 60)
    assert not source_cache._unchanged()
    assert program_key(parse(PROGRAM), "model", {}) is None
    assert text_key(b"", "program.mlir", "model", {}) is None
    monkeypatch.setattr(source_cache, "_files", lambda _: iter([]))
    assert not source_cache._unchanged(), "no files are no proof"
    assert not new.exists()


def test_the_process_has_begun():
    assert source_cache._process_start() <= source_cache._IMPORTED + 1


def no_rule(*args: Any) -> None: ...


class NoPass(ModuleOp):
    """An operation from outside."""


def test_nothing_is_kept_where_something_from_outside_takes_part(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    for table, name in (
        (RULES, ExpOp),
        (_REGISTERED, "mine"),
        (pipeline.PASSES, "relax-legalize"),
        (pipeline.ALL_PASSES, "relax-dce"),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(table, name, no_rule)
            assert program_key(parse(PROGRAM), "model", {}) is None
            assert text_key(b"", "program.mlir", "model", {}) is None
    with monkeypatch.context() as patch:
        patch.setitem(_REGISTERED, "cblas", CblasCodegen())
        assert program_key(parse(PROGRAM), "model", {}) is not None
    assert program_key(NoPass([]), "model", {}) is None


def test_what_fails_is_not_kept(folder: Path):
    def fail() -> Any:
        raise ValueError("no C")

    for _ in range(2):
        with pytest.raises(ValueError, match="no C"):
            recalled(BuildCache(folder, 1 << 20), digest("key"), fail)
    assert not folder.exists()
