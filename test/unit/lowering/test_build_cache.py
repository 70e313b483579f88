"""The cache of what was built: whole entries or none, by several processes at once, within its limit."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lowering.runtime import build_cache
from lowering.runtime import file_digest as module
from lowering.runtime.build_cache import BuildCache, digest, user_cache
from lowering.runtime.file_digest import file_digest
from relax_dialect.errors import RelaxError

KEY, OTHER = digest("a program"), digest("another")
PARTS = {"source": b"int main;", "library": bytes(range(256)) * 40}


@pytest.fixture
def cache(tmp_path: Path) -> BuildCache:
    return BuildCache(tmp_path / "new" / "cache", 1 << 20)


def entry(cache: BuildCache, key: str = KEY) -> Path:
    return cache.folder / f"{key}{build_cache.SUFFIX}"


def test_what_is_put_is_got(cache: BuildCache):
    assert cache.get(KEY) is None
    cache.put(KEY, PARTS)
    cache.put(OTHER, {})
    assert (cache.get(KEY), cache.get(OTHER)) == (PARTS, {})
    assert cache.folder.stat().st_mode & 0o077 == 0, "others cannot change what is loaded"
    cache.put(KEY, {"library": b"new"})
    assert cache.get(KEY) == {"library": b"new"}
    assert len(list(cache.folder.iterdir())) == 2


def test_a_key_knows_where_its_parts_end():
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("é") == digest("é".encode())


def spoiled(data: bytes) -> dict[str, bytes]:
    """The bytes of an entry with what can happen to a file."""
    line, _, rest = data.partition(b"\n")
    return {
        "empty": b"",
        "cut in its head": data[:20],
        "cut in its parts": data[:-1],
        "longer": data + b"x",
        "a bit turned": data[:-7] + bytes([data[-7] ^ 1]) + data[-6:],
        "zeros": bytes(len(data)),
        "another format": line.replace(b"cache 2", b"cache 1") + b"\n" + rest,
        "the entry of another key": line.replace(KEY.encode(), OTHER.encode()) + b"\n" + rest,
        "JSON that is no head": b"[1, 2]\n" + rest,
        "a head of other types": line.replace(b'"parts": {', b'"parts": {"x": 3, ') + b"\n" + rest,
        "a size that is none": line.replace(b"10240", b'"ten"') + b"\n" + rest,
        "a size below zero": line.replace(b"10240", b"-10240") + b"\n" + rest,
        "no text": b"\xff\xfe" + data,
        "deep": b"[" * 100_000,
    }


@pytest.mark.parametrize("how", spoiled(b"\n" + bytes(9)))
def test_a_damaged_or_foreign_entry_is_none_and_is_written_anew(cache: BuildCache, how: str):
    cache.put(KEY, PARTS)
    whole = entry(cache).read_bytes()
    damaged = spoiled(whole)[how]
    assert damaged != whole
    entry(cache).write_bytes(damaged)
    assert cache.get(KEY) is None
    cache.put(KEY, PARTS)
    assert cache.get(KEY) == PARTS


def test_a_digest_is_remembered_for_a_file_that_rests(
    cache: BuildCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file, other = tmp_path / "weights", tmp_path / "other"
    file.write_bytes(b"a" * 100)
    first = file_digest(file, cache)
    assert first == hashlib.sha256(b"a" * 100).hexdigest() == file_digest(file)
    assert not cache.folder.exists(), "small files are read each time"
    monkeypatch.setattr(module, "LARGE", 100)
    assert file_digest(file, cache) == first and not cache.folder.exists(), "written just now"
    os.utime(file, (0, 0))  # which changes another time that a file has
    assert file_digest(file, cache) == first and not cache.folder.exists()
    monkeypatch.setattr(module, "RESTED", -1.0)
    assert file_digest(file, cache) == first
    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", None)
        assert file_digest(file, cache) == first
    other.write_bytes(b"b" * 100)
    other.replace(file)
    assert file_digest(file, cache) == hashlib.sha256(b"b" * 100).hexdigest()


def test_a_folder_where_an_entry_should_be(cache: BuildCache):
    entry(cache).mkdir(parents=True)
    cache.put(KEY, PARTS)
    assert cache.get(KEY) is None
    assert list(cache.folder.iterdir()) == [entry(cache)], "nothing half written stays"


def test_a_folder_that_cannot_be_written_to(tmp_path: Path):
    """Even root cannot make a folder in a file."""
    (tmp_path / "file").write_text("")
    cache = BuildCache(tmp_path / "file" / "cache", 1 << 20)
    cache.put(KEY, PARTS)
    assert cache.get(KEY) is None


def age(file: Path, seconds: int) -> None:
    at = file.stat().st_mtime - seconds
    os.utime(file, (at, at))


def test_the_entry_used_longest_ago_goes_first(tmp_path: Path):
    cache = BuildCache(tmp_path, 3500)
    keys = [digest(str(i)) for i in range(4)]
    for i, key in enumerate(keys[:3]):
        cache.put(key, {"x": bytes(900)})
        age(entry(cache, key), 300 - i)
    assert cache.get(keys[0]) is not None  # used now
    cache.put(keys[3], {"x": bytes(900)})
    assert [cache.get(key) is not None for key in keys] == [True, False, True, True]
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 3500


def test_what_is_larger_than_the_limit_is_not_kept(tmp_path: Path):
    cache = BuildCache(tmp_path, 3500)
    cache.put(OTHER, {"x": b"small"})
    cache.put(KEY, {"x": bytes(3500)})
    assert cache.get(KEY) is None and cache.get(OTHER) is not None


def test_files_of_others_stay_and_those_left_behind_go(tmp_path: Path):
    cache = BuildCache(tmp_path, 2000)
    mine = {
        "notes.txt": 5000, f"{KEY}.txt": 5000, f"short{build_cache.SUFFIX}": 5000,
        f".new{build_cache.SUFFIX}": 10,
    }  # fmt: skip
    for name, size in mine.items():
        (tmp_path / name).write_bytes(bytes(size))
        age(tmp_path / name, 60)
    left = tmp_path / f".left{build_cache.SUFFIX}"
    left.write_text("by a process that was stopped")
    age(left, 7200)
    for i in range(5):
        cache.put(digest(str(i)), {"x": bytes(900)})
    kept = {file.name for file in tmp_path.iterdir()}
    assert kept >= set(mine) and left.name not in kept
    assert len(kept - set(mine)) == 1


WRITER = """
import sys
from pathlib import Path
from lowering.runtime.build_cache import BuildCache, digest
cache = BuildCache(Path(sys.argv[1]), 400_000)
for turn in range(25):
    for number in range(6):
        key = digest(str(number))
        found = cache.get(key)
        assert found in (None, {"x": bytes([number]) * 60_000}), number
        cache.put(key, {"x": bytes([number]) * 60_000})
"""


@pytest.mark.long
def test_several_processes_at_once(tmp_path: Path):
    """They write the same entries, read them, and remove the oldest."""
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate()[1] for process in running] == [b""] * 3
    files = list(tmp_path.iterdir())
    assert not [file.name for file in files if file.name.startswith(".")]
    assert 0 < sum(file.stat().st_size for file in files) <= 400_000


# Where it is -------------------------------------------------------------------------------------

Setting = Callable[..., BuildCache | None]


@pytest.fixture
def setting(monkeypatch: pytest.MonkeyPatch) -> Setting:
    """The user's cache with these variables and no others."""

    def get(**variables: str) -> BuildCache | None:
        for name in (build_cache.FOLDER, build_cache.LIMIT, "XDG_CACHE_HOME", "HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return user_cache()

    return get


def test_the_folder(setting: Setting):
    home = {"HOME": "/home/me"}
    for variables, folder in (
        ({}, "/home/me/.cache/relax-xdsl"),
        ({"XDG_CACHE_HOME": "/var/me"}, "/var/me/relax-xdsl"),
        ({"XDG_CACHE_HOME": "not/absolute"}, "/home/me/.cache/relax-xdsl"),
        ({"XDG_CACHE_HOME": "/var/me", "RELAX_CACHE_DIR": "/own"}, "/own"),
        ({"RELAX_CACHE_DIR": ""}, "/home/me/.cache/relax-xdsl"),
    ):
        assert setting(**home, **variables) == BuildCache(Path(folder), 1024 << 20)


def test_no_home(setting: Setting, monkeypatch: pytest.MonkeyPatch):
    def none() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", none)
    assert setting() is None


def test_the_limit(setting: Setting):
    own = {"RELAX_CACHE_DIR": "/own"}
    assert setting(**own, RELAX_CACHE_LIMIT="7") == BuildCache(Path("/own"), 7 << 20)
    assert setting(**own, RELAX_CACHE_LIMIT="0") is None


@pytest.mark.parametrize("text", ["-1", "1.5", "2 GB", "٣", "1" * 30])
def test_a_limit_that_is_none(setting: Setting, text: str):
    with pytest.raises(
        RelaxError, match=r"\$RELAX_CACHE_LIMIT: expected a number of megabytes.*found"
    ):
        setting(RELAX_CACHE_LIMIT=text)


def test_the_documentation_names_the_variables_and_the_limit():
    page = (Path(__file__).parents[3] / "docs" / "compile_time.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(RELAX_\w+)` \|.*\| (.*?) \|$", page, re.M))
    assert rows.keys() == {build_cache.FOLDER, build_cache.LIMIT}
    assert rows[build_cache.LIMIT] == str(build_cache.DEFAULT_MEGABYTES)


# Folders of others ------------------------------------------------------------------------------------


HOSTILE: dict[str, tuple[Callable[[BuildCache], None], str]] = {
    "a folder that the group may write": (lambda c: c.folder.chmod(0o770), "found mode 0770"),
    "a folder that all may write": (lambda c: c.folder.chmod(0o702), "found mode 0702"),
    "a folder like /tmp": (lambda c: c.folder.chmod(0o1777), "found mode 1777"),
    "an entry that others may write": (lambda c: entry(c).chmod(0o620), "found mode 0620"),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_what_others_can_write_is_not_used(cache: BuildCache, how: str):
    change, message = HOSTILE[how]
    cache.put(KEY, PARTS)
    change(cache)
    with pytest.warns(RuntimeWarning, match=f"{message}.*; the cache is not used"):
        assert cache.get(KEY) is None
    if how.startswith("a folder"):
        with pytest.warns(RuntimeWarning, match=message):
            cache.put(OTHER, PARTS)
        assert not entry(cache, OTHER).exists()


def test_what_belongs_to_another_user_is_not_used(
    cache: BuildCache, monkeypatch: pytest.MonkeyPatch
):
    cache.put(KEY, PARTS)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(RuntimeWarning, match=f"{cache.folder}: .*found the owner {owner}"):
        assert cache.get(KEY) is None
    with pytest.warns(RuntimeWarning, match=f"{entry(cache)}: .*found the owner {owner}"):
        assert cache._content(entry(cache)) is None


def test_links_are_followed_to_the_folder_alone(tmp_path: Path):
    own = BuildCache(tmp_path / "own", 1 << 20)
    own.put(KEY, PARTS)
    linked = BuildCache(tmp_path / "link", 1 << 20)
    linked.folder.symlink_to(own.folder)
    assert linked.get(KEY) == PARTS
    entry(own, OTHER).symlink_to(entry(own))
    assert own.get(OTHER) is None
    entry(own, OTHER).unlink()
    os.mkfifo(entry(own, OTHER))
    assert own.get(OTHER) is None, "and nothing waits for a writer"


def test_all_folders_that_are_made_are_private(tmp_path: Path):
    before = os.umask(0)
    try:
        BuildCache(tmp_path / "new" / "cache", 1 << 20).put(KEY, PARTS)
    finally:
        os.umask(before)
    assert [(tmp_path / f).stat().st_mode & 0o777 for f in ("new", "new/cache")] == [0o700] * 2
