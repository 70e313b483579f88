"""The common part of the interpreter's tests: programs from text, operators from their classes."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import get_all_dialects, test
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from relax_dialect.dialect import Relax
from relax_dialect.interpret import evaluate, register_packed, run
from relax_dialect.ir.types import ShapeType, TensorType

DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
}


def parse(text: str, *, verify: bool = True) -> ModuleOp:
    """A module from its text."""
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    context.register_dialect("relax", lambda: Relax)
    module = Parser(context, text).parse_module()
    if verify:
        module.verify()
    return module


def run_text(text: str, *args: Any, entry: str = "main") -> Any:
    """Run a program with every op's results compared to its declared types."""
    return run(parse(text), entry, *args, check_types=True)


def apply(op_type: Any, *args: Any, **properties: Any) -> Any:
    """One operator on arrays (and shapes): evaluated, and checked against its inferred type."""
    names = {np.dtype(v): k for k, v in DTYPES.items()}
    types = [
        ShapeType(a) if isinstance(a, tuple) else TensorType(a.shape, names[a.dtype]) for a in args
    ]
    operands = test.TestOp(result_types=types).results
    op = op_type(*operands, **properties)
    op.verify()
    (result,) = evaluate(op, *args)
    inferred = op.results[0].type
    assert result.shape == tuple(d.value for d in inferred.shape)
    assert names[result.dtype] == str(inferred.dtype)
    assert result.flags.c_contiguous
    return result


def numbers(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> Any:
    """Random numbers, small whole ones for integers."""
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    return random.integers(0, 10, shape).astype(dtype)


TYPES = {
    "S": "!relax.tensor<[], f32>",
    "I": "!relax.tensor<[], i64>",
    "B": "!relax.tensor<[], i1>",
    "V": "!relax.tensor<[n], f32>",
    "O": "!relax.object",
}
"""Short names of types in the programs of tests, as words of their own."""


def spell(text: str, **types: str) -> str:
    """A program with short names of types spelled out: `S` is a scalar of f32, `B` a boolean."""
    known = {**TYPES, **types}
    spelled = re.sub(r"(?<![%@\w.\"])[A-Z]\w*\b", lambda m: known.get(m[0], m[0]), text)
    return spelled if spelled == text else spell(spelled, **types)


@contextmanager
def packed(**functions: Callable[..., Any]) -> Iterator[list[tuple[str, Any]]]:
    """Register Python functions under their names; gives the list of the calls they get."""
    calls: list[tuple[str, Any]] = []

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            calls.append((name, *(np.copy(a) for a in args if isinstance(a, np.ndarray))))
            return function(*args)

        return call

    for name, function in functions.items():
        register_packed(name, counted(name, function))
    yield calls
