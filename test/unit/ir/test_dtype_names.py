"""An element type may be given by MLIR's name, by numpy's, or as numpy's or xDSL's type, everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Attribute

from relax_dialect import te
from relax_dialect.builder import BlockBuilder, const, op, var
from relax_dialect.errors import RelaxError
from relax_dialect.ir.spelling import as_dtype, parse_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse

NAMES = {
    **{f"f{width}": f"float{width}" for width in (16, 32, 64)},
    **{f"i{width}": f"int{width}" for width in (8, 16, 32, 64)},
    **{f"ui{width}": f"uint{width}" for width in (8, 16, 32, 64)},
    "i1": "bool",
}


def emitted(make: Callable[[Any, Any], Any], spelled: object) -> Attribute:
    """The element type of what an operator gives for a type spelled in some way."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        y = bb.emit(make(x, spelled))
        bb.emit_func_output(y)
    bb.get()
    return y.dtype


ENTRIES: dict[str, Callable[[Any], object]] = {
    "TensorType": lambda dtype: TensorType([3], dtype).dtype,
    "var": lambda dtype: var("x", shape=[3], dtype=dtype).type.dtype,
    "const": lambda dtype: emitted(lambda x, d: const(True, d), dtype),
    "placeholder": lambda dtype: te.placeholder((3,), dtype).dtype,
    "te astype": lambda dtype: te.placeholder((3,), "f32")[0].astype(dtype).dtype,
    "method": lambda dtype: emitted(lambda x, d: x.astype(d), dtype),
    "astype": lambda dtype: emitted(op.astype, dtype),
    "zeros": lambda dtype: emitted(lambda x, d: op.zeros(["n"], d), dtype),
    "full": lambda dtype: emitted(lambda x, d: op.full(["n"], True, d), dtype),
    "cumsum": lambda dtype: emitted(lambda x, d: op.cumsum(x, axis=0, dtype=d), dtype),
}


SUMS_ARE_OF_NUMBERS = ("cumsum", "i1")
SPELLED = [(e, n) for n in NAMES for e in ENTRIES if (e, n) != SUMS_ARE_OF_NUMBERS]


@pytest.mark.parametrize(("entry", "name"), SPELLED)
def test_every_spelling_is_one_type(entry: str, name: str):
    dtype, numpy_name = parse_dtype(name), NAMES[name]
    if name != "i1" and entry in ("const", "full"):
        make = {"const": lambda x, d: const(1, d), "full": lambda x, d: op.full(["n"], 1, d)}[entry]
        get: Callable[[Any], object] = lambda d: emitted(make, d)  # noqa: E731
    else:
        get = ENTRIES[entry]
    spellings = [name, numpy_name, np.dtype(numpy_name), np.dtype(numpy_name).type, dtype]
    assert [get(spelling) for spelling in spellings] == [dtype] * len(spellings)


def test_bfloat16_has_two_names():
    assert as_dtype("bfloat16") == as_dtype("bf16") == parse_dtype("bf16")


@pytest.mark.parametrize("wrong", ["float8", 3, float, np.complex64, None])
def test_what_is_no_element_type_is_refused(wrong: object):
    message = r"^element type .*: expected one of f16, .*float32.* or a type of numpy or xDSL$"
    with pytest.raises(RelaxError, match=message):
        as_dtype(wrong)
    with pytest.raises(RelaxError, match=r"element type .*: expected one of f16, "):
        te.placeholder((3,), wrong)  # pyright: ignore[reportArgumentType]


def test_text_keeps_to_the_names_of_mlir():
    with pytest.raises(Exception, match="element type 'float32': expected one of f16"):
        parse(
            "relax.func @f(%x: !relax.tensor<[3], float32>) { relax.return %x : !relax.tensor<[3]> }"
        )
