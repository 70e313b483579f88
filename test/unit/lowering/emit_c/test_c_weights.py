"""Constants: in the C text, in the file next to it, and all that can be wrong with that file."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from optional import SANITIZED, UNOPTIMISED
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)

from lowering.emit_c import CSource, emit
from lowering.runtime import loading as runtime
from relax_dialect.errors import RelaxError

TYPES = {"float32": f32, "float64": f64, "int32": i32, "int64": i64, "int8": i8, "bool": i1}


def source_of(parse, arrays: dict[str, np.ndarray], threshold: int = 64) -> CSource:
    """A model with one entry per constant, which copies it into its result."""
    functions = []
    for name, array in arrays.items():
        t = str(MemRefType(TYPES[array.dtype.name], array.shape))
        functions.append(f"""
func.func @get_{name}(%r: {t} {{relax.result}}) attributes {{relax.entry}} {{
  %w = memref.get_global @{name} : {t}
  memref.copy %w, %r : {t} to {t}
  func.return
}}""")
    module = parse("\n".join(functions))
    for name, array in arrays.items():
        element = TYPES[array.dtype.name]
        tensor = TensorType(element, array.shape)
        module.body.block.add_op(
            memref.GlobalOp.get(
                StringAttr(name),
                MemRefType(element, array.shape),
                DenseIntOrFPElementsAttr.from_list(tensor, array.ravel().tolist()),
                StringAttr("private"),
                UnitAttr(),
            )
        )
    module.verify()
    return emit(module, "model", sidecar_threshold=threshold)


RNG = np.random.default_rng(1)
ARRAYS = {
    "small": RNG.standard_normal((2, 3)).astype("float32"),
    "odd": np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4028235e38, 0.1], "float32"),
    "doubles": np.array([np.nan, np.inf, -0.0, 5e-324, 0.1, 1e22], "float64"),
    "ints": np.array([-(2**63), 2**63 - 1, 0], "int64"),
    "bytes": np.array([-128, 127, 0, 5], "int8"),
    "flags": np.array([True, False, True]),
    "scalar": np.array(2.5, "float64"),
    "empty": np.zeros((0, 4), "float32"),
    "big": RNG.standard_normal((9, 33)).astype("float32"),
    "big_ints": RNG.integers(-(2**31), 2**31 - 1, 101).astype("int32"),
    "big_flags": RNG.integers(0, 2, 203).astype(bool),
    "zeros": np.zeros((1000, 3), "float32"),
    "ones": np.ones((1000, 1000), "float64"),
    "minus_zeros": np.full(100, -0.0, "float32"),
}


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """Equal to the bit, apart from a NaN's payload."""
    equal = np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f")
    signs = expected.dtype.kind != "f" or np.array_equal(
        np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(expected)]
    )
    return found.dtype == expected.dtype and found.shape == expected.shape and equal and signs


@pytest.fixture(scope="module")
def source(parse):
    return source_of(parse, ARRAYS)


def test_constants_arrive(source, cc):
    strict = ("-Wall", "-Wextra", "-Werror", "-pedantic")
    module = runtime.build(source, cc=cc, extra_flags=strict)
    for name, array in ARRAYS.items():
        assert same(module[f"get_{name}"](), array), name


def test_only_big_constants_stand_in_the_file(source):
    assert source.weights is not None
    big = [ARRAYS[n] for n in ("big", "big_ints", "big_flags")]
    assert len(source.weights) == 64 + sum(-(-a.nbytes // 64) * 64 for a in big)
    for array in big:
        at = bytes(source.weights).index(array.tobytes())
        assert at % 64 == 0
    assert len(source.c) < 40_000


def test_without_big_constants_there_is_no_file(parse, tmp_path):
    source = source_of(parse, {"ones": np.ones(10**6, "float32"), "small": ARRAYS["small"]})
    assert source.weights is None and "model_load" not in source.h
    assert len(source.c) < 16_000  # no elements
    assert sorted(p.name for p in source.write(tmp_path)) == ["model.c", "model.h"]


def test_a_constant_that_is_only_loaded_is_a_literal(parse):
    module = parse("""
func.func @f(%x: memref<4xf32>) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %w = memref.get_global @half : memref<100000xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %w[%i] : memref<100000xf32>
    memref.store %a, %x[%i] : memref<4xf32>
  }
  func.return
}
"memref.global"() <{sym_name = "half", sym_visibility = "private", type = memref<100000xf32>,
  initial_value = dense<0.5> : tensor<100000xf32>, constant}> : () -> ()""")
    source = emit(module, "model")
    assert "x[i] = 0.5f;" in source.c and "half" not in source.c


@pytest.fixture
def library(source, tmp_path) -> Path:
    return runtime.compile_c(source, tmp_path, extra_flags=UNOPTIMISED)


def load_error(source: CSource, library: Path, weights: Path) -> str:
    with pytest.raises(RelaxError) as error:
        runtime.load(library, source.entries, weights)
    return str(error.value)


def test_a_wrong_weights_file_is_reported(parse, source, library, tmp_path):
    good = bytes(source.weights)
    assert good is not None
    path = tmp_path / "changed.weights"

    def error(content: bytes) -> str:
        path.write_bytes(content)
        return load_error(source, library, path)

    assert "No such file or directory" in load_error(source, library, tmp_path / "none.weights")
    assert f"cannot open {tmp_path / 'none.weights'}" in load_error(
        source, library, tmp_path / "none.weights"
    )
    assert "not a weights file" in error(b"")
    assert "not a weights file" in error(good[:40])
    assert "not a weights file" in error(b"PK" + good[2:])
    version = error(good[:8] + struct.pack("<I", 2) + good[12:])
    assert "expected version 1 of the format, found 2" in version
    assert "the file is truncated" in error(good[:-1])
    assert "found more" in error(good + b"\0")
    for at in (64, len(good) // 2, len(good) - 1):
        assert "the file is corrupt" in error(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
    other = source_of(parse, {**ARRAYS, "big": ARRAYS["big"] + 1})
    assert other.weights is not None and len(other.weights) == len(good)
    assert "made for another model" in error(bytes(other.weights))


def test_a_call_before_load_is_an_error(source, library, tmp_path):
    module = runtime.load(library, source.entries)
    with pytest.raises(RelaxError, match="weights are not loaded; call model_load first"):
        module.get_big()
    assert same(module.get_small(), ARRAYS["small"])
    again = runtime.load(library, source.entries, tmp_path / "model.weights")
    assert same(again.get_big(), ARRAYS["big"])


@pytest.mark.parametrize("cc", SANITIZED)
def test_load_and_unload_under_sanitizers(source, run_sanitized, tmp_path, cc):
    source.write(tmp_path)
    shutil.copy(tmp_path / "model.weights", tmp_path / "bad.weights")
    with (tmp_path / "bad.weights").open("r+b") as file:
        file.seek(100)
        file.write(b"?!")
    driver = r"""
#include "model.h"
#include <stdio.h>
int main(void)
{
    DLTensor t = {0};
    int bad = model_get_big(&t) == 0;
    bad += model_load("none") == 0;
    bad += model_load(NULL) == 0;
    bad += model_load("bad.weights") == 0;
    bad += model_get_big(&t) == 0;
    bad += model_load("model.weights") != 0;
    bad += model_load("model.weights") != 0;
    bad += model_get_big(&t) != 0;
    model_release(&t);
    model_unload();
    model_unload();
    bad += model_get_big(&t) == 0;
    bad += model_load("model.weights") != 0;
    bad += model_get_big(&t) != 0;
    model_release(&t);
    model_unload();
    printf("%d\n", bad);
    return bad;
}
"""
    assert run_sanitized(cc, tmp_path, driver) == "0\n"
