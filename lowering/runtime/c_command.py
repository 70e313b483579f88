"""The build of a shared object from emitted C: in parts at the same time if there are cores for it.

Its `identity` contains all inputs: the preprocessed text, which holds every header; the compiler's report
on itself and on the processor that it compiles for; its flags; the files that are linked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lowering.runtime.build_cache import BuildCache, digest
from lowering.support.progress import report
from lowering.support.whole_files import beside, write_whole

PLAIN_FLAG = re.compile(
    r"-(O\w*|g\d?|[DU].*|I/.*|std=.*|pedantic|pthread|w|(?!W[alp],)W[\w=+-]*"
    r"|(?!.*(plugin|profile|list|dump|prefix|coverage|lto))[fm][\w=,.+-]*)"
)
"""Flags that name no file and produce no file besides the object."""

VARIABLES = (
    "COMPILER_PATH", "CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "LD_RUN_PATH", "LIBRARY_PATH",
    "SOURCE_DATE_EPOCH",
)  # fmt: skip
"""The environment variables that compilers and linkers read."""

_PART = "library"


@dataclass(frozen=True)
class CCommand:
    """The command that makes `folder/name.so` of `folder/name.c`, with the files and libraries to link."""

    compiler: Sequence[str]
    flags: Sequence[str]
    folder: Path
    name: str
    linked: Sequence[str] = ()
    libraries: Sequence[str] = ()
    parts: int = 1
    """The number of parts in which the file can be compiled."""

    @property
    def library(self) -> Path:
        return self.folder / f"{self.name}.so"

    def run_or_recall(self, cache: BuildCache | None) -> subprocess.CompletedProcess[str]:
        """Take the shared object that the cache has, or compile and keep it."""
        key = None if cache is None else self.identity()
        if cache is None or key is None:
            return self.run()
        kept = cache.get(key)
        if kept is not None and _PART in kept:
            write_whole(self.library, kept[_PART])  # processes that have loaded the old one keep it
            return subprocess.CompletedProcess([], 0, "", "")
        done = self.run()
        if done.returncode == 0:
            cache.put(key, {_PART: self.library.read_bytes()})
        return done

    def run(self) -> subprocess.CompletedProcess[str]:
        """Compile; return the completed process, with the compiler's output."""
        if self.parts > 1 and cores() > 1 and self._is_plain() and not self.linked:
            with suppress(RuntimeError):  # the machine has no memory for threads
                return self._run_parts()
        report("C compiler", 0, 1)
        return self._link([str(self.folder / f"{self.name}.c")])

    def _run_parts(self) -> subprocess.CompletedProcess[str]:
        """Compile the parts at the same time, and link them; return the first failure, if any."""
        flags = [flag for flag in self.flags if flag != "-shared"]
        # other parts may use the declarations of a part
        command = [*self.compiler, *flags, "-Wno-unused", "-c", str(self.folder / f"{self.name}.c")]
        with (
            tempfile.TemporaryDirectory(prefix="relax-") as folder,
            ThreadPoolExecutor(min(self.parts, cores())) as pool,
        ):
            objects = [f"{folder}/{self.name}{part}.o" for part in range(self.parts)]
            running = [
                pool.submit(_run, [*command, f"-D{self.name.upper()}_PART={part}", "-o", compiled])
                for part, compiled in enumerate(objects)
            ]
            report("C compiler", 0, self.parts)
            try:
                for done, _ in enumerate(as_completed(running), 1):
                    report("C compiler", done, self.parts)
            except BaseException:  # after an interrupt, do not wait for parts that have not begun
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            failed = [ended for each in running if (ended := each.result()).returncode != 0]
            return failed[0] if failed else self._link(objects)

    def words(self, files: Sequence[str], library: Path | None = None) -> list[str]:
        """Return the command that makes the shared object of some files at once."""
        linked = [f"-I{self.folder}", *self.linked] if self.linked else []
        output = ["-o", str(library or self.library)]
        return [*self.compiler, *self.flags, *files, *output, *linked, *self.libraries, "-lm"]

    def version(self) -> str:
        """Return the compiler's name and version, in its own words."""
        return next(iter(_run([*self.compiler, "--version"]).stdout.splitlines()), "")

    def _link(self, files: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Link to a file next to the shared object, and replace that when the link is complete."""
        unfinished = beside(self.library)
        try:
            done = _run(self.words(files, unfinished))
            if done.returncode == 0:
                os.replace(unfinished, self.library)
        finally:
            unfinished.unlink(missing_ok=True)
        return done

    def _is_plain(self) -> bool:
        own = ("-shared", "-fPIC")
        flags = [*self.flags, *(word for word in self.compiler if word.startswith("-"))]
        return all(flag in own or PLAIN_FLAG.fullmatch(flag) for flag in flags)

    def identity(self) -> str | None:
        """Return a key of all that the shared object depends on; None if it may have other dependencies.

        The files must have been written.
        """
        if not self._is_plain():
            return None
        sources = [f"{self.name}.c", *(file for file in self.linked if file.endswith(".c"))]
        flags = [flag for flag in self.flags if flag != "-shared"]
        asked = [*self.compiler, *flags, "-I.", "-v", "-E", "-P", *sources]
        ended = subprocess.run(asked, cwd=self.folder, capture_output=True, check=False)
        if ended.returncode != 0:
            return None
        try:
            files = [*self._linked_files(), *self._library_files()]
        except OSError:
            return None
        environment = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
        report = ended.stderr.replace(b"dir=" + os.fsencode(self.folder.resolve()), b"")  # clang's
        words = [*self.compiler, "", *self.flags, "", *self.linked, "", *self.libraries]
        tools = [_state(path) for word in self.compiler if (path := shutil.which(word))]
        return digest(
            "shared object", self.name, ended.stdout, report, _libc(), "\0".join(words),
            "\0".join(environment), "\0".join(tools), *files,
        )  # fmt: skip

    def _linked_files(self) -> Iterator[bytes]:
        for path in map(Path, self.linked):
            if path.is_file() and path.suffix != ".c":  # C files were preprocessed
                yield path.read_bytes()

    def _library_files(self) -> Iterator[str]:
        """Yield the state of the files that libraries are linked from."""
        for flag in self.libraries:
            for suffix in (".so", ".a"):
                asked = f"-print-file-name=lib{flag.removeprefix('-l')}{suffix}"
                path = _run([*self.compiler, asked]).stdout.strip()
                if os.path.isfile(path):
                    yield _state(path)


def cores() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _state(path: str) -> str:
    """Return the identity and modification time of the file at a path."""
    state = os.stat(path)
    return f"{os.path.realpath(path)} {state.st_size} {state.st_mtime_ns}"


def _libc() -> str:
    """Return the C library of this machine, which a shared object needs no older than it was."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return ""
