"""The results of TVM Relax, inferred and computed, in the cases of `docs/shapes.md`, printed as JSON.

It imports nothing of ours, so that it runs where TVM is installed (`pip install apache-tvm`):
`python test/unit/shapes/tvm_shapes.py > test/unit/shapes/tvm_shapes.json`. Written for TVM 0.27.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tvm  # pyright: ignore[reportMissingImports]
from tvm import relax, tirx  # pyright: ignore[reportMissingImports]
from tvm.relax import (  # pyright: ignore[reportMissingImports]
    BlockBuilder,
    ShapeType,
    TensorType,
    op,
)

CASES = json.loads((Path(__file__).parent / "runs.json").read_text("utf-8"))

n, m, k, k2, p = (tirx.Var(name, "int64") for name in ("n", "m", "k", "k2", "p"))


def t(*dims: object, dtype: str = "float32") -> TensorType:
    return TensorType(list(dims), dtype)


def after_cast(bb: BlockBuilder, x: Any, w: Any, z: Any) -> Any:
    product = bb.emit(op.matmul(x, w))
    return bb.emit(op.add(bb.match_cast(product, t(p, 4)), z))


def either(bb: BlockBuilder, c: Any, x: Any, y: Any) -> Any:
    return bb.emit(relax.If(c, relax.SeqExpr([], x), relax.SeqExpr([], y)))


PROGRAMS: dict[str, tuple[Sequence[Any], Callable[..., Any]]] = {
    "broadcast": ([t(n), t(m)], lambda bb, x, y: bb.emit(op.add(x, y))),
    "broadcast_again": (
        [t(n), t(m)],
        lambda bb, x, y: bb.emit(op.multiply(bb.emit(op.add(x, y)), x)),
    ),
    "match_cast": ([t(n, k), t(k, m), t(n, m)], after_cast),
    "matmul": ([t(n, k), t(k2, m)], lambda bb, x, w: bb.emit(op.matmul(x, w))),
    "reshape": ([t(n)], lambda bb, x: bb.emit(op.reshape(x, (-1, 2)))),
    "reshape_even": ([t(2 * m), t(m)], lambda bb, x, y: bb.emit(op.reshape(x, (-1, 2)))),
    "shape_parameter": (
        [t(2 * (m // 2)), ShapeType([m])],
        lambda bb, x, s: bb.emit(op.exp(x)),
    ),
    "other_input": ([t(2 * (m // 2)), t(m)], lambda bb, x, y: bb.emit(op.exp(x))),
    "if": ([t(dtype="bool"), t(n, 4), t(n, 8)], either),
}


def build(name: str) -> tuple[Any, Any]:
    """The module of a case, and the type of its result."""
    types, body = PROGRAMS[name]
    bb = BlockBuilder()
    params = [relax.Var(f"x{i}", type) for i, type in enumerate(types)]
    with bb.function("main", params):
        result = body(bb, *params)
        bb.emit_func_output(result)
    return bb.get(), result.ty


def shape_text(type: Any) -> str:
    """A type's shape as we spell it."""
    if type.shape is None:
        return "*" if type.ndim < 0 else f"[{', '.join(['?'] * type.ndim)}]"
    dims = getattr(type.shape, "values", ())
    text = f"[{', '.join(map(str, dims))}]".replace("//", "floordiv")
    return re.sub(r"T\.int64\((\d+)\)", r"\1", text)


def argument(value: Any) -> Any:
    """`[2, 3]` is an array of zeros of that shape, `{"shape": [5]}` a shape, `true` a boolean."""
    if isinstance(value, bool):
        return tvm.runtime.tensor(np.array(value))
    if isinstance(value, dict):
        return tvm.runtime.ShapeTuple(value["shape"])
    return tvm.runtime.tensor(np.zeros(value, "float32"))


def runs(module: Any, calls: Sequence[Sequence[Any]]) -> list[str]:
    """The shape of the result, or an error, for each call."""
    try:
        machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
    except Exception as error:
        print(error, file=sys.stderr)
        return ["does not compile"]
    found: list[str] = []
    for call in calls:
        try:
            found.append(str(list(machine["main"](*map(argument, call)).shape)))
        except Exception as error:
            print(call, error, file=sys.stderr)
            found.append("error")
    return found


def main() -> None:
    found: dict[str, Any] = {}
    for name in PROGRAMS:
        module, type = build(name)
        found[name] = {"infers": shape_text(type), "runs": runs(module, CASES[name])}
    json.dump({"version": tvm.__version__, "cases": found}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
