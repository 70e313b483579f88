"""Small networks to quantise, and what is asked of them quantised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.constant_values import const
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import ConstantOp

Array = np.ndarray[Any, Any]


def normal(seed: int, *shape: int, scale: float = 1) -> Array:
    """Random numbers, the same for the same seed."""
    numbers = np.random.default_rng(seed).standard_normal(shape)
    return (scale * numbers).astype(np.float32)


def network(shape: Sequence[Any], body: Callable[[Any], Any], dtype: str = "f32") -> ModuleOp:
    """A function @main of one tensor x in a dataflow block."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(shape, dtype)}) as (x,):
        with bb.dataflow():
            result = bb.emit_output(body(x))
        bb.emit_func_output(result)
    return bb.get()


def perceptron() -> ModuleOp:
    """Two layers: a matmul and a linear, with biases, a relu between them."""
    return network(
        ["n", 6],
        lambda x: op.linear(
            op.relu(x @ const(normal(1, 6, 9)) + const(normal(2, 9))),
            const(normal(3, 5, 9)),
            const(normal(4, 5)),
        ),
    )


def images() -> ModuleOp:
    """Two convolutions with a pool, and a matrix product over the channels."""

    def body(x: Any) -> Any:
        y = op.conv2d(x, const(normal(1, 8, 3, 3, 3)), 2, 1)
        y = op.max_pool2d(op.relu(y + const(normal(2, 8, 1, 1))), 3, 2, 1)
        y = op.max_pool2d(op.conv2d(y, const(normal(3, 4, 4, 3, 1)), 1, [1, 0], groups=2), 2)
        y = op.relu(op.permute_dims(y, [0, 2, 3, 1]))
        return y @ const(normal(4, 4, 5)) + const(normal(5, 5))

    return network(["n", 3, "h", "w"], body)


def names(module: ModuleOp) -> list[str]:
    """The ops of a module in the order of its text, without constants and blocks."""
    skipped = "constant", "module", "func", "dataflow", "output", "return"
    found = [each.name.rpartition(".")[2] for each in walk_ops(module)]
    return [name for name in found if name not in skipped]


def numbers(module: ModuleOp, name: str, *places: int) -> list[list[Array]]:
    """The constants that each op of a name has as operands at some places."""
    found: list[list[Array]] = []
    for each in walk_ops(module):
        if each.name == f"relax.{name}":
            owners = [each.operands[place].owner for place in places]
            found.append([from_dense(o.value) for o in owners if isinstance(o, ConstantOp)])
    return found
