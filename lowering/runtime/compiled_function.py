"""Entry points of emitted C as Python functions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from operator import getitem
from typing import Any, NamedTuple, NoReturn

import numpy as np

from lowering.emit_c.syntax.c_source import EntryPoint, Parameter
from lowering.emit_c.syntax.narrow_float_bits import NARROW, value_of
from lowering.memory.functions.external_forms import OBJECT
from lowering.runtime import packed_callbacks, small_calls
from lowering.runtime.arguments import SCALARS, converter
from lowering.runtime.c_values import forget, reraise, take
from lowering.runtime.calling import NestedSignature
from lowering.runtime.dlpack import STORED, DLTensor, bfloat16, stored_array
from lowering.runtime.objects import ObjectApi
from lowering.runtime.small_calls import is_determined
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret.arguments import in_order, over_arguments, written
from relax_dialect.threads import crossing


class CompiledFunction:
    """An entry point, called with numpy arrays and numbers; threads may call it at once.

    With the signature it had in Relax it is called as the interpreter is, with tuples and shapes, which
    are tuples of ints; the parts that C takes, one by one, are accepted too.

    Work that does not depend on the arguments is done here: a call takes a few microseconds.
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
        self.signature = signature
        self.module: Any = None
        """The model that the function belongs to, which sets this."""
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
        self._shapes: small_calls.Shapes = {}
        self._small = None
        if not (copies or calls_python or self._is_composed) and is_determined(entry):
            self._small = small_calls.caller(
                self._function, self._converters, self._shapes, self._failure
            )

    def __call__(self, /, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """Call with arguments by position or by name; `out` is an array, or a tuple of them, that results
        are written to."""
        if named:
            arguments = tuple(in_order(self._where, self._names, arguments, named))
        try:
            if out is not None and self.signature is not None and self.signature.in_place:
                indices = self.signature.in_place
                out = over_arguments(self._where, indices, [None] * len(arguments), out)
            result = self._call(arguments)
            return result if out is None else written(self._where, result, out)
        except ExecutionError:
            if self.signature is not None:  # an argument that is wrong gets the interpreter's error
                self.signature.check(self._where, arguments)
            raise

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are of the whole model."""
        return getitem, (self.module, self.entry.name)

    def __repr__(self) -> str:
        return f"<compiled function {self.head()}>"

    def head(self) -> str:
        """Its name, with its parameter and result types."""
        if (known := self.signature) is not None:
            params = ", ".join(f"{n}: {t}" for n, t in zip(known.names, known.params))
            return f"@{self.entry.name}({params}) -> {known.output}"
        params = ", ".join(f"{p.name}: {p}" for p in self.entry.params)
        return f"@{self.entry.name}({params}) -> ({', '.join(map(str, self.entry.results))})"

    def close(self) -> None:
        """Forget the library: calls are errors from now on."""
        self._call = self._refuse
        self._converters, self._results, self._small = [], [], None
        del self._library, self._function, self._release, self._last_error

    def _refuse(self, arguments: Sequence[Any]) -> NoReturn:
        raise RelaxError(
            f"{self._where}: expected a module that is open, found a call after close(); compile or "
            "load it again"
        )

    def _call(self, arguments: Sequence[Any]) -> Any:
        if self._small is not None and (result := self._small(arguments)) is not None:
            return result
        signature = self.signature
        args = arguments if signature is None else signature.flat(self._where, arguments)
        if len(args) != len(self._converters):
            names = ", ".join(f"'{p.name}'" for p in self.entry.params) or "none"
            raise ExecutionError(
                f"{self._where}: expected {len(self._converters)} arguments ({names}), "
                f"found {len(args)}"
            )
        results = self._run(args)
        if self._small is not None:
            small_calls.learn(self._shapes, args, results)
        if signature is not None and self._is_composed:
            return signature.nested(results, arguments)
        return results[0] if len(results) == 1 else tuple(results) or None

    def _run(self, args: Sequence[Any]) -> list[Any]:
        """Call the C function with its own memory for the results."""
        kept: list[Any] = []
        c_args = [convert(value, kept) for convert, value in zip(self._converters, args)]
        if not self._calls_python:
            return self.allocating(c_args)
        held = [r.c_type() for r in self._results]
        packed_callbacks.begin()
        with crossing():
            failed = self._function(*c_args, *map(ctypes.byref, held)) != 0
        if failed:
            error = self._failure()
            reraise(str(error))
            raise error
        forget()
        return [r.value(each, self._release) for r, each in zip(self._results, held)]

    def allocating(self, c_args: Sequence[Any]) -> list[Any]:
        """Call with C's arguments, and return the results, which C allocates."""
        held = [r.c_type() for r in self._results]
        self.writing([*c_args, *map(ctypes.byref, held)])
        return [r.value(each, self._release) for r, each in zip(self._results, held)]

    def writing(self, c_args: Sequence[Any]) -> None:
        """Call with C's arguments and tensors for the results."""
        if self._function(*c_args) != 0:
            raise self._failure()

    def _failure(self) -> ExecutionError:
        """Return the error of a call that failed."""
        return ExecutionError(self._last_error().decode(errors="replace"))


# Results of emitted C as Python values ----------------------------------------------------------


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
