"""Sizes that no type tells compile: of parameters, joins of branches, and results that depend on data."""

import numpy as np
import pytest

import lowering
from lowering.runtime import CompiledModule
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError

T = "!relax.tensor<[?], f32>"
PROGRAM = f"""
relax.func @joined(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>, %c: !relax.tensor<[], i1>) -> {T} {{
  %z = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{
    relax.yield %x : !relax.tensor<[n], f32>
  }} else {{
    %0 = relax.concat %x, %y {{axis = 0 : i64}} : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m + n], f32>
    relax.yield %0 : !relax.tensor<[m + n], f32>
  }}
  %w = relax.exp %z : ({T}) -> {T}
  relax.return %w : {T}
}}
relax.func @sums(%x: {T}, %y: {T}) -> {T} {{
  %0 = relax.add %x, %y : ({T}, {T}) -> {T}
  %1 = relax.multiply %0, %x : ({T}, {T}) -> {T}
  relax.return %1 : {T}
}}
relax.func @data(%x: {T}) -> !relax.tensor<[1, ?], i64> {{
  %0 = relax.relu %x : ({T}) -> {T}
  %1 = relax.nonzero %0 : ({T}) -> !relax.tensor<[1, ?], i64>
  %2 = relax.add %1, %1 : (!relax.tensor<[1, ?], i64>, !relax.tensor<[1, ?], i64>) -> !relax.tensor<[1, ?], i64>
  relax.return %2 : !relax.tensor<[1, ?], i64>
}}
"""


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return lowering.compile(parse(PROGRAM), extra_flags=("-Wall", "-Wextra", "-Werror"))


def vector(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


CALLS = [
    *(
        ("joined", (vector(*range(n)), vector(*range(m)), np.array(c)))
        for n, m in ((3, 2), (0, 1), (1, 0))
        for c in (True, False)
    ),
    ("sums", (vector(1, 2, 3), vector(4, 5, 6))),
    ("sums", (vector(1, 2, 3), vector(4))),
    ("sums", (vector(), vector(4))),
    ("sums", (vector(1, 2, 3), vector(4, 5))),
    ("data", (vector(1, -1, 0, 2),)),
    ("data", (vector(-1),)),
    ("data", (vector(),)),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_c_and_interpreter_agree(
    model: CompiledModule, name: str, arguments: tuple[np.ndarray, ...]
) -> None:
    try:
        expected = interpret.run(parse(PROGRAM), name, *arguments)
    except RelaxError:
        with pytest.raises(RelaxError):
            model[name](*arguments)
        return
    np.testing.assert_allclose(model[name](*arguments), expected, rtol=1e-6)
