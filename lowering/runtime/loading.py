"""Emitted C from Python: the C compiler, shared objects, and calls with numpy arrays."""

from __future__ import annotations

import ctypes
import itertools
import operator
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from lowering.emit_c.narrow import NARROW, bits_of, value_of
from lowering.emit_c.source import CSource, EntryPoint, PackedCall, Parameter
from lowering.functions.packed_form import OBJECT
from lowering.runtime import packed_callbacks
from lowering.runtime.c_values import forget, reference, reraise, take
from lowering.runtime.calling import NestedSignature
from lowering.runtime.dlpack import (
    BFLOAT,
    STORED,
    DLTensor,
    bfloat16,
    describe_stored,
    stored_array,
)
from lowering.runtime.objects import Handle, ObjectApi
from lowering.runtime.shared_object import compile_c, needs
from lowering.target import ALIGNMENT
from lowering.toolchain.c_compiler import machine
from lowering.toolchain.external_library import ExternalLibrary
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret.arguments import in_order, over_arguments, unwritable, written
from relax_dialect.interpret.foreign import is_foreign, to_numpy
from relax_dialect.interpret.matching import kind_of
from relax_dialect.threads import crossing


@contextmanager
def _environment(libraries: Sequence[ExternalLibrary]) -> Iterator[None]:
    """The variables that libraries read while they are loaded, but for those that are set."""
    wanted = {k: v for n in libraries for k, v in n.environment.items() if k not in os.environ}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            os.environ.pop(name, None)


SCALARS: dict[str, Any] = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "bool": ctypes.c_bool,
    **dict.fromkeys(NARROW, ctypes.c_uint16),
    **{f"int{b}": getattr(ctypes, f"c_int{b}") for b in (8, 16, 32, 64)},
    **{f"uint{b}": getattr(ctypes, f"c_uint{b}") for b in (8, 16, 32, 64)},
}


class Export(NamedTuple):
    """How numpy is asked for a DLTensor, and where that stands in the capsule that comes."""

    ask: Callable[[np.ndarray], Any]
    capsule: bytes
    offset: int
    read_only: bool
    """Whether read-only arrays can be asked; if not, they are copied."""


PLAIN_EXPORT = Export(lambda a: a.__dlpack__(), b"dltensor", 0, False)
VERSIONED_EXPORT = Export(
    lambda a: a.__dlpack__(max_version=(1, 0)), b"dltensor_versioned", 32, True
)


def find_export() -> Export:
    """DLPack 1.0 where numpy has it (from 2.1 on), else the form before it."""
    try:
        VERSIONED_EXPORT.ask(np.zeros(1))
    except TypeError:
        return PLAIN_EXPORT
    return VERSIONED_EXPORT


_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)

Convert = Callable[[Any, list[Any]], Any]
"""A Python value as a C argument; what must live as long as the call is added to the list."""


def converter(where: str, p: Parameter, api: ObjectApi | None = None) -> Convert:
    """How a parameter's argument is checked and passed; errors start with `where`."""
    if p.kind == "object":
        assert api is not None
        kind = p.function or OBJECT

        def pass_object(value: Any, kept: list[Any]) -> int | None:
            if (address := reference(api, where, kind, value)) is not None:
                kept.append(Handle(api, address))
            return address

        return pass_object
    if p.kind == "scalar":
        return lambda value, _: scalar(where, p.dtype, value)
    ask, capsule_name, offset, read_only = find_export()
    written = p.written

    def pass_stored(array: np.ndarray, kept: list[Any]) -> int:
        """An array of a storage type; what C packs is copied, and so it cannot be written in place."""
        tensor, lives = describe_stored(array)
        if written and tensor.dtype.bits < 8:
            raise ExecutionError(
                f"{where} is written in place: expected elements of a byte at least, found "
                f"{array.dtype}; take the result instead"
            )
        kept.append((tensor, lives))
        return ctypes.addressof(tensor)

    def convert(value: Any, kept: list[Any]) -> int:
        """An array is passed as numpy's own DLTensor, without a copy if it is contiguous."""
        if written and (wrong := unwritable(value)) is not None:
            raise ExecutionError(f"{where}: {wrong}")
        array = value if isinstance(value, np.ndarray) else as_array(where, value)
        flags = array.flags
        if not flags.c_contiguous or not flags.aligned or not (read_only or flags.writeable):
            array = array.copy(order="C")
        name = _name(array.dtype)
        if name in STORED:
            return pass_stored(array, kept)
        is_bfloat = array.dtype.kind == "V" and name == "bfloat16"
        try:
            capsule = ask(array.view(np.uint16) if is_bfloat else array)
        except BufferError:
            raise ExecutionError(
                f"{where}: expected numbers in native byte order, found {array.dtype}; convert the "
                "array with astype"
            ) from None
        kept.append(capsule)
        address = _capsule_pointer(capsule, capsule_name) + offset
        if is_bfloat:  # numpy's DLPack does not know the type
            DLTensor.from_address(address).dtype.code = BFLOAT
        return address

    return convert


@cache
def _name(dtype: np.dtype) -> str:
    """numpy's name of an element type, which it makes anew each time."""
    return dtype.name


def as_array(where: str, value: Any) -> np.ndarray:
    """A value with memory of its own as a numpy array: tensors of other libraries and numpy's scalars."""
    if not is_foreign(value):
        raise ExecutionError(
            f"{where}: expected an array, found a Python {type(value).__name__}; make one with "
            "numpy.asarray"
        )
    return to_numpy(value, where)


class _Result:
    """A result that C has allocated, freed when the last array on it has gone."""

    __slots__ = ("__array_interface__", "_release", "_tensor")

    def __init__(self, tensor: DLTensor, shape: tuple[int, ...], typestr: str, release: Any):
        self._tensor = ctypes.byref(tensor)
        self._release = release
        self.__array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (tensor.data, False),
            "version": 3,
        }

    def __del__(self) -> None:
        self._release(self._tensor)


class ResultType(NamedTuple):
    """The type of the array that holds a result during a call; a scalar has no type string."""

    c_type: Any
    rank: int
    typestr: str | None
    dtype: str
    take: Callable[[int | None], Any] | None = None
    """For an object, what makes a Python value of it."""
    copies: bool = False
    """Whether its memory is C's own, which the next call writes over."""

    @classmethod
    def of(cls, r: Parameter, api: ObjectApi | None = None) -> ResultType:
        if r.kind == "object":
            assert api is not None
            kind = r.function or OBJECT
            return cls(ctypes.c_void_p, 0, None, r.dtype, lambda address: take(api, address, kind))
        if r.kind == "scalar":
            return cls(SCALARS[r.dtype], 0, None, r.dtype)
        stored = "uint16" if r.dtype == "bfloat16" else r.dtype
        stored = "uint8" if r.dtype in STORED else stored
        return cls(DLTensor, len(r.dims), np.dtype(stored).str, r.dtype)

    def value(self, held: Any, release: Any) -> Any:
        """The result as Python has it: a number, an object, or an array on C's memory."""
        if self.take is not None:
            return self.take(held.value)
        if self.typestr is None:
            return value_of(held.value, self.dtype) if self.dtype in NARROW else held.value
        shape = tuple(held.shape[: self.rank])
        if self.dtype in STORED:
            count = -(-prod(shape) * STORED[self.dtype][1] // 8)
            data = np.asarray(_Result(held, (count,), self.typestr, release))
            return stored_array(data.copy() if self.copies else data, shape, self.dtype)
        array = np.asarray(_Result(held, shape, self.typestr, release))
        array = array.copy() if self.copies else array
        return array.view(bfloat16()) if self.dtype == "bfloat16" else array


class CompiledFunction:
    """An entry point, called with numpy arrays and numbers; threads may call it at once.

    With the signature it had in Relax it is called as the interpreter is, with tuples and shapes, which
    are tuples of ints; the parts that C takes, one by one, are accepted too.

    What does not depend on the arguments is worked out here: a call takes a few microseconds.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        model: str,
        entry: EntryPoint,
        calls_python: bool = False,
        signature: NestedSignature | None = None,
        api: ObjectApi | None = None,
        *,
        copies: bool = False,
    ):
        """`copies`: results lie where the next call writes."""
        self.entry = entry
        self._signature = signature
        self._is_composed = signature is not None and signature.is_composed
        self._library = library  # and with it the functions that C calls back
        self._calls_python = calls_python
        self._last_error = getattr(library, f"{model}_last_error")
        self._last_error.restype = ctypes.c_char_p
        self._release = getattr(library, f"{model}_release")
        self._release.restype = None
        self._where = f"@{entry.name}"
        self._names = signature.names if signature else tuple(p.name for p in entry.params)
        self._converters = [
            converter(f"{self._where}: argument '{p.name}'", p, api) for p in entry.params
        ]
        self._results = [ResultType.of(r, api)._replace(copies=copies) for r in entry.results]
        self._function = getattr(library, entry.c_name)
        self._function.restype = ctypes.c_int
        self._function.argtypes = [
            *(SCALARS[p.dtype] if p.kind == "scalar" else ctypes.c_void_p for p in entry.params),
            *(ctypes.c_void_p for _ in entry.results),
        ]

    def __call__(self, /, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """Call with arguments by position or by name; `out` is an array, or a tuple of them, that results
        are written to."""
        if named:
            arguments = tuple(in_order(self._where, self._names, arguments, named))
        try:
            if out is not None and self._signature is not None and self._signature.in_place:
                indices = self._signature.in_place
                out = over_arguments(self._where, indices, [None] * len(arguments), out)
            result = self._call(arguments)
            return result if out is None else written(self._where, result, out)
        except ExecutionError:
            if (
                self._signature is not None
            ):  # an argument that is wrong gets the interpreter's error
                self._signature.check(self._where, arguments)
            raise

    def __repr__(self) -> str:
        return f"<compiled function {self.head()}>"

    def head(self) -> str:
        """Its name, with what it takes and gives."""
        if (known := self._signature) is not None:
            params = ", ".join(f"{n}: {t}" for n, t in zip(known.names, known.params))
            return f"@{self.entry.name}({params}) -> {known.output}"
        params = ", ".join(f"{p.name}: {p}" for p in self.entry.params)
        return f"@{self.entry.name}({params}) -> ({', '.join(map(str, self.entry.results))})"

    def close(self) -> None:
        """Forget the library: calls are errors from now on."""
        self._call = self._refuse
        self._converters, self._results = [], []
        del self._library, self._function, self._release, self._last_error

    def _refuse(self, arguments: Sequence[Any]) -> NoReturn:
        raise RelaxError(
            f"{self._where}: expected a module that is open, found a call after close(); compile or "
            "load it again"
        )

    def _call(self, arguments: Sequence[Any]) -> Any:
        signature = self._signature
        args = arguments if signature is None else signature.flat(self._where, arguments)
        if len(args) != len(self._converters):
            names = ", ".join(f"'{p.name}'" for p in self.entry.params) or "none"
            raise ExecutionError(
                f"{self._where}: expected {len(self._converters)} arguments ({names}), "
                f"found {len(args)}"
            )
        kept: list[Any] = []
        c_args: list[Any] = []
        for convert, value in zip(self._converters, args):
            c_args.append(convert(value, kept))
        results: list[Any] = []
        for r in self._results:
            results.append(result := r.c_type())
            c_args.append(ctypes.byref(result))
        if self._calls_python:
            packed_callbacks.begin()
            with crossing():
                failed = self._function(*c_args) != 0
        else:
            failed = self._function(*c_args) != 0
        if failed:
            message = self._last_error().decode(errors="replace")
            if self._calls_python:
                reraise(message)
            raise ExecutionError(message)
        if self._calls_python:
            forget()
        for i, r in enumerate(self._results):
            results[i] = r.value(results[i], self._release)
        if signature is not None and self._is_composed:
            return signature.nested(results, arguments)
        return results[0] if len(results) == 1 else tuple(results) or None


def scalar(where: str, dtype: str, value: Any) -> Any:
    """A number as a C argument; nothing is rounded or wrapped silently."""
    c_type = SCALARS[dtype]
    is_truth = isinstance(value, bool | np.bool_)
    if isinstance(value, str | bytes) or is_truth != (dtype == "bool"):
        raise ExecutionError(f"{where}: expected a number for {dtype}, found {kind_of(value)}")
    try:
        if dtype in NARROW:
            return c_type(bits_of(float(value), dtype))
        if dtype.startswith("float"):
            return c_type(float(value))
        number = operator.index(value) if dtype != "bool" else bool(value)
    except TypeError:
        raise ExecutionError(
            f"{where}: expected a number for {dtype}, found {kind_of(value)}"
        ) from None
    if c_type(number).value != number:
        raise ExecutionError(f"{where}: {number} does not fit into {dtype}")
    return c_type(number)


class SharedLibrary(ctypes.CDLL):
    """A loaded file. Its functions refer to it, so it is there as long as one of them can be called;
    once it is given up, the last of them that goes takes it out of memory."""

    unload: Callable[[], None] | None = None
    """Frees the weights, set when the library is given up."""

    def __del__(self) -> None:
        if self.unload is not None:
            self.unload()


class CompiledModule:
    """The entry points of a shared object, as attributes and by name: `module.main(x)`. One whose name is
    that of a method here, such as `close`, is reached by `module["close"]` alone.

    Each thread that calls keeps memory for its next call, until `trim()` gives it back or the thread ends.
    `close()`, or the end of a `with`, gives the library up: it, its weights and what all threads keep leave
    memory with the last result. A module that is not closed stays until the process ends.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        model: str,
        entries: Sequence[EntryPoint],
        packed: Sequence[PackedCall] = (),
        signatures: Mapping[str, NestedSignature] | None = None,
        arena: Sequence[str] | None = None,
    ):
        """`arena` are the symbolic variables that the memory of calls depends on, if callers give it."""
        self.library: ctypes.CDLL | None = library
        self._model = model
        self._arena = arena
        self._given = threading.local()
        """The memory that this thread has given."""
        self.weights: np.ndarray | None = None
        """Those that the library looks at, if it has no memory of its own."""
        known = signatures or {}
        has_objects = hasattr(library, f"{model}_object_new")
        api = ObjectApi(library, model) if has_objects else None
        packed_callbacks.register(library, model, packed, api)
        calls_python = bool(packed) or has_objects
        self.functions = {
            e.name: CompiledFunction(
                library, model, e, calls_python, known.get(e.name), api, copies=arena is not None
            )
            for e in entries
        }
        for name, function in self.functions.items():
            if not hasattr(self, name):  # `close` and its like are this class's own
                setattr(self, name, function)

    def arena_size(self, **sizes: int) -> int:
        """The bytes that the functions of this model need for some sizes, where callers give them."""
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
        """Let the calls of this thread work in so many bytes, those that `arena_size` tells."""
        self.arena_size(**dict.fromkeys(self._arena or (), 0))
        try:
            self._given.memory = np.empty(size, np.uint8)
        except (TypeError, ValueError, MemoryError):
            raise RelaxError(
                f"use_arena: expected a number of bytes that memory has room for, found {size!r}; pass "
                "what arena_size tells of smaller sizes"
            ) from None
        use = getattr(self.library, f"{self._model}_use_arena")
        use.restype = None
        use(ctypes.c_void_p(self._given.memory.ctypes.data), ctypes.c_size_t(size))

    def trim(self) -> int:
        """Give back what calls keep in memory for the next call of this thread; how many bytes that was."""
        if self.library is None:
            return 0
        trim = getattr(self.library, f"{self._model}_trim", None)
        if trim is None:  # of a library that was compiled before there was one, or needs no memory
            return 0
        trim.restype = ctypes.c_size_t
        return trim()

    def close(self) -> None:
        """Give the library up; no function of it may be running. A second time does nothing."""
        library, self.library = self.library, None
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


_serial = itertools.count()


@contextmanager
def private_copy(path: Path) -> Iterator[str]:
    """A copy to load, which nobody changes and which is gone afterwards, under a name of its own: the
    loader takes a new file for an old library if it has the name, or inode, of one that is still open."""
    stem = f"{path.stem}-{next(_serial)}-"
    with (
        path.open("rb") as found,
        tempfile.NamedTemporaryFile(prefix=stem, suffix=path.suffix) as copy,
    ):
        shutil.copyfileobj(found, copy)
        copy.flush()
        yield copy.name


def give_up(library: SharedLibrary, model: str) -> None:
    """Take a library out of memory when the last of its functions has gone, the weights first."""
    handle, close = library._handle, _dlclose()
    weights = (
        ctypes.CFUNCTYPE(None)(address)
        if (address := _address(library, f"{model}_unload"))
        else None
    )

    def unload() -> None:
        if weights is not None:
            weights()
        close(handle)

    library.unload = unload
    for name in [n for n, v in vars(library).items() if isinstance(v, library._FuncPtr)]:
        delattr(library, name)  # ctypes keeps them here, and they refer to the library


def _address(library: ctypes.CDLL, name: str) -> int | None:
    """Where a function of a library is, without a reference to it; None if it has none."""
    function = getattr(library, name, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


@cache
def _dlclose() -> Callable[[int], Any]:
    function = ctypes.CDLL(None).dlclose
    function.argtypes = [ctypes.c_void_p]
    return function


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
) -> CompiledModule:
    """Opens a private copy of a shared object, so that one compiled anew is never the old one.

    `libraries` are those that its kernels call: one that no one has loaded yet finds the variables of
    its `environment` set, so that OpenBLAS uses one thread unless the user says otherwise.
    """
    path = Path(path)
    model = name or path.stem
    try:
        with private_copy(path) as copy, _environment(libraries):
            # a library of others may have threads, and stays
            library = (ctypes.CDLL if libraries else SharedLibrary)(copy)
    except OSError as e:
        built_for = elf_architecture(path)
        if built_for not in (None, machine()):
            raise RelaxError(
                f"cannot load {path}: expected code for {machine()}, found code for {built_for}; build it "
                "with --cpu native on this machine"
            ) from None
        raise RelaxError(f"cannot load {path}: {e}{needs(libraries)}") from None
    if _address(library, f"{model}_check_cpu") is not None:
        _start(library, model, "check_cpu")
    if weights is not None and arena is None:
        _start(library, model, "load", os.fsencode(weights))
    compiled = CompiledModule(library, model, entries, packed, signatures, arena)
    if weights is not None and arena is not None:
        compiled.weights = aligned(np.fromfile(weights, np.uint8))
        address, size = compiled.weights.ctypes.data, compiled.weights.size
        _start(library, model, "use_weights", ctypes.c_void_p(address), ctypes.c_size_t(size))
    return compiled


def aligned(content: np.ndarray) -> np.ndarray:
    """Bytes that begin where a line of the cache does."""
    room = np.empty(content.size + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    found = room[start : start + content.size]
    found[:] = content
    return found


ELF_ARCHITECTURES = {62: "x86_64", 183: "aarch64", 243: "riscv64"}


def elf_architecture(path: Path) -> str | None:
    """The architecture that a shared object of Linux is built for; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if len(head) < 20 or not head.startswith(b"\x7fELF"):
        return None
    return ELF_ARCHITECTURES.get(int.from_bytes(head[18:20], "little"))


def _start(library: ctypes.CDLL, model: str, function: str, *arguments: Any) -> None:
    """Call what makes a model ready; `RelaxError` where it cannot be."""
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
        )
