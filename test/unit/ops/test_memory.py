"""Tensors as the memory that holds them, as compiled C, against numpy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ops.memory import OPS, SizeOp, ViewOp

from .compiled import (
    SIZES,
    STATIC,
    Case,
    Sizes,
    check,
    compile_cases,
    each_case,
    keep,
    shape,
    special,
    tensor,
)
from .inputs import refused, x


def view(
    source: str,
    dims: tuple,
    target: str | None,
    new: tuple | None = None,
    offset: int = 0,
    sizes=SIZES,
) -> Case:
    """A slice of the bytes that numpy has."""

    def meaning(array: np.ndarray, sizes: tuple[int, ...] | None = None) -> np.ndarray:
        sizes = array.shape if sizes is None else sizes
        dtype = array.dtype if target is None else numpy_dtype(parse_dtype(target))
        data = array.tobytes()[offset : offset + int(np.prod(sizes)) * dtype.itemsize]
        return np.frombuffer(data, dtype).reshape(sizes)

    types = [tensor(*dims, dtype=source), *([shape(*new)] if new is not None else [])]

    def operator(array: Any, *given: Any) -> ViewOp:
        return ViewOp(array, *(given or (None,)), target, offset)  # pyright: ignore

    return Case(
        operator, types, meaning, sizes, [keep if source == "bf16" else special, keep][: len(types)]
    )


CASES: dict[str, Case] = {
    "view_bytes": view("f32", ("n", "m"), "i8", ("n", 4, "m")),
    "view_same": view("f32", ("n", "m"), None),
    "view_shape": view("f16", ("n", "m", 4), None, ("m", 2, "n", 2)),
    "view_type": view("f32", ("n", 3), "i32"),
    "view_unsigned": view("ui32", ("n", 3), "i32"),
    "view_float": view("i16", ("n", "m"), "f16", ("m", "n")),
    "view_narrow": view("bf16", ("n", 2), "i16"),
    "view_double": view("f64", ("n", "m"), "ui64"),
    "view_of_bytes": view("ui8", ("n", 8, 3), "f64", (3, "n")),
    "view_halves": view("i64", ("n", 3), "ui16", (4, "n", 3)),
    "view_of_halves": view("f16", ("n", 4), "f64", ("n",)),
    "view_flags": view("i1", ("n", 3), "ui8"),
    "view_truth": view("i1", ("n", 8), "i64", ("n",)),
    "view_part": view("f32", ("n", 6), None, ("n", 5), 0),
    "view_offset": view("i32", ("n", 3), None, ("n", 2), 8, sizes=SIZES[:1]),
    "view_unaligned": view("f32", (5, 3), "i16", (13,), 3, sizes=STATIC),
    "view_unaligned_wide": view("f32", ("n",), "f64", (2,), 2, sizes=SIZES[:1]),
    "view_scalar": view("f32", (), "ui8", (4,), sizes=STATIC),
    "view_as_scalar": view("i8", (9,), "f32", (), 5, sizes=STATIC),
    "view_unproved": view("f32", ("n",), None, ("m", "k"), sizes=[{"n": 9, "m": 3, "k": 2}]),
    "view_none": view("f32", (0, 3), "i8", ("n", 0)),
    "size": Case(SizeOp, [tensor("n", "m")], lambda x: np.asarray(x.size, "q")),
    "size_static": Case(SizeOp, [tensor(4, 3, dtype="i1")], lambda x: np.asarray(12, "q"), [{}]),
    "size_scalar": Case(SizeOp, [tensor(dtype="f16")], lambda x: np.asarray(1, "q"), [{}]),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_a_view_ends_within_the_tensor(model: CompiledModule):
    message = "relax.view: expected a view that ends within x (C1), in bytes, found 24 and 20"
    with pytest.raises(RelaxError, match=re.escape(message)):
        model.view_unproved(np.zeros((5,), np.float32), (3, 2))
    module = ModuleOp([CASES["view_unproved"].function("main")])
    with pytest.raises(RelaxError, match=re.escape(message.partition("relax.view: ")[2])):
        run(module, "main", np.zeros((5,), np.float32), (3, 2))


def test_view_C1():
    refused("C1", lambda: ViewOp(x("n", 4), ["4 * n + 1"]))  # pyright: ignore
    ViewOp(x("n", 4), ["n + m"])  # is checked at run time  # pyright: ignore


def test_view_C3():
    refused("C3", lambda: ViewOp(x(4, dtype="i8"), None, "i1"))
    ViewOp(x(4, dtype="i1"), [2], "i1", 1)  # pyright: ignore
