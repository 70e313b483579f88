"""The cases of `docs/shapes.md`, built with the BlockBuilder, and the page they make.

`python test/unit/shapes/cases.py` writes the page anew. Our column is inferred and run here, TVM's
is what `tvm_shapes.py` recorded in `tvm_shapes.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import verify
from relax_dialect.rewrites.shapes.propagate_shapes import propagate_shapes

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "shapes.md"
START = "<!-- test/unit/shapes/cases.py writes this table -->\n"
END = "<!-- end of the table -->\n"

RUNS: dict[str, list[list[Any]]] = json.loads((HERE / "runs.json").read_text("utf-8"))
TVM: dict[str, Any] = json.loads((HERE / "tvm_shapes.json").read_text("utf-8"))


def t(*dims: object, dtype: str = "f32") -> TensorType:
    return TensorType(dims, dtype)  # pyright: ignore[reportArgumentType]


def _after_cast(bb: BlockBuilder, x: Any, w: Any, z: Any) -> Any:
    return bb.emit(bb.match_cast(x @ w, t("p", 4)) + z)


class Case(NamedTuple):
    """A row of the table, and the program that proves it."""

    shown: str
    types: Sequence[TensorType | ShapeType]
    body: Callable[..., Any]


CASES: dict[str, Case] = {
    "broadcast": Case(
        "`x + y`, x: `[n]`, y: `[m]`",
        [t("n"), t("m")],
        lambda bb, x, y: bb.emit(x + y),
    ),
    "broadcast_again": Case(
        "`(x + y) * x`, x: `[n]`, y: `[m]`",
        [t("n"), t("m")],
        lambda bb, x, y: bb.emit((x + y) * x),
    ),
    "match_cast": Case(
        "`match_cast(x @ w, [p, 4]) + z`, x: `[n, k]`, w: `[k, m]`, z: `[n, m]`",
        [t("n", "k"), t("k", "m"), t("n", "m")],
        _after_cast,
    ),
    "matmul": Case(
        "`x @ w`, x: `[n, k]`, w: `[k2, m]`",
        [t("n", "k"), t("k2", "m")],
        lambda bb, x, w: bb.emit(x @ w),
    ),
    "reshape": Case(
        "`reshape(x, [-1, 2])`, x: `[n]`",
        [t("n")],
        lambda bb, x: bb.emit(op.reshape(x, [-1, 2])),
    ),
    "reshape_even": Case(
        "`reshape(x, [-1, 2])`, x: `[2 * m]`, y: `[m]`",
        [t("2 * m"), t("m")],
        lambda bb, x, y: bb.emit(op.reshape(x, [-1, 2])),
    ),
    "shape_parameter": Case(
        "`exp(x)`, x: `[2 * (m floordiv 2)]`, s: the shape `[m]`",
        [t("2 * (m floordiv 2)"), ShapeType(["m"])],
        lambda bb, x, s: bb.emit(op.exp(x)),
    ),
    "other_input": Case(
        "`exp(x)`, x: `[2 * (m floordiv 2)]`, y: `[m]`",
        [t("2 * (m floordiv 2)"), t("m")],
        lambda bb, x, y: bb.emit(op.exp(x)),
    ),
    "if": Case(
        "`x if c else y`, x: `[n, 4]`, y: `[n, 8]`",
        [t(dtype="i1"), t("n", 4), t("n", 8)],
        lambda bb, c, x, y: bb.if_(c, lambda: x, lambda: y),
    ),
}


def build(name: str) -> ModuleOp:
    """The program of a case, with the facts it proves used."""
    case = CASES[name]
    bb = BlockBuilder()
    with bb.function("main", [(f"x{i}", type) for i, type in enumerate(case.types)]) as params:
        bb.emit_func_output(case.body(bb, *params))
    module = bb.get()
    propagate_shapes(module)
    verify(module)
    return module


def inferred(module: ModuleOp) -> str:
    """The shape of what the function returns."""
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    type = function.return_op.value.type
    assert isinstance(type, TensorType)
    return dims_text(type.shape)


def argument(value: Any) -> Any:
    """`[2, 3]` is an array of that shape, `{"shape": [5]}` a shape, `true` a boolean."""
    if isinstance(value, bool):
        return np.array(value)
    if isinstance(value, dict):
        return tuple(value["shape"])
    return np.ones(value, np.float32)


def outcomes(call: Callable[..., Any], calls: Sequence[Sequence[Any]]) -> list[str]:
    """The shape of the result, or an error, for each call."""
    found: list[str] = []
    for arguments in calls:
        try:
            found.append(str(list(call(*(argument(a) for a in arguments)).shape)))
        except RelaxError:
            found.append("error")
    return found


def interpreted(name: str, module: ModuleOp) -> list[str]:
    return outcomes(lambda *args: run(module, "main", *args), RUNS[name])


def compiled(name: str, module: ModuleOp) -> list[str]:
    return outcomes(lowering.compile(module).main, RUNS[name])


def _size_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value["shape"] if isinstance(value, dict) else value)


def _row(name: str) -> str:
    module = build(name)
    ours, theirs = interpreted(name, module), TVM["cases"][name]
    calls = ["; ".join(map(_size_text, call)) for call in RUNS[name]]

    def cell(runs: Sequence[str]) -> str:
        if len(runs) == 1 < len(calls):
            return runs[0]
        return "<br>".join(f"`{call}`: {found}" for call, found in zip(calls, runs))

    texts = [
        CASES[name].shown,
        f"`{inferred(module)}`",
        f"`{theirs['infers']}`",
        cell(ours),
        cell(theirs["runs"]),
    ]
    return f"| {' | '.join(texts)} |"


def table() -> str:
    """The rows, produced now."""
    header = [
        f"| program | we infer | TVM {TVM['version']} infers | ours, run | TVM's, run |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*header, *map(_row, CASES)]) + "\n"


def split_page() -> tuple[str, str, str]:
    """The page before the table, the table, and the page after it."""
    before, found, rest = PAGE.read_text("utf-8").partition(START)
    assert found, f"{PAGE} has no line {START!r}"
    old, found, after = rest.partition(END)
    assert found, f"{PAGE} has no line {END!r}"
    return before, old, after


if __name__ == "__main__":
    before, _, after = split_page()
    PAGE.write_text(f"{before}{START}{table()}{END}{after}", "utf-8")
