"""Models in memory: emitted C is compiled, its shared object opened, its entry points become functions."""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lowering.emit_c.syntax.c_source import MOST_THREADS, CSource, EntryPoint, PackedCall
from lowering.runtime import packed_callbacks
from lowering.runtime.arguments import scalar
from lowering.runtime.calling import NestedSignature
from lowering.runtime.compiled_function import CompiledFunction
from lowering.runtime.model_files import BuiltFiles, ModelFiles
from lowering.runtime.objects import ObjectApi
from lowering.runtime.rank_function import RankFunction, ask
from lowering.runtime.shared_library import SharedLibrary, elf_architecture, give_up, private_copy
from lowering.runtime.shared_object import c_command, compile_c, needs
from lowering.support.c_compiler import machine
from lowering.support.external_library import ExternalLibrary
from lowering.support.shortage import mend, shortages
from lowering.support.target import ALIGNMENT
from lowering.support.whole_files import check_target
from relax_dialect.errors import RelaxError


@contextmanager
def _environment(libraries: Sequence[ExternalLibrary]) -> Iterator[None]:
    """Set the variables that libraries read while they are loaded, except for those already set."""
    wanted = {k: v for n in libraries for k, v in n.environment.items()}
    wanted = {k: v for k, v in wanted.items() if k not in os.environ}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            os.environ.pop(name, None)


class CompiledModule:
    """The entry points of a shared object, as attributes and by name: `module.main(x)`. An entry point
    named like a method here, such as `close`, is reached by `module["close"]` alone.

    Each thread that calls keeps memory for its next call, until `trim()` releases it or the thread ends.
    `close()`, or the end of a `with`, closes the library: it, its weights and the memory of all threads are
    freed with the last result. A module that is not closed stays until the process ends.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        model: str,
        entries: Sequence[EntryPoint],
        packed: Sequence[PackedCall] = (),
        signatures: Mapping[str, NestedSignature] | None = None,
        arena: Sequence[str] | None = None,
        files: ModelFiles | None = None,
    ):
        """`arena` are the symbolic variables that the memory of calls depends on, if callers provide it."""
        self.library: ctypes.CDLL | None = library
        self._model = model
        self._arena = arena
        self._files = files
        self._given = threading.local()
        """The arena memory of each thread."""
        self.weights: np.ndarray | None = None
        """The weights that the library refers to, if it has no memory of its own."""
        known = signatures or {}
        has_objects = hasattr(library, f"{model}_object_new")
        api = ObjectApi(library, model) if has_objects else None
        packed_callbacks.register(library, model, packed, api)
        calls_python = bool(packed) or has_objects
        self.functions = {
            e.name: (RankFunction if e.communicates else CompiledFunction)(
                library, model, e, calls_python, known.get(e.name), api, copies=arena is not None
            )
            for e in entries
        }
        for function in self.functions.values():
            function.module = self
        for name, function in self.functions.items():
            if not hasattr(self, name):  # `close` and its like are this class's own
                setattr(self, name, function)

    def arena_size(self, **sizes: int) -> int:
        """Return the bytes that the functions of this model need for some sizes, if callers provide
        them."""
        if self._arena is None or self.library is None:
            raise RelaxError(
                "arena_size: expected a model compiled with arena=True that is open, found another; its "
                "calls allocate what they need"
            )
        if sizes.keys() != set(self._arena):
            wanted = ", ".join(self._arena) or "none"
            found = ", ".join(sizes) or "none"
            raise RelaxError(f"arena_size: expected the sizes {wanted}, found {found}; pass those")
        function = getattr(self.library, f"{self._model}_arena_size")
        function.restype = ctypes.c_size_t
        return function(*(scalar(f"arena_size: {v}", "int64", sizes[v]) for v in self._arena))

    def use_arena(self, size: int) -> None:
        """Make the calls of this thread use an arena of `size` bytes, as returned by `arena_size`."""
        self.arena_size(**dict.fromkeys(self._arena or (), 0))
        try:
            self._given.memory = np.empty(size, np.uint8)
        except (TypeError, ValueError, MemoryError):
            raise RelaxError(
                f"use_arena: expected a number of bytes that memory has room for, found {size!r}; pass "
                "the arena_size of smaller sizes"
            ) from None
        use = getattr(self.library, f"{self._model}_use_arena")
        use.restype = None
        use(ctypes.c_void_p(self._given.memory.ctypes.data), ctypes.c_size_t(size))

    @property
    def threads(self) -> int:
        """The number of threads that calls use at most: 1, unless it is set or OMP_NUM_THREADS is. Results
        have the same bits for any number."""
        own = getattr(self.library, f"{self._model}_threads", None)
        return 1 if own is None else own()

    @threads.setter
    def threads(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_THREADS:
            raise RelaxError(
                f"threads: expected a number from 1 to {MOST_THREADS}, found {count!r}; pass one of these"
            )
        if self.library is None:
            raise RelaxError("threads: expected an open model, found a closed one; load it again")
        if hasattr(self.library, f"{self._model}_set_threads"):  # else no loop is worth it
            _start(self.library, self._model, "set_threads", ctypes.c_int(count))

    @property
    def rank(self) -> int:
        """The number of this process among the ranks that run the model, 0 without MPI."""
        return ask(self.library, self._model, "rank", 0)

    @property
    def ranks(self) -> int:
        """The number of processes that run the model together, 1 without MPI."""
        return ask(self.library, self._model, "ranks", 1)

    def trim(self) -> int:
        """Release the memory kept for the next call of this thread; return its bytes."""
        if self.library is None:
            return 0
        trim = getattr(self.library, f"{self._model}_trim", None)
        if trim is None:  # of a library that was compiled before there was one, or needs no memory
            return 0
        trim.restype = ctypes.c_size_t
        return trim()

    def save(self, directory: str | Path) -> Path:
        """Write the model to a directory, from which `lowering.load` returns it; return the manifest.

        Raises `RelaxError` if the model is closed, or the directory cannot be written to.
        """
        folder, files = Path(directory), self.kept_files("save")
        check_target(folder, "directory", "save")
        with shortages(f"save {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
            return files.write(folder)

    def kept_files(self, action: str) -> ModelFiles:
        """Return the files of the model; raise `RelaxError`, which names the action, if there are none."""
        if self._files is None or self.library is None:
            raise RelaxError(
                f"{action}: expected a model that is open and was compiled or loaded, found another; "
                f"{action} it before close()"
            )
        return self._files

    def close(self) -> None:
        """Close the library; no function of it may be running. A second call does nothing."""
        library, self.library, self._files = self.library, None, None
        if library is None:
            return
        for function in self.functions.values():
            function.close()
        if isinstance(library, SharedLibrary):
            give_up(library, self._model)

    def __repr__(self) -> str:
        state = "" if self.library is not None else ", closed"
        heads = "".join(f"\n  {function.head()}" for function in self.functions.values())
        return f"<compiled module '{self._model}'{state}:{heads}>"

    def __enter__(self) -> CompiledModule:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getitem__(self, name: str) -> CompiledFunction:
        if name not in self.functions:
            raise RelaxError(
                f"no entry point {name!r}; there are: {', '.join(self.functions) or 'none'}"
            )
        return self.functions[name]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> CompiledFunction: ...


def load(
    path: str | Path,
    entries: Sequence[EntryPoint],
    weights: str | Path | None = None,
    *,
    name: str | None = None,
    packed: Sequence[PackedCall] = (),
    signatures: Mapping[str, NestedSignature] | None = None,
    libraries: Sequence[ExternalLibrary] = (),
    arena: Sequence[str] | None = None,
    files: ModelFiles | None = None,
) -> CompiledModule:
    """Open a private copy of a shared object, so that a recompiled one is never the old one.

    `files` are those of the model; the content that they hold, which was checked, is what is loaded.

    `libraries` are the libraries that its kernels call: if not loaded yet, a library finds the variables of
    its `environment` set, so that OpenBLAS uses one thread unless the user says otherwise.
    """
    path = Path(path)
    model = name or path.stem
    try:
        with private_copy(path, files.image if files else None) as copy, _environment(libraries):
            # a library of others may have threads, and stays
            library = (ctypes.CDLL if libraries else SharedLibrary)(copy)
    except OSError as e:
        built_for = elf_architecture(path)
        if built_for not in (None, machine()):
            raise RelaxError(
                f"cannot load {path}: expected code for {machine()}, found code for {built_for}; build it "
                "with --cpu native on this machine"
            ) from None
        raise RelaxError(f"cannot load {path}: {e}{needs(libraries)}{mend(str(e))}") from None
    if hasattr(library, f"{model}_check_cpu"):
        _start(library, model, "check_cpu")
    if weights is not None and arena is None:
        _start(library, model, "load", os.fsencode(weights))
    compiled = CompiledModule(library, model, entries, packed, signatures, arena, files)
    if weights is not None and arena is not None:
        compiled.weights = aligned(np.fromfile(weights, np.uint8))
        address, size = compiled.weights.ctypes.data, compiled.weights.size
        _start(library, model, "use_weights", ctypes.c_void_p(address), ctypes.c_size_t(size))
    return compiled


def aligned(content: np.ndarray) -> np.ndarray:
    """Return bytes that are aligned to a cache line."""
    room = np.empty(content.size + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    found = room[start : start + content.size]
    found[:] = content
    return found


def _start(library: ctypes.CDLL, model: str, function: str, *arguments: Any) -> None:
    """Call a function that makes a model ready; raise `RelaxError` if it fails."""
    if getattr(library, f"{model}_{function}")(*arguments) != 0:
        last_error = getattr(library, f"{model}_last_error")
        last_error.restype = ctypes.c_char_p
        raise RelaxError(last_error().decode(errors="replace"))


def build(
    source: CSource,
    *,
    cc: str | None = None,
    extra_flags: Sequence[str] = (),
    link: Sequence[str | Path] = (),
    signatures: Mapping[str, NestedSignature] | None = None,
    cache: bool = True,
) -> CompiledModule:
    """Compiles and loads in one step, in a directory of its own that does not remain."""
    with tempfile.TemporaryDirectory(prefix="relax-") as folder:
        library = compile_c(source, folder, cc=cc, extra_flags=extra_flags, link=link, cache=cache)
        command = c_command(source, folder, cc=cc, extra_flags=extra_flags, link=link)
        weights = None if source.weights is None else Path(folder) / f"{source.name}.weights"
        return load(
            library,
            source.entries,
            weights,
            name=source.name,
            packed=source.packed,
            signatures=signatures,
            libraries=source.libraries,
            arena=source.arena,
            files=BuiltFiles.of(source, command),
        )
