"""The output of `relax-schedule{print=true}`, given back as `{file=...}`, makes the same program to the byte.

Which schedules are chosen, and what they make, is in `chosen_schedules.txt`; `python test_round_trip.py` writes it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation

from lowering import lower
from lowering.pipeline import PASSES
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

RANDOM = np.random.default_rng(3)
CHOSEN = Path(__file__).with_name("chosen_schedules.txt")


def constant(*shape: int) -> Any:
    return const(RANDOM.standard_normal(shape).astype(np.float32))


def lstm(x: Any, *states: Any) -> Any:
    sizes = (1, 64, 5), (1, 64, 16), (1, 64), (1, 64)
    return op.lstm(x, *states, *(constant(*size) for size in sizes), direction="forward")


def planes(x: Any, g: Any) -> Any:
    return op.instance_norm(x, g, g, channel_axis=1, axes=[2, 3])


def bytes_product(x: Any, w: Any) -> Any:
    return op.matmul(op.astype(x, "i8"), op.astype(w, "i8"), out_dtype="i32")


def constant_bytes(x: Any) -> Any:
    weights = const(RANDOM.integers(-128, 127, (42, 20)).astype(np.int8))
    return op.matmul(op.astype(x, "ui8"), weights, out_dtype="i32")


def bytes_image(x: Any) -> Any:
    weights = const(RANDOM.integers(-128, 127, (16, 3, 3, 3)).astype(np.int8))
    return op.conv2d(op.astype(x, "ui8"), weights, padding=[1, 1], out_dtype="i32")


def narrow(depth: int, columns: int) -> Any:
    """Weights of four bits in two groups."""
    codes = np.arange(depth * columns).reshape(depth, columns) % 15 - 7
    scales = np.linspace(1, 2, 2 * columns, dtype=np.float32).reshape(2, columns)
    own = const(codes.astype(np.int8)), const(scales), const(np.int8(0))
    return op.dequantize(*own, axis=0, block_size=depth // 2)


PROGRAMS: Mapping[str, tuple[Sequence[str], Callable[..., Any]]] = {
    "arguments": (("n k", "k m"), op.matmul),
    "turned": (("n k", "m k"), lambda x, w: op.relu(op.linear(x, w))),
    "constant": (("n 40",), lambda x: op.relu(op.matmul(x, constant(40, 50)))),
    "narrow": (("n 64",), lambda x: op.matmul(x, narrow(64, 50))),
    "batches": (("b n k", "b k m"), op.matmul),
    "constant_batches": (("3 n 40",), lambda x: op.matmul(x, constant(3, 40, 50))),
    "collapsed": (("b n 40", "40 50"), op.matmul),
    "small": (("b 2 2", "2 2"), op.matmul),
    "image": (("n 3 h w",), lambda x: op.relu(op.conv2d(x, constant(24, 3, 3, 3), padding=[1, 1]))),
    "strided": (("1 3 30 30",), lambda x: op.conv2d(x, constant(16, 3, 2, 3), strides=[2, 2])),
    "points": (("n 8 h w",), lambda x: op.conv2d(x, constant(16, 8, 1, 1), padding=[1, 1])),
    "filters": (("1 3 h w", "16 3 3 3"), lambda x, w: op.conv2d(x, w, padding=[1, 1])),
    "few": (("n 3 h w",), lambda x: op.relu(op.conv2d(x, constant(5, 3, 3, 3), padding=[1, 1]))),
    "groups": (
        ("n 8 h w",),
        lambda x: op.conv2d(x, constant(16, 4, 3, 3), padding=[1, 1], groups=2),
    ),
    "narrow_line": (("n 3 w",), lambda x: op.conv1d(x, constant(2, 3, 3), padding=[1])),
    "narrow_groups": (("n 6 h w",), lambda x: op.conv2d(x, constant(9, 2, 3, 3), groups=3)),
    "depthwise": (
        ("n 6 h w",),
        lambda x: op.relu(op.conv2d(x, constant(6, 1, 3, 3), padding=[1, 1], groups=6)),
    ),
    "depthwise_strided": (
        ("1 6 13 21", "6 1 5 3"),
        lambda x, w: op.conv2d(x, w, strides=[2, 2], groups=6),
    ),
    "channels_last": (
        ("n h w 8",),
        lambda x: op.conv2d(x, constant(17, 8, 3, 3), padding=[1, 1], data_layout="NHWC"),
    ),
    "phases": (
        ("n 4 h w",),
        lambda x: op.relu(
            op.conv2d_transpose(x, constant(4, 24, 4, 4), strides=[2, 2], padding=[1, 1])
        ),
    ),
    "line": (("n 4 w",), lambda x: op.conv1d(x, constant(16, 4, 3), padding=[1])),
    "volume": (("n 2 5 6 w",), lambda x: op.conv3d(x, constant(8, 2, 3, 3, 3))),
    "pool": (("n 3 h w",), lambda x: op.max_pool2d(x, pool_size=3, strides=2, padding=1)),
    "pool_last": (
        ("n h w 20",),
        lambda x: op.avg_pool2d(x, pool_size=[2, 3], padding=1, layout="NHWC"),
    ),
    "pool_line": (("n 3 w",), lambda x: op.avg_pool1d(x, pool_size=3, padding=1)),
    "pool_volume": (("1 3 6 7 30",), lambda x: op.max_pool3d(x, pool_size=2, strides=2)),
    "joined": (("n m 3", "n m 3"), op.add),
    "images": (("n h w c",), lambda x: op.permute_dims(x, [0, 3, 1, 2])),
    "mixed": (("n m", "m n"), lambda x, y: op.add(op.relu(x), op.permute_dims(y, [1, 0]))),
    "known": (("100 3 30 20",), lambda x: op.exp(op.permute_dims(x, [3, 1, 2, 0]))),
    "bytes": (("n k", "k m"), bytes_product),
    "constant_bytes": (("n 42",), constant_bytes),
    "bytes_image": (("n 3 h w",), bytes_image),
    "sums": (("n m",), lambda x: op.sum(x, axis=[1])),
    "means": (("n c h w",), lambda x: op.mean(x, axis=[2, 3])),
    "places": (("n m",), lambda x: op.argmax(x, axis=1)),
    "places_of_known_length": (("n 64",), lambda x: op.argmin(x, axis=1)),
    "channels": (("n c 5 8",), lambda x: op.relu(op.sum(x, axis=[0, 2, 3]))),
    "softmax": (("n m",), op.softmax),
    "rows_of_known_length": (("n 64",), op.softmax),
    "norm": (("100 50 40", "40"), lambda x, g: op.relu(op.layer_norm(x, g, g, axes=[-1]))),
    "planes": (("n 3 h w", "3"), planes),
    "attention": (("b n 4 8", "b m 4 8", "b m 4 5", "b 4 n m"), op.attention),
    "causal": (("2 100 3 16",) * 3, lambda *x: op.attention(*x, causal_mask="TopLeft")),
    "short_sums": (("n 12",), lambda x: op.sum(x, axis=[1])),
    "turned_bytes": (("n m:i8",), lambda x: op.permute_dims(x, [1, 0])),
    "turned_doubles": (("n m:f64",), lambda x: op.permute_dims(x, [1, 0])),
    "turned_halves": (("100 90:f16",), lambda x: op.permute_dims(x, [1, 0])),
    "single_places": (("n 8 4 4",), lambda x: op.conv2d(x, constant(16, 8, 4, 4))),
    "few_places": (
        ("6 8 4 5", "20 8 4 4"),
        lambda x, w: op.relu(op.conv2d(x, w, padding=[1, 1])),
    ),
    "few_images": (("n 8 6 6", "20 8 6 6"), lambda x, w: op.conv2d(x, w, padding=[1, 1])),
    "dilated": (("n 3 h w",), lambda x: op.conv2d(x, constant(5, 3, 3, 3), dilation=[2, 1])),
    "pool_bytes": (("n 3 h 40:i8",), lambda x: op.max_pool2d(x, pool_size=3, padding=1)),
    "integer_places": (("n m:i32",), lambda x: op.argmax(x, axis=1)),
    "unsigned_places": (("9 m:ui32",), lambda x: op.argmin(x, axis=1)),
    "sums_of_halves": (("n m:f16",), lambda x: op.sum(x, axis=[1])),
    "maxima_of_integers": (("n 40:i32",), lambda x: op.max(x, axis=[1])),
    "doubles": (("n 7:f64", "7 50:f64"), op.matmul),
    "halves": (("n k:f16", "k m:f16"), op.matmul),
    "integers": (("12 k:i32", "k 24:i32"), op.matmul),
    "squares": (("64 64", "64 64"), lambda x, w: op.relu(op.matmul(x, w))),
    "vector": (("n k", "k"), op.matmul),
    "vectors": (("b k", "b k m"), op.matmul),
    "oblong": (("130 70", "70 203"), op.matmul),
    "image_of_doubles": (("1 3 9 w:f64", "16 3 3 3:f64"), op.conv2d),
    "norm_of_doubles": (("n m:f64", "m:f64"), lambda x, g: op.rms_norm(x, g, axes=[-1])),
    "steps": (("l n 5", "1 n 16", "1 n 16"), lstm),
}
"""The shapes of arguments, with the type where it is not f32, and what is computed of them."""


def bufferized(name: str) -> ModuleOp:
    """A program as `relax-schedule` takes it."""
    shapes, make = PROGRAMS[name]
    builder = BlockBuilder()
    types: dict[str, TensorType] = {}
    for number, (shape, _, dtype) in enumerate(text.partition(":") for text in shapes):
        sizes = [int(size) if size.isdigit() else size for size in shape.split()]
        types[f"x{number}"] = TensorType(sizes, dtype or "f32")
    with builder.function("main", types) as values:
        builder.emit_func_output(builder.emit(make(*values)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    names = [*PASSES]
    return lower(module, names[: names.index("relax-schedule")], cpu="x86-64-v3")


def kind(op: Operation) -> str:
    """What a summary counts: the name of an op, the number of a constant, the type of a buffer."""
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return str(op.value.value.data)
    if isinstance(op, memref.AllocOp | memref.AllocaOp):
        return f"{op.name} {op.memref.type}"
    return op.name


def summary(printed: str, module: ModuleOp) -> str:
    """The schedules of a program, and how often each kind of op is there afterwards."""
    counts = Counter(kind(op) for f in module.ops if f.name == "func.func" for op in f.walk())
    made = ", ".join(f"{text} ({number})" for text, number in sorted(counts.items()))
    return f"{printed}-> {made}\n"


def scheduled(module: ModuleOp, options: str = "") -> str:
    """Schedule a program; gives what is printed."""
    with redirect_stderr(StringIO()) as printed:
        lower(module, [f"relax-schedule{{cpu=x86-64-v3 print=true{options}}}"])
    return printed.getvalue()


def chosen() -> Mapping[str, str]:
    """The summaries that are noted, by program."""
    _, *parts = CHOSEN.read_text().split("== ")
    return dict(part.split("\n", 1) for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_printed_schedules_give_the_same_program(name: str, tmp_path: Path):
    whole, again = (module := bufferized(name)).clone(), module
    (file := tmp_path / "printed.schedule").write_text(printed := scheduled(whole))
    assert scheduled(again, f' file="{file}"') == printed
    assert str(again) == str(whole)
    assert summary(printed, whole) == chosen()[name], f"python {sys.argv[0]} writes {CHOSEN.name}"


if __name__ == "__main__":
    texts = ["Schedules for x86-64-v3, and the ops that they make\n"]
    for name in PROGRAMS:
        printed = scheduled(module := bufferized(name))
        texts.append(f"{name}\n{summary(printed, module)}")
    CHOSEN.write_text("== ".join(texts))
