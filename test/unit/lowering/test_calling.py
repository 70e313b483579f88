"""Compiled functions take and give shapes and tuples as the interpreter does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse

X = "!relax.tensor<[n], f32>"
PAIR = f"tuple<{X}, tuple<!relax.shape<[m]>, {X}>>"
MODULE = parse(f"""
relax.func @rows(%s: !relax.shape<[k, n]>, %x: {X}) -> !relax.tensor<[k, n], f32> {{
  %y = relax.broadcast_to %x, %s : ({X}, !relax.shape<[k, n]>) -> !relax.tensor<[k, n], f32>
  relax.return %y : !relax.tensor<[k, n], f32>
}}
relax.func @size(%x: {X}) -> !relax.shape<[n]> {{
  %s = relax.shape_of %x : ({X}) -> !relax.shape<[n]>
  relax.return %s : !relax.shape<[n]>
}}
relax.func @unknown(%x: {X}, %s: !relax.shape<[?, 3]>) -> tuple<!relax.shape<[?, 3]>, {X}> {{
  %t = relax.tuple %s, %x : (!relax.shape<[?, 3]>, {X}) -> tuple<!relax.shape<[?, 3]>, {X}>
  relax.return %t : tuple<!relax.shape<[?, 3]>, {X}>
}}
relax.func @parts(%t: {PAIR}) -> {PAIR} {{
  relax.return %t : {PAIR}
}}
relax.func @one(%x: {X}) -> tuple<{X}> {{
  %t = relax.tuple %x : ({X}) -> tuple<{X}>
  relax.return %t : tuple<{X}>
}}
relax.func @nothing(%x: {X}) -> tuple<!relax.shape<[]>, tuple<>> {{
  %s = relax.shape []
  %e = relax.tuple : () -> tuple<>
  %t = relax.tuple %s, %e : (!relax.shape<[]>, tuple<>) -> tuple<!relax.shape<[]>, tuple<>>
  relax.return %t : tuple<!relax.shape<[]>, tuple<>>
}}
""")
V = np.arange(3, dtype=np.float32)
CALLS: dict[str, tuple[Any, ...]] = {
    "rows": ((2, 3), V),
    "size": (V,),
    "unknown": (V, (5, 3)),
    "parts": ((V, ((7,), V + 1)),),
    "one": (V,),
    "nothing": (V,),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return lowering.compile(MODULE)


def same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            same(a, b)
    else:
        np.testing.assert_array_equal(found, expected, strict=isinstance(expected, np.ndarray))


@pytest.mark.parametrize("name", CALLS)
def test_as_interpreted(model: CompiledModule, name: str):
    same(model[name](*CALLS[name]), run(MODULE, name, *CALLS[name]))


def test_as_c_takes_them(model: CompiledModule):
    same(model.parts(V, V + 1, 7), run(MODULE, "parts", *CALLS["parts"]))


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("rows", ((2, 4), V), "found"),  # n is 3 by x
        ("rows", ((2,), V), "expected 2 dimensions"),
        ("rows", ((-2, 3), V), "expected sizes of at least 0"),
        ("unknown", (V, (5, 4)), "expected size 3"),
        ("parts", ((V,),), "expected a tuple of 2 fields, found 1"),
        ("parts", ((V, V),), "expected a tuple of 2 fields, found"),
        ("parts", ((V, ((7.5,), V)),), "expected a shape, as a tuple of ints"),
    ],
)
def test_what_does_not_fit_is_an_error(
    model: CompiledModule, name: str, arguments: tuple[Any, ...], message: str
):
    for call in (lambda *a: run(MODULE, name, *a), model[name]):
        with pytest.raises(RelaxError, match=message):
            call(*arguments)


def test_a_wrong_number_of_arguments(model: CompiledModule):
    with pytest.raises(RelaxError, match=r"@rows: expected 2 arguments \(.*\), found 3"):
        model.rows(V, 2, 3)
