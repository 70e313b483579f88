"""Python functions for compiled code: what `register_packed` knows, called from C with numpy arrays.

An exception never crosses C: the callback keeps it for the thread, C frees what it holds and returns
an error, and the compiled function raises it again.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import traceback
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lowering.emit_c.source import PackedCall
from lowering.packed_form import SCALAR, SHAPE, Kinds
from relax_dialect.errors import ExecutionError, RelaxError

_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}
"""numpy's letters for DLPack's type codes."""

_CODES = {letter: code for code, letter in _KINDS.items()}

BFLOAT = 4
"""DLPack's code for bfloat16, which numpy itself has not."""


def bfloat16() -> np.dtype[Any]:
    """numpy's type for bf16, from the package `ml_dtypes`."""
    from relax_dialect.interpret.values import bfloat16  # takes longer than loading a model

    return bfloat16()


class DLDevice(ctypes.Structure):
    """Where a tensor lies: (1, 0) is the CPU."""

    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    """DLPack's element type."""

    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    """DLPack's tensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_TensorPointer = ctypes.POINTER(DLTensor)
_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_TensorPointer), ctypes.c_int, _TensorPointer
)


class _Pending(threading.local):
    """What a thread's callbacks leave behind: an exception on its way, the last result."""

    failure: tuple[str, BaseException] | None = None
    result: Any = None


_PENDING = _Pending()


class _Memory:
    """Memory that is C's, as numpy sees it while the call lasts."""

    def __init__(self, tensor: DLTensor, writable: bool):
        dtype = tensor.dtype
        self.is_bfloat = dtype.code == BFLOAT
        self.__array_interface__ = {
            "shape": tuple(tensor.shape[: tensor.ndim]),
            "typestr": f"{'|' if dtype.bits == 8 else '<' if sys.byteorder == 'little' else '>'}"
            f"{_KINDS.get(dtype.code, 'u')}{dtype.bits // 8}",
            "data": ((tensor.data or 0) + tensor.byte_offset, not writable),
            "version": 3,
        }


def _view(memory: _Memory) -> np.ndarray:
    interface = memory.__array_interface__
    if 0 in interface["shape"]:
        view = np.empty(interface["shape"], interface["typestr"])
    else:
        view = np.asarray(memory)
    return view.view(bfloat16()) if memory.is_bfloat else view


def _nested(kinds: Sequence[Kinds], arrays: Iterator[np.ndarray]) -> tuple[Any, ...]:
    """The arguments as the interpreter would pass them, from those that C passes flat."""

    def one(kind: Kinds) -> Any:
        if isinstance(kind, tuple):
            return _nested(kind, arrays)
        array = next(arrays)
        if kind == SHAPE:
            return tuple(array.tolist())
        return array[()] if kind == SCALAR else array

    return tuple(map(one, kinds))


def _as_array(call: PackedCall, value: Any) -> np.ndarray:
    """A result as an array; C checks its type and sizes."""
    what = f"packed function '{call.form.name}': result"
    if call.form.gives == SHAPE:
        if not isinstance(value, tuple) or not all(isinstance(s, int | np.integer) for s in value):
            raise RelaxError(f"{what}: expected a shape, as a tuple of ints, found {value!r}")
        return np.array(value, np.int64)
    if call.form.gives == SCALAR and type(value) in (int, float, bool):
        return np.array(value, bfloat16() if call.dtype == "bfloat16" else call.dtype)
    if not isinstance(value, np.ndarray | np.generic):
        found = type(value).__name__
        raise RelaxError(f"{what}: expected an array of {call.dtype}, found a Python {found}")
    array = np.asarray(value)
    known = array.dtype.kind in _CODES or array.dtype.name == "bfloat16"
    if not known or not array.dtype.isnative:
        raise RelaxError(f"{what}: expected an array of {call.dtype}, found one of {array.dtype}")
    # not ascontiguousarray, which gives every array a dimension
    return array if array.flags.c_contiguous else array.copy(order="C")


def _hand_over(array: np.ndarray, result: DLTensor) -> None:
    """Describe an array to C; the thread keeps it until its next result."""
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    result.data = array.ctypes.data
    result.ndim = array.ndim
    code = _CODES.get(array.dtype.kind, BFLOAT)
    result.dtype = DLDataType(code, 8 * array.dtype.itemsize, 1)
    result.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    _PENDING.result = (array, shape)


def _run(call: PackedCall, memories: list[_Memory]) -> np.ndarray | None:
    """Look the function up and call it; its result, which shares no memory with C's."""
    from relax_dialect.interpret.calls import lookup_packed  # takes longer than loading a model

    function = lookup_packed(call.form.name)
    views = map(_view, memories)
    args = _nested(call.form.args, views)
    value = function(*args, *views)  # in destination-passing style one more is left
    flush()
    if call.form.gives is None:
        return None
    array = _as_array(call, value)
    return array.copy() if any(np.shares_memory(array, m) for m in map(_view, memories)) else array


def _call(call: PackedCall, args: Any, count: int, result: DLTensor) -> None:
    memories = [_Memory(args[i].contents, False) for i in range(count)]
    if call.form.dps:
        memories.append(_Memory(result, True))
    known = [weakref.ref(m) for m in memories]
    array = _run(call, memories)
    memories.clear()
    if _any_alive(known) and gc.collect() >= 0 and _any_alive(known):
        raise RelaxError(
            f"packed function '{call.form.name}': expected arguments to be used during the call only, "
            "found one that is kept; keep a copy (numpy.copy)"
        )
    if array is not None:
        _hand_over(array, result)


def _any_alive(known: list[weakref.ref[_Memory]]) -> bool:
    """Whether an array is still in use whose memory this was."""
    return any(reference() is not None for reference in known)


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


def _callback(call: PackedCall) -> Any:
    def run(context: Any, args: Any, count: int, result: Any) -> int:
        try:
            _call(call, args, count, result.contents)
        except BaseException as error:
            _clear_frames(error)
            _PENDING.failure = call.form.name, error
            return -1
        return 0

    return _Callback(run)


def register(library: ctypes.CDLL, model: str, calls: Sequence[PackedCall]) -> None:
    """Let a loaded model call the registry; the callbacks live as long as the library object."""
    if not calls:
        return
    function = getattr(library, f"{model}_register")
    function.argtypes = [ctypes.c_char_p, _Callback, ctypes.c_void_p]
    callbacks = [_callback(call) for call in calls]
    for call, callback in zip(calls, callbacks):
        status = function(f"@{call.symbol}".encode(), callback, None)
        assert status == 0, "the model knows its own functions"
    library.packed_callbacks = callbacks  # pyright: ignore[reportAttributeAccessIssue]


def flush() -> None:
    """Let what Python has printed come out before what C prints next."""
    if sys.stdout is not None:
        sys.stdout.flush()


def begin() -> None:
    """Before a call that may come back to Python."""
    forget()
    flush()


def forget() -> None:
    """Drop what the thread's last call has left: C has copied its result."""
    _PENDING.failure = _PENDING.result = None


def reraise() -> None:
    """Raise what a Python function raised during the call that has just failed, if one did."""
    failure = _PENDING.failure
    forget()
    if failure is None:
        return
    name, error = failure
    if not isinstance(error, Exception):
        raise error
    where = f"packed function '{name}'"
    if isinstance(error, RelaxError):
        text = str(error) if str(error).startswith(where) else f"{where}: {error}"
    else:
        text = f"{where} raised {type(error).__name__}: {error}"
    raise ExecutionError(text) from error


__all__ = ["DLTensor", "begin", "forget", "register", "reraise"]
