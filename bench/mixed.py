"""A function of many different operators, and legalising it: one prim func for each that is distinct."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from bench.measuring import Table, cpu_seconds
from lowering.legalize import relax_legalize
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import ConstantOp

MOST_SECONDS = 1.5
BINDINGS = 1_000

Values = Mapping[str, Any]
Kind = Callable[[Values], Any]


SYMBOL = re.compile(r"\b[bhk]\d+\b")


def _operands(group: int, width: int) -> dict[str, TensorType]:
    """Return the operands of a group's operators; batch, height and a count of indices are symbolic."""
    b, h, k = (f"{letter}{group}" for letter in "bhk")
    shapes: dict[str, tuple[list[int | str], str]] = {
        "x": ([b, width], "f32"),
        "y": ([b, width], "f32"),
        "row": ([width], "f32"),
        "i": ([b, width], "i32"),
        "j": ([b, width], "i32"),
        "mask": ([b, width], "i1"),
        "weight": ([width, 16], "f32"),
        "places": ([k], "i32"),
        "signal": ([b, 4, width], "f32"),
        "taps": ([8, 4, 3], "f32"),
        "image": ([b, 4, h, width], "f32"),
        "filters": ([8, 4, 3, 3], "f32"),
        "channel": ([4], "f32"),
    }
    return {name: TensorType(shape, dtype) for name, (shape, dtype) in shapes.items()}


def _on(operands: str, names: str, **attributes: Any) -> Iterator[Kind]:
    """Yield operators on the same operands, with the same attributes."""

    def kind(name: str) -> Kind:
        return lambda v: getattr(op, name)(*(v[o] for o in operands.split()), **attributes)

    return map(kind, names.split())


KINDS: tuple[Kind, ...] = (
    *_on(
        "x", "negative abs sign square ceil floor round reciprocal exp log sqrt rsqrt sin cos tanh"
    ),
    *_on("x", "sigmoid erf isnan relu leakyrelu elu silu gelu softplus mish hard_swish"),
    *_on("x y", "add subtract multiply divide maximum minimum power less equal atan2"),
    *_on("x row", "add subtract multiply divide greater"),
    *_on("i", "negative abs sign square bitwise_not"),
    *_on("i j", "add multiply floor_divide floor_mod bitwise_and left_shift not_equal maximum"),
    *_on("x", "sum max mean variance argmax cumsum softmax sort", axis=-1),
    *_on("x", "sum min prod std argmin cumprod log_softmax argsort", axis=0),
    *_on("i", "sum max cumsum", axis=1),
    *_on("x", "sum mean permute_dims flatten tril zeros_like"),
    *_on("x", "expand_dims flip", axis=1),
    *_on("x places", "take", axis=0),
    *_on("x j", "gather_elements", axis=1),
    *_on("x weight", "matmul"),
    *_on("mask x y", "where"),
    *_on("x row row", "layer_norm", axes=-1),
    *_on("x row", "rms_norm", axes=-1),
    *_on("image channel channel channel channel", "batch_norm", training=False),
    *_on("signal taps", "conv1d", padding=1),
    *_on("image filters", "conv2d", padding=1),
    *_on("image", "max_pool2d avg_pool2d", pool_size=2, strides=2),
    *_on("image", "adaptive_avg_pool2d", output_size=1),
    lambda v: op.concat([v["x"], v["y"]], axis=0),
    lambda v: op.stack([v["x"], v["y"]], axis=1),
    lambda v: op.clip(v["x"], -1.0, 1.0),
    lambda v: op.astype(v["i"], "f32"),
    lambda v: op.tile(v["x"], [2, 1]),
    lambda v: op.repeat(v["x"], 2, axis=0),
    lambda v: op.pad(v["x"], [0, 0, 1, 1]),
    lambda v: op.topk(v["x"], 3, ret_type="values"),
    lambda v: op.one_hot(v["places"], 1.0, 0.0, 10),
)


def mixed(count: int, widths: int) -> ModuleOp:
    """Build `count` bindings, cycling through all kinds, each cycle on its own sizes; the widths repeat."""
    groups = [_operands(g, 8 * (g % widths + 1)) for g in range(-(-count // len(KINDS)))]
    params = {f"{name}{g}": t for g, group in enumerate(groups) for name, t in group.items()}
    builder = BlockBuilder()
    with builder.function("main", params) as values:
        named = dict(zip(params, values))
        places = [{name: named[f"{name}{g}"] for name in group} for g, group in enumerate(groups)]
        turns = ((kind, operands) for operands in places for kind in KINDS)
        with builder.dataflow():
            for kind, operands in islice(turns, count):
                builder.emit(kind(operands))
            result = builder.emit_output(values[0])
        builder.emit_func_output(result)
    return builder.get()


def operators(module: ModuleOp) -> list[OperatorOp]:
    """Return the operators of a module, in order."""
    return [o for o in module.walk() if isinstance(o, OperatorOp) and not isinstance(o, ConstantOp)]


def key(operator: OperatorOp) -> tuple[object, ...]:
    """Return the identity of an operator's prim func: kind, attributes, element types and shapes, up to the
    names of the symbols."""
    names: dict[str, str] = {}
    types = ", ".join(map(str, (*operator.operand_types, *operator.result_types)))
    pattern = SYMBOL.sub(lambda found: names.setdefault(found[0], f"s{len(names)}"), types)
    return operator.name, frozenset(operator.properties.items()), pattern


def prim_funcs(module: ModuleOp) -> int:
    """Count the prim funcs of a module."""
    return sum(isinstance(each, func.FuncOp) for each in module.ops)


def legalize() -> Table:
    """Time `relax-legalize` on a thousand bindings: with most repeated, and with none."""
    columns = ("widths", "operators", "distinct", "prim funcs", "seconds", "limit", "met")
    table = Table(f"Legalising {BINDINGS:,} bindings of {len(KINDS)} kinds of operators", columns)
    relax_legalize.legalize(mixed(len(KINDS), 1))  # all that is imported and cached is
    for widths in (1, 5, 10):
        module = mixed(BINDINGS, widths)
        keys, count = len(set(map(key, operators(module)))), len(operators(module))
        seconds = cpu_seconds(lambda module=module: relax_legalize.legalize(module))
        made = prim_funcs(module)
        verdicts = {
            table.limit(f"legalize, {widths} widths (s)", seconds, at_most=MOST_SECONDS),
            table.limit(
                f"legalize, {widths} widths, prim funcs", made, at_least=keys, at_most=keys
            ),
        }
        met = "NO" if "NO" in verdicts else "yes"
        table.rows.append((widths, count, keys, made, seconds, MOST_SECONDS, met))
    return table
