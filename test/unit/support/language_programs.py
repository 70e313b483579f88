"""The programs of docs/language.md: run by the interpreter or in C, and what they print and give."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, TupleType
from xdsl.ir import Attribute

import lowering
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import parse

Call = Callable[..., Any]
Backend = Callable[[str, Sequence[Any]], Any]
"""Calls a function of the page by its name."""


def value(type: Attribute, given: Any) -> Any:
    """An argument as the page writes it, as a program takes it."""
    if isinstance(type, TensorType):
        return np.asarray(given, None if type.dtype is None else numpy_dtype(type.dtype))
    if isinstance(type, TupleType):
        return tuple(map(value, type.types, given))
    if isinstance(type, IntegerType | AnyFloat):
        return numpy_dtype(type).type(given)
    return given


def shown(given: Any) -> str:
    """A result as the page writes it."""
    if isinstance(given, np.ndarray | np.generic):
        return shown(given.tolist())
    if isinstance(given, list):
        return f"[{', '.join(map(shown, given))}]"
    if isinstance(given, tuple):
        return f"({', '.join(map(shown, given))}{',' * (len(given) == 1)})"
    if isinstance(given, float):
        return f"{given:.4g}"
    return "a function" if callable(given) else repr(given)


class Programs:
    """The functions of the page, by name: each block of them is a module of its own to the interpreter,
    all together are one that is compiled."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.modules: list[ModuleOp] = []
        self.homes: dict[str, ModuleOp] = {}

    def add(self, text: str) -> None:
        module = parse(text)
        self.texts.append(text)
        self.modules.append(module)
        self.homes |= {op.sym_name.data: module for op in module.ops if isinstance(op, FuncOp)}

    def interpreted(self, name: str, arguments: Sequence[Any]) -> Any:
        return interpret.run(self.homes[name], name, *arguments)

    def compiled(self) -> Backend:
        model = lowering.compile(
            parse("\n".join(self.texts)), "language", opt_level=0, extra_flags=("-O0",)
        )
        return lambda name, arguments: model[name](*arguments)

    def functions(self, run: Backend) -> dict[str, Call]:
        """The public functions, called with what the page writes."""

        def function(op: FuncOp) -> Call:
            types = op.function_type.inputs.data
            return lambda *given: run(op.sym_name.data, list(map(value, types, given)))

        return {
            op.sym_name.data: function(op)
            for module in self.modules
            for op in module.ops
            if isinstance(op, FuncOp) and not op.is_private
        }


@contextmanager
def printed() -> Iterator[IO[str]]:
    """The output meanwhile, of Python and of C."""
    with TemporaryFile("w+") as file, redirect_stdout(file):
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield file
        finally:
            file.flush()
            ctypes.CDLL(None).fflush(None)
            os.dup2(before, 1)
            os.close(before)
            file.seek(0)


def session(code: str, names: dict[str, Any]) -> str:
    """The calls of a block, each with what it prints and gives."""
    lines: list[str] = []
    for line in code.splitlines():
        if not line.startswith(">>> "):
            continue
        lines.append(line)
        result = None
        file: IO[str]
        with printed() as file:
            try:
                result = eval(line.removeprefix(">>> "), names)
            except RelaxError as error:
                result = error
            ctypes.CDLL(None).fflush(None)
            file.flush()
            file.seek(0)
            lines += file.read().splitlines()
        if result is not None:
            is_error = isinstance(result, RelaxError)
            lines.append(f"error: {result}" if is_error else shown(result))
    return "".join(f"{line}\n" for line in lines)
