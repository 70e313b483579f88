"""Sizes that no type tells compile: of parameters, joins of branches, and results that depend on data."""

import numpy as np
import pytest
from fuzz.texts import programs
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.pipeline import lower
from lowering.runtime.loading import CompiledModule
from relax_dialect import BlockBuilder, interpret, parse
from relax_dialect.builder import op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.spelling import as_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify

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
relax.func @channels(%x: !relax.tensor<[n, ?], f32>, %v: !relax.tensor<[c], f32>) -> !relax.tensor<[c], f32> {{
  %0, %1, %2 = relax.batch_norm %x, %v, %v, %v, %v {{axis = 1 : i64}} : (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>)
  %3 = relax.exp %1 : (!relax.tensor<[c], f32>) -> !relax.tensor<[c], f32>
  relax.return %3 : !relax.tensor<[c], f32>
}}
relax.func @contradicts(%x: !relax.tensor<[3], f32>, %c: !relax.tensor<[], i1>) -> {T} {{
  %0 = relax.concat %x, %x {{axis = 0 : i64}} : (!relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> {T}
  %1 = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{
    %2 = relax.add %0, %x : ({T}, !relax.tensor<[3], f32>) -> {T}
    %3 = relax.match_cast %2 : {T} -> !relax.tensor<[4], f32>
    relax.yield %3 : !relax.tensor<[4], f32>
  }} else {{
    relax.yield %0 : {T}
  }}
  relax.return %1 : {T}
}}
"""


SHAPES = """
relax.func @tensors(%x: !relax.tensor<[n, m], f32>, %v: !relax.tensor<[2], i64>) -> !relax.tensor<[?, ?], f32> {
  %s = relax.tensor_to_shape %v : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
  %0 = relax.reshape %x, %s : (!relax.tensor<[n, m], f32>, !relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], f32>
  %1 = relax.ones %s {dtype = f32} : (!relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], f32>
  %2 = relax.add %0, %1 : (!relax.tensor<[?, ?], f32>, !relax.tensor<[?, ?], f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %2 : !relax.tensor<[?, ?], f32>
}
relax.func @cast(%x: !relax.tensor<[], f32>, %v: !relax.tensor<[2], i64>) -> !relax.tensor<[?, 4], f32> {
  %s = relax.tensor_to_shape %v : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
  %0 = relax.full %s, %x : (!relax.shape<[?, ?]>, !relax.tensor<[], f32>) -> !relax.tensor<[?, ?], f32>
  %1 = relax.match_cast %0 : !relax.tensor<[?, ?], f32> -> !relax.tensor<[p, 4], f32>
  relax.return %1 : !relax.tensor<[p, 4], f32>
}
relax.func @expanded(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], f32> {
  %0 = relax.broadcast_to %x, %s : (!relax.tensor<[n], f32>, !relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], f32>
  relax.return %0 : !relax.tensor<[?, ?], f32>
}
"""


def doubling(layers: int) -> ModuleOp:
    """Layers whose sizes would be twice as long in each: soon they are too long to be written."""
    builder = BlockBuilder()
    types = {name: TensorType([name], as_dtype("f32")) for name in "xyz"}
    with builder.function("main", types) as (x, y, z):
        for _ in range(layers):
            x = builder.emit(op.concat([op.add(x, y), op.add(x, z)], 0))
        builder.emit_func_output(x)
    return builder.get()


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    return parse(PROGRAM + SHAPES)


@pytest.fixture(scope="module")
def model(module: ModuleOp) -> CompiledModule:
    return lowering.compile(module, extra_flags=("-Wall", "-Wextra", "-Werror"))


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
    ("channels", (np.ones((2, 3), np.float32), vector(1, 2, 3))),
    ("channels", (np.ones((2, 3), np.float32), vector(1, 2))),
    ("tensors", (np.ones((2, 3), np.float32), np.array([3, 2]))),
    ("tensors", (np.ones((2, 3), np.float32), np.array([3, 3]))),
    ("cast", (np.float32(2), np.array([3, 4]))),
    ("cast", (np.float32(2), np.array([3, 2]))),
    ("expanded", (vector(1, 2), (3, 2))),
    ("contradicts", (vector(1, 2, 3), np.array(False))),
    ("contradicts", (vector(1, 2, 3), np.array(True))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_c_and_interpreter_agree(
    module: ModuleOp, model: CompiledModule, name: str, arguments: tuple[np.ndarray, ...]
) -> None:
    try:
        expected = interpret.run(module, name, *arguments)
    except RelaxError:
        with pytest.raises(RelaxError):
            model[name](*arguments)
        return
    np.testing.assert_allclose(model[name](*arguments), expected, rtol=1e-6)


@pytest.mark.slow
def test_sizes_too_long_to_be_written():
    module, arguments = doubling(7), (vector(1), vector(2), vector(3))
    assert "!relax.tensor<[?], f32>" in str(module)
    expected = interpret.run(module, "main", *arguments)
    assert expected.shape == (128,)
    with lowering.compile(module, extra_flags=("-O0",)) as compiled:
        np.testing.assert_array_equal(compiled.main(*arguments), expected)


@pytest.mark.slow
def test_named_programs_verify():
    """All programs of the operators' tests: no type that a name makes narrower contradicts one that stays."""
    named = 0
    for text in programs("dialect", "ops"):
        if "?" not in text:
            continue
        module = lower(parse(text), ["relax-to-a-normal-form"])
        try:
            lower(module, ["relax-bind-dynamic-dims"])
        except RelaxError as error:
            assert "provably" in str(error)  # what a run cannot check
            continue
        verify(module)
        named += 1
    assert named > 100
