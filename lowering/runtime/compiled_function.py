"""Entry points of emitted C as Python functions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NoReturn

from lowering.emit_c.syntax.c_source import EntryPoint
from lowering.runtime import packed_callbacks
from lowering.runtime.arguments import SCALARS, converter
from lowering.runtime.c_values import forget, reraise
from lowering.runtime.calling import NestedSignature
from lowering.runtime.objects import ObjectApi
from lowering.runtime.result_conversion import ResultType
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
            if out is not None and self.signature is not None and self.signature.in_place:
                indices = self.signature.in_place
                out = over_arguments(self._where, indices, [None] * len(arguments), out)
            result = self._call(arguments)
            return result if out is None else written(self._where, result, out)
        except ExecutionError:
            if self.signature is not None:  # an argument that is wrong gets the interpreter's error
                self.signature.check(self._where, arguments)
            raise

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
        self._converters, self._results = [], []
        del self._library, self._function, self._release, self._last_error

    def _refuse(self, arguments: Sequence[Any]) -> NoReturn:
        raise RelaxError(
            f"{self._where}: expected a module that is open, found a call after close(); compile or "
            "load it again"
        )

    def _call(self, arguments: Sequence[Any]) -> Any:
        signature = self.signature
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
