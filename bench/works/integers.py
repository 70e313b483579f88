"""Products of 8-bit integers, and a perceptron in them."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from bench.languages import MissingError, Run
from bench.languages.plain_numpy import Numpy
from bench.work import Input, Network, Work
from bench.works.networks import LAYERS, perceptron
from relax_dialect.rewrites.quantization.quantize import quantize

CALIBRATION = np.random.default_rng(7).uniform(-2, 2, (256, LAYERS[0])).astype(np.float32)


@cache
def bytes_of(size: int) -> np.ndarray:
    """Draw a constant matrix of i8."""
    return np.random.default_rng(1).integers(-127, 127, (size, size), np.int8, endpoint=True)


def exact(x: np.ndarray) -> np.ndarray:
    """Compute `by_constant` in floats that hold all sums. ONNX Runtime adds pairs of products in 16 bits on
    CPUs with AVX2 alone, and saturates."""
    w = bytes_of(x.shape[1])
    return ((x.astype(np.float64) - 128) @ w).astype(np.int32)


def in_floats(x: np.ndarray) -> np.ndarray:
    """Compute the network that is quantized."""
    return perceptron()(Numpy({}), x)


@cache
def by_constant(size: int) -> Network:
    """Build `(x - 128) @ w` in i32, x of u8 and w of i8."""
    w = bytes_of(size)
    zeros = np.array(128, np.uint8), np.array(0, np.int8)
    return lambda o, x: o.matmul_integer(x, o.const(w), *map(o.const, zeros))


def quantized(module: ModuleOp) -> None:
    """Quantize our network to 8-bit integers, by the ranges of the calibration inputs."""
    quantize(module, {"x0": CALIBRATION})


def onnx_runtime(work: Work, arrays: Sequence[np.ndarray]) -> Run:
    """Quantize the network by ONNX Runtime's own quantizer."""
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

    from bench.languages.onnx_graph import model
    from bench.languages.onnx_runtime import session

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self.rest = iter([{"x0": CALIBRATION}])

        def get_next(self) -> Any:
            return next(self.rest, None)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "quantized.onnx"
        logging.disable(logging.WARNING)  # advice on models that are not ready
        quantize_static(
            model(work, symbolic=True),
            file,
            Reader(),
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        logging.disable(logging.NOTSET)
        made = session(file.read_bytes())
    return lambda: made.run(None, {"x0": arrays[0]})[0]


def nobody(work: Work, arrays: Sequence[np.ndarray]) -> Run:
    raise MissingError("no quantizer that gives a module of integers alone")


def _perceptrons() -> Iterator[Work]:
    operations = 2 * sum(k * n for k, n in pairwise(LAYERS))
    for batch in (1, 16, 128):
        yield Work(
            f"int8 MLP, batch {batch}",
            perceptron(),
            (Input(("n", LAYERS[0])),),
            {"n": batch},
            batch * operations,
            core=batch == 128,
            static=False,
            tolerance=0.1,
            peers={
                "onnxruntime": onnx_runtime,
                **dict.fromkeys(("torch", "numpy", "tvm", "iree"), nobody),
            },
            expected=in_floats,
            prepare=quantized,
            unit="Gop/s",
        )


WORKS = (
    Work(
        "u8 x i8 -> i32 matmul, 512 cubed",
        by_constant(512),
        (Input(("m", 512), "ui8", 0, 255),),
        {"m": 512},
        2 * 512**3,
        core=True,
        tolerance=0,
        expected=exact,
        unit="Gop/s",
    ),
    *_perceptrons(),
)
