"""Objects between Python and compiled code.

A Python object goes to C as the number under which it is kept here until C releases it, and comes back as
itself. An object made by C is held by a `Handle`.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import Any


class RelaxObject(ctypes.Structure):
    """The struct that a `relax_object` points to."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("call", ctypes.c_void_p),
        ("references", ctypes.c_int64),
    ]


class ObjectApi:
    """The functions of a loaded model for objects."""

    def __init__(self, library: ctypes.CDLL, model: str):
        self.library = library  # which lives as long as the objects whose code it has

        def find(name: str, result: Any, *arguments: Any) -> Any:
            function = getattr(library, f"{model}_{name}")
            function.restype, function.argtypes = result, arguments
            return function

        pointer = ctypes.c_void_p
        self.new = find("object_new", pointer, pointer, pointer)
        self.new_function = find("closure_new", pointer, pointer, pointer, pointer)
        self.names = find("closure_names", ctypes.c_char_p, pointer)
        self.retain = find("object_retain", pointer, pointer)
        self.release = find("object_release", None, pointer)
        self.call = find("call_closure", ctypes.c_int, pointer, pointer, ctypes.c_int, pointer)
        self.allocate = find("allocate", ctypes.c_int, pointer)
        self.free = find("release", None, pointer)
        self.last_error = find("last_error", ctypes.c_char_p)


class Handle:
    """An object that compiled code has made; it lives as long as this."""

    def __init__(self, api: ObjectApi, address: int):
        self.api = api
        self.address = address

    def __del__(self) -> None:
        self.api.release(self.address)

    def __repr__(self) -> str:
        return f"<object of compiled code at {self.address:#x}>"


class KeptFunction:
    """A Python callable as it is kept for C, which calls it by its type."""

    function: Any


_KEPT: dict[int, Any] = {}
"""The Python objects that C holds, by the `data` of their objects."""

_numbers = itertools.count(1)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _forget(number: int) -> None:
    _KEPT.pop(number, None)


FORGET = ctypes.cast(_forget, ctypes.c_void_p)


def keep(value: Any) -> int:
    """Return the number of a value that is kept until C releases it."""
    number = next(_numbers)
    _KEPT[number] = value
    return number


def kept(number: int) -> Any:
    """Return the value with a number."""
    return _KEPT[number]


def to_c(api: ObjectApi, value: Any) -> int | None:
    """Return a new reference to an object that represents a Python value; None for None."""
    if value is None:
        return None
    if isinstance(value, Handle):
        return api.retain(value.address)
    address = api.new(number := keep(value), FORGET)
    if address is None:
        _forget(number)
        raise MemoryError(api.last_error().decode(errors="replace"))
    return address


def is_ours(address: int) -> bool:
    """Return whether an object represents a Python value."""
    return RelaxObject.from_address(address).release == FORGET.value


def value_of(address: int) -> Any:
    """Return the Python value that an object represents."""
    value = _KEPT[RelaxObject.from_address(address).data]
    return value.function if isinstance(value, KeptFunction) else value


def from_c(api: ObjectApi, address: int | None) -> Any:
    """Return the Python value of an object that is only borrowed."""
    if address is None:
        return None
    return value_of(address) if is_ours(address) else Handle(api, api.retain(address))
