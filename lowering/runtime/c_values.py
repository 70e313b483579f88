"""Values between Python and C during an external call or a call of a function value.

C passes everything as tensors, flat; Python gets what the interpreter would pass.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lowering.memory.functions.external_forms import (
    OBJECT,
    SCALAR,
    SHAPE,
    FunctionKind,
    Kinds,
    LiteralArgument,
    flat,
)
from lowering.runtime.dlpack import (
    HANDLE,
    DLDataType,
    DLDevice,
    DLTensor,
    ForeignMemory,
    TensorPointer,
    array_of,
    bfloat16,
    describe,
    is_known,
)
from lowering.runtime.objects import (
    FORGET,
    Handle,
    KeptFunction,
    ObjectApi,
    from_c,
    is_ours,
    keep,
    kept,
    to_c,
    value_of,
)
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.ir.storage import mask_error
from relax_dialect.threads import crossing


class Pending(threading.local):
    """The state of a thread's callbacks: an exception on its way, the last results."""

    failure: tuple[str, BaseException] | None = None
    results: Any = None


PENDING = Pending()


def flush() -> None:
    """Flush Python's output before C prints."""
    if sys.stdout is not None:
        sys.stdout.flush()


def forget() -> None:
    """Drop the remains of the thread's last call: C has copied its results."""
    PENDING.failure = PENDING.results = None


FUNCTION_CALLED = "the function called"
"""The name in errors of a Python function that compiled code calls as a function value."""


def reraise(message: str) -> None:
    """Raise the exception that a Python function raised during the call that has failed with a message, if
    any."""
    failure = PENDING.failure
    forget()
    if failure is None:
        return
    where, error = failure
    if not isinstance(error, Exception):
        raise error
    # the location in C's message
    call, failed, _ = message.rpartition(": the function failed with code")
    place = f"{call}: " if failed and where == FUNCTION_CALLED else ""
    if isinstance(error, ExecutionError):
        text = str(error)  # of a program, which has its own location
    elif isinstance(error, RelaxError):
        said = str(error).removeprefix(f"{where}: ")
        text = f"{place or f'{where}: '}{said}"
    else:
        text = f"{place}{where} raised {type(error).__name__}: {error}"
    raise ExecutionError(text) from error


def failed(where: str, error: BaseException) -> int:
    """Keep an exception until C has returned; return C's error code."""
    _clear_frames(error)
    PENDING.failure = where, error
    return -1


def _clear_frames(error: BaseException | None) -> None:
    """Drop the local variables that an error keeps: views of memory that C is about to free."""
    seen: set[int] = set()
    work = [error]
    while work:
        current = work.pop()
        if current is not None and id(current) not in seen:
            seen.add(id(current))
            traceback.clear_frames(current.__traceback__)
            work += [current.__cause__, current.__context__]


# From C ----------------------------------------------------------------------------------------


def literal_value(literal: LiteralArgument) -> Any:
    """Return the Python value of a literal argument of a call."""
    if literal.kind == "string":
        return literal.value
    if literal.kind == "dtype":
        return bfloat16() if literal.value == "bfloat16" else np.dtype(literal.value)
    kind, number = literal.value.split(":")
    return int(kind), int(number)


@dataclass
class Passed:
    """The arguments that C passes to a Python function: tensors as views of its memory."""

    api: ObjectApi | None
    args: Any
    written: Sequence[int] = ()
    memories: list[ForeignMemory] = field(default_factory=list)
    changed: dict[int, ForeignMemory] = field(default_factory=dict)
    read: int = 0

    def values(self, kinds: Sequence[Kinds]) -> tuple[Any, ...]:
        """Return the next arguments, nested as their kinds are."""
        return tuple(map(self._value, kinds))

    def _value(self, kind: Kinds) -> Any:
        if isinstance(kind, tuple):
            return self.values(kind)
        tensor, number = self.args[self.read].contents, self.read
        self.read += 1
        if isinstance(kind, LiteralArgument):
            return literal_value(kind)
        require_handle(f"argument {number}", kind, tensor)
        if is_handle(kind):
            address = ctypes.c_void_p.from_address(tensor.data).value
            assert self.api is not None
            if isinstance(kind, FunctionKind):
                return function_from_c(self.api, address, kind)
            return from_c(self.api, address)
        memory = ForeignMemory(tensor, number in self.written)
        self.memories.append(memory)
        if number in self.written:
            self.changed[number] = memory
        array = array_of(memory)
        if kind == SHAPE:
            return tuple(array.tolist())
        return array[()] if kind == SCALAR else array

    def places(self, results: Any, count: int) -> list[np.ndarray]:
        """Return the tensors that results are to be written to."""
        found = [ForeignMemory(results[i], True) for i in range(count)]
        self.memories += found
        return list(map(array_of, found))

    def shares(self, array: np.ndarray) -> bool:
        """Return whether an array lies in memory of C's."""
        return any(np.shares_memory(array, array_of(m)) for m in self.memories)

    def is_argument(self, value: Any, number: int) -> bool:
        """Return whether a value is a written argument, or all of it."""
        array = array_of(self.changed[number])
        if not isinstance(value, np.ndarray) or value.shape != array.shape:
            return False
        if not array.size:  # the address of no elements is a new one for each array
            return value.dtype == array.dtype
        return value.__array_interface__["data"][0] == array.__array_interface__["data"][0]

    def finish(self, where: str) -> None:
        """Check that Python keeps none of C's memory."""
        known = [weakref.ref(m) for m in self.memories]
        self.memories.clear()
        self.changed.clear()
        if _any_alive(known) and gc.collect() >= 0 and _any_alive(known):
            raise RelaxError(
                f"{where}: expected arguments to be used during the call only, found one that is kept; "
                "keep a copy (numpy.copy)"
            )


def _any_alive(known: list[weakref.ref[ForeignMemory]]) -> bool:
    """Return whether an array is still in use whose memory this was."""
    return any(reference() is not None for reference in known)


# To C ------------------------------------------------------------------------------------------


def flat_values(
    what: str, kinds: Sequence[Kinds], values: Sequence[Any]
) -> Iterator[tuple[str, Kinds, Any]]:
    """Yield the parts of some values, with their names in errors and their kinds."""
    for kind, value in zip(kinds, values):
        if isinstance(kind, tuple):
            if not isinstance(value, tuple) or len(value) != len(kind):
                found = (
                    f"{len(value)}"
                    if isinstance(value, tuple)
                    else f"a Python {type(value).__name__}"
                )
                raise RelaxError(f"{what}: expected a tuple of {len(kind)} fields, found {found}")
            for i, (k, v) in enumerate(zip(kind, value)):
                yield from flat_values(f"{what}, field {i}", [k], [v])
        else:
            yield what, kind, value


def as_array(what: str, kind: Kinds, dtype: str, value: Any) -> np.ndarray:
    """Return a tensor, shape or number as a row-major array; C checks its type and sizes."""
    if kind == SHAPE:
        if not isinstance(value, tuple) or not all(isinstance(s, int | np.integer) for s in value):
            raise RelaxError(
                f"{what}: expected a shape, as a tuple of ints, found a Python {type(value).__name__}"
            )
        return np.array(value, np.int64)
    if kind == SCALAR and type(value) in (int, float, bool):
        return np.array(value, bfloat16() if dtype == "bfloat16" else dtype)
    if not isinstance(value, np.ndarray | np.generic):
        found = type(value).__name__
        raise RelaxError(f"{what}: expected an array of {dtype}, found a Python {found}")
    if wrong := mask_error(value):
        raise RelaxError(f"{what}: {wrong}")
    array = np.asarray(value)
    if not is_known(array.dtype):
        raise RelaxError(f"{what}: expected an array of {dtype}, found one of {array.dtype}")
    # not ascontiguousarray, which makes every array at least one-dimensional
    return array if array.flags.c_contiguous else array.copy(order="C")


def reference(api: ObjectApi, what: str, kind: Kinds, value: Any) -> int | None:
    """Return a new reference to an object or function value."""
    if isinstance(kind, FunctionKind):
        return function_to_c(api, what, value, kind)
    return to_c(api, value)


def is_handle(kind: Kinds) -> bool:
    """Return whether C passes a value as an object."""
    return isinstance(kind, FunctionKind) or kind == OBJECT


def require_handle(what: str, kind: Kinds, tensor: DLTensor) -> None:
    """Refuse a tensor instead of an object, or the reverse: a function may be called by a wider type than
    it was passed with, and compiled code makes no objects of tensors."""
    is_object = tensor.dtype.code == HANDLE
    if is_handle(kind) != is_object:
        names = ("a tensor", "an object")
        raise RelaxError(
            f"{what}: expected {names[not is_object]}, by the type that the function was passed with, "
            f"found {names[is_object]}; call it by the same type"
        )


# Function values -------------------------------------------------------------------------------


class FunctionValue(Handle):
    """A function value that compiled code has made: called with arrays, as the interpreter's are."""

    def __init__(self, api: ObjectApi, address: int, kind: FunctionKind):
        super().__init__(api, address)
        self.kind = kind

    def __repr__(self) -> str:
        return f"<function value of compiled code at {self.address:#x}>"

    @cached_property
    def names(self) -> list[str]:
        """Its name in errors, and the names of its parameters."""
        count = len(self.kind.args)
        found = self.api.names(self.address).decode().split("\n")
        if len(found) != count + 1:  # a function of another model, or cast to another type
            return [found[0] or "function value", *map(str, range(count))]
        return found

    def _named(self, args: Sequence[Any]) -> list[tuple[str, Kinds, Any]]:
        """Return the parts of the arguments, with their names in errors."""
        kinds, (where, *names) = self.kind.args, self.names
        if len(args) != len(kinds):
            listed = ", ".join(names) or "none"
            raise RelaxError(
                f"{where}: expected {len(kinds)} arguments ({listed}), found {len(args)}"
            )
        return [
            part
            for name, kind, value in zip(names, kinds, args)
            for part in flat_values(f"{where}: argument {name}", [kind], [value])
        ]

    def __call__(self, *args: Any) -> Any:
        try:
            return self._checked_call(args)
        except ExecutionError:
            raise
        except RelaxError as error:
            raise ExecutionError(str(error)) from error

    def _checked_call(self, args: Sequence[Any]) -> Any:
        named, dtypes = self._named(args), iter(self.kind.dtypes)
        tensors = (DLTensor * max(len(named), 1))()
        owned: list[Any] = []
        lives: list[Any] = []
        PENDING.failure = None
        flush()
        try:
            for tensor, (what, leaf, value) in zip(tensors, named):
                dtype = next(dtypes)
                if is_handle(leaf):
                    owned.append(reference(self.api, what, leaf, value))
                    lives.append(_slot(tensor, owned[-1]))
                else:
                    if leaf != SHAPE and not isinstance(value, np.ndarray | np.generic):
                        value = np.asarray(
                            value, bfloat16() if dtype == "bfloat16" else dtype or None
                        )
                    lives.append(describe(as_array(what, leaf, dtype, value), tensor))
            with crossing():
                return self._call(tensors, len(named))
        finally:
            for address in owned:
                self.api.release(address)

    def _call(self, tensors: Any, count: int) -> Any:
        leaves = list(flat([self.kind.gives]))
        results = (DLTensor * max(len(leaves), 1))()
        slots = [_slot(results[i], None) if is_handle(k) else None for i, k in enumerate(leaves)]
        pointers = (TensorPointer * max(count, 1))(*(ctypes.pointer(t) for t in tensors[:count]))
        if self.api.call(self.address, pointers, count, results) != 0:
            message = self.api.last_error().decode(errors="replace")
            reraise(message)
            raise ExecutionError(message)
        forget()
        return self._result(self.kind.gives, iter(zip(results, slots)))

    def _result(self, kind: Kinds, parts: Iterator[tuple[DLTensor, Any]]) -> Any:
        if isinstance(kind, tuple):
            return tuple(self._result(k, parts) for k in kind)
        tensor, slot = next(parts)
        if slot is not None:
            return take(self.api, slot.value, kind)
        array = np.array(array_of(ForeignMemory(tensor, False)))
        self.api.free(ctypes.byref(tensor))
        if kind == SHAPE:
            return tuple(array.tolist())
        return array[()] if kind == SCALAR else array


def _slot(tensor: DLTensor, address: int | None) -> Any:
    """Make a tensor of an object; return the slot, which must outlive the tensor and holds the written
    value."""
    slot = ctypes.c_void_p(address)
    tensor.data = ctypes.addressof(slot)
    tensor.device = DLDevice(1, 0)
    tensor.dtype = DLDataType(HANDLE, 64, 1)
    return slot


def take(api: ObjectApi, address: int | None, kind: Kinds) -> Any:
    """Return the Python value of an object that C returns a reference to."""
    try:
        if isinstance(kind, FunctionKind):
            return function_from_c(api, address, kind)
        return from_c(api, address)
    finally:
        api.release(address)


def function_from_c(api: ObjectApi, address: int | None, kind: FunctionKind) -> Any:
    """Return the Python value of a function that is only borrowed."""
    if address is None:
        return None
    if is_ours(address):
        return value_of(address)
    return FunctionValue(api, api.retain(address), kind)


def function_to_c(api: ObjectApi, what: str, value: Any, kind: FunctionKind) -> int | None:
    """Return a new reference to a function value."""
    if isinstance(value, Handle):
        return api.retain(value.address)
    if not callable(value):
        raise ExecutionError(
            f"{what}: expected a function, found a Python {type(value).__name__}; pass a closure or a "
            "Python callable"
        )
    return api.new_function(TRAMPOLINE, keep(_PythonFunction(value, kind, api)), FORGET)


@dataclass
class _PythonFunction(KeptFunction):
    """A Python callable as compiled code calls it."""

    function: Callable[..., Any]
    kind: FunctionKind
    api: ObjectApi

    def run(self, args: Any, count: int, results: Any) -> None:
        where, kind = FUNCTION_CALLED, self.kind
        expected = len(list(flat(kind.args)))
        if count != expected:
            raise RelaxError(f"{where}: expected {expected} arguments, found {count}")
        passed = Passed(self.api, args)
        value = self.function(*passed.values(kind.args))
        flush()
        dtypes = kind.dtypes[expected:]
        parts = list(flat_values(f"{where}: result", [kind.gives], [value]))
        arrays = [
            None if is_handle(k) else as_array(what, k, dtype, v)
            for (what, k, v), dtype in zip(parts, dtypes)
        ]
        for number in range(len(parts)):
            require_handle(*parts[number][:2], results[number])
        owned = [reference(self.api, what, k, v) if is_handle(k) else None for what, k, v in parts]
        for i, array in enumerate(arrays):
            if array is None:
                ctypes.c_void_p.from_address(results[i].data).value = owned[i]
            else:
                self._give(array, results[i])
        del array, arrays, value, parts
        passed.finish(where)

    def _give(self, array: np.ndarray, result: DLTensor) -> None:
        """Copy an array into a result that C frees."""
        if result.data is None:
            lives = describe(array, result)
            if self.api.allocate(ctypes.byref(result)) != 0:
                raise MemoryError(self.api.last_error().decode(errors="replace"))
            del lives
        array_of(ForeignMemory(result, True))[...] = array


@ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(TensorPointer), ctypes.c_int, TensorPointer
)
def _call_python(data: int, args: Any, count: int, results: Any) -> int:
    try:
        kept(data).run(args, count, results)
    except BaseException as error:
        return failed(FUNCTION_CALLED, error)
    return 0


TRAMPOLINE = ctypes.cast(_call_python, ctypes.c_void_p)
