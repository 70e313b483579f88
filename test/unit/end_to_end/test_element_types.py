"""Constants, weights, scalars, prints and functions from outside, for every element type."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, needs
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.emit_c import emit
from lowering.pipeline import PASSES, lower
from lowering.runtime import loading as runtime
from relax_dialect.builder import BlockBuilder, const
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import register_packed, run
from relax_dialect.parsing import parse

NUMPY = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    **{f"i{b}": f"int{b}" for b in (8, 16, 32, 64)},
    **{f"ui{b}": f"uint{b}" for b in (8, 16, 32, 64)},
    "i1": np.bool_,
}
PLAIN = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-O0")
"""Strict, and not optimised: data and calls are looked at, no arithmetic in loops."""
every_type = pytest.mark.parametrize("dtype", NUMPY)


def numbers_of_type(dtype: str, count: int) -> np.ndarray:
    """Numbers all over a type, with its ends."""
    kind = np.dtype(NUMPY[dtype])
    random = np.random.default_rng(count)
    if kind == np.bool_:
        return random.integers(0, 2, count).astype(kind)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        values = random.integers(info.min, info.max, count, kind, endpoint=True)
        values[:2] = info.min, info.max
        return values
    return random.uniform(-300, 300, count).astype(kind)


def equal(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


CONSTANTS = {
    f"{kind}_{dtype}_{count}": np.full(count, numbers[1]) if kind == "one_value" else numbers
    for dtype in NUMPY
    for kind, count in (("all", 3), ("all", 4097), ("one_value", 3), ("one_value", 5000))
    for numbers in [numbers_of_type(dtype, count)]
}


@pytest.fixture(scope="module")
def constants() -> ModuleOp:
    """A function that returns it for each constant."""
    bb = BlockBuilder()
    for name, value in CONSTANTS.items():
        with bb.function(name, []):
            bb.emit_func_output(bb.emit(const(value)))
    return bb.get()


@pytest.fixture(scope="module")
def constants_read_again(constants: ModuleOp) -> ModuleOp:
    return parse(str(constants))


@pytest.fixture(scope="module")
def compiled_constants(constants: ModuleOp) -> runtime.CompiledModule:
    return lowering.compile(constants, extra_flags=PLAIN)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(
    constants: ModuleOp,
    constants_read_again: ModuleOp,
    compiled_constants: runtime.CompiledModule,
    name: str,
):
    value = CONSTANTS[name]
    assert equal(run(constants, name), value)
    assert equal(run(constants_read_again, name), value)
    assert equal(compiled_constants[name](), value)


PACKED = """
relax.func @of_T(%x: !relax.tensor<[n], T>) -> !relax.tensor<[n], T> {
  %y = relax.call_packed "twice_given" (%x) : (!relax.tensor<[n], T>) -> !relax.tensor<[n], T>
  relax.return %y : !relax.tensor<[n], T>
}
"""


@pytest.fixture(scope="module")
def packed() -> ModuleOp:
    return parse("".join(PACKED.replace("T", dtype) for dtype in NUMPY))


@pytest.fixture(scope="module")
def compiled_packed(packed: ModuleOp) -> runtime.CompiledModule:
    return lowering.compile(packed, extra_flags=PLAIN)


@every_type
def test_functions_from_outside(
    packed: ModuleOp, compiled_packed: runtime.CompiledModule, dtype: str
):
    seen = []

    def twice_given(x: np.ndarray) -> np.ndarray:
        seen.append(x.copy())
        return x[::-1].copy()

    register_packed("twice_given", twice_given)
    x = numbers_of_type(dtype, 9)
    assert equal(run(packed, f"of_{dtype}", x), x[::-1].copy())
    assert equal(compiled_packed[f"of_{dtype}"](x), x[::-1].copy())
    assert all(equal(s, x) for s in seen) and len(seen) == 2


PRINT = "".join(
    f"""
relax.func @of_rank_{rank}(%x: {type}) -> {type} {{
  relax.print %x : ({type}) -> ()
  relax.return %x : {type}
}}
"""
    for rank, type in enumerate(f"!relax.tensor<[{dims}], T>" for dims in ("", "?", "?, ?"))
)
PRINTED = [
    [1.5, -2.25, 1e4], [0.1, 0.2], [999.5, 1], [1000, 1.5], [0.0011, 1.5], [65504, 6e-8], [0.0, -0.0],
    [np.nan, 1.5, -np.inf], [1 / 3, 2 / 3, 1], [[1, 22.5], [-3, 4]], 1.1, 152.0, 1024.0, 1e-4, 9e-5,
    0.1, 1e10, np.nan, -np.inf, 2**-14, 2048, 0.25,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_narrow_floats_are_printed_as_numpy_does(dtype: str, capfd: pytest.CaptureFixture[str]):
    model = lowering.compile(parse(PRINT.replace("T", dtype)), extra_flags=PLAIN)
    for value in PRINTED:
        with np.errstate(over="ignore"):
            x = np.array(value, NUMPY[dtype])
        model[f"of_rank_{x.ndim}"](x)
        assert capfd.readouterr().out == f"{x!s}\n"


@pytest.mark.slow
def test_every_half_is_printed_with_the_digits_that_numpy_needs(capfd: pytest.CaptureFixture[str]):
    x = np.arange(0, 65536, 7).astype(np.uint16).view(np.float16)
    model = lowering.compile(parse(PRINT.replace("T", "f16")), extra_flags=PLAIN)
    for value in x:
        model.of_rank_0(np.array(value))
    assert capfd.readouterr().out.split() == [str(np.array(value)) for value in x]


SCALARS = """
func.func @twice(%x: T) -> T attributes {relax.entry} {
  %y = arith.addf %x, %x : T
  func.return %y : T
}
"""


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_scalars_of_narrow_types(dtype: str):
    module = lower(parse(SCALARS.replace("T", dtype)), ["relax-emulate-unsupported-floats"])
    twice = runtime.build(emit(module, "model"), extra_flags=PLAIN).twice
    for value in (1.5, -0.1, 1e-7, 65504.0, np.inf, 3.3e4):
        with np.errstate(over="ignore"):
            narrow = NUMPY[dtype](value)
            assert twice(value) == float(narrow + narrow)


@every_type
def test_compiled_code_refuses_other_types(compiled_packed: runtime.CompiledModule, dtype: str):
    for other in NUMPY:
        if other != dtype:
            with pytest.raises(
                RelaxError, match=f"'x': expected element type {dtype}, found {other};"
            ):
                compiled_packed[f"of_{dtype}"](numbers_of_type(other, 9))


@needs(MLIR)
@every_type
def test_mlir_accepts_every_level(dtype: str):
    op = "logical_and" if dtype == "i1" else "maximum"
    text = f"""
relax.func @main(%x: !relax.tensor<[n], T>, %y: !relax.tensor<[n], T>) -> !relax.tensor<[n], f32> {{
  %z = relax.{op} %x, %y : (!relax.tensor<[n], T>, !relax.tensor<[n], T>) -> !relax.tensor<[n], T>
  %w = relax.astype %z {{dtype = f32}} : (!relax.tensor<[n], T>) -> !relax.tensor<[n], f32>
  relax.return %w : !relax.tensor<[n], f32>
}}"""
    module = parse(text.replace("T", dtype))
    names = list(PASSES)
    start = names.index("relax-lower-functions") + 1
    lower(module, names[:start])
    check_accepted(module)
    lower(module, names[start:])
    check_accepted(module)
