"""Results of emitted C as Python values: arrays on C's memory, numbers, objects."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from lowering.emit_c.syntax.c_source import Parameter
from lowering.emit_c.syntax.narrow_float_bits import NARROW, value_of
from lowering.memory.functions.external_forms import OBJECT
from lowering.runtime.arguments import SCALARS
from lowering.runtime.c_values import take
from lowering.runtime.dlpack import STORED, DLTensor, bfloat16, stored_array
from lowering.runtime.objects import ObjectApi


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
    rank: int | None
    """None if the call determines it."""
    typestr: str | None
    dtype: str
    take: Callable[[int | None], Any] | None = None
    """For an object, the function that makes a Python value of it."""
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
        rank = None if r.unranked else len(r.dims)
        return cls(DLTensor, rank, np.dtype(stored).str, r.dtype)

    def value(self, held: Any, release: Any) -> Any:
        """Return the result as Python has it: a number, an object, or an array on C's memory."""
        if self.take is not None:
            return self.take(held.value)
        if self.typestr is None:
            return value_of(held.value, self.dtype) if self.dtype in NARROW else held.value
        shape = tuple(held.shape[: held.ndim if self.rank is None else self.rank])
        if self.dtype in STORED:
            count = -(-prod(shape) * STORED[self.dtype][1] // 8)
            data = np.asarray(_Result(held, (count,), self.typestr, release))
            return stored_array(data.copy() if self.copies else data, shape, self.dtype)
        array = np.asarray(_Result(held, shape, self.typestr, release))
        array = array.copy() if self.copies else array
        return array.view(bfloat16()) if self.dtype == "bfloat16" else array
