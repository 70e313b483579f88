"""Calls of operators of detection whose results TVM pads."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from relax_dialect.frontends.tvmscript.calls.arguments import (
    Special,
    argument,
    op_made,
    optional,
    text,
)
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_values import Several
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import unique_name
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.detection import AllClassNonMaxSuppressionOp
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.shapes import ShapeToTensorOp

OPERANDS = ("boxes", "scores", "max_output_boxes_per_class", "iou_threshold", "score_threshold")


def _all_class_non_max_suppression(reader: Expressions, node: ast.Call) -> Any:
    """The selected rows and their number: TVM's tensor has more rows, which hold nothing."""
    given = optional(node, len(OPERANDS), "output_format")
    form = "onnx" if given is None else text(reader, given)
    if form != "onnx":
        raise Unreadable(
            node,
            f"expected output_format='onnx', found '{form[:40]}'; take the scores of the selected boxes "
            "by R.gather_nd",
        )
    operands: list[SSAValue] = []
    for place, name in enumerate(OPERANDS):
        of = argument(node, place, name)
        operands.append(reader.value(of, reader.read(of)).value)
    rows = reader.made(node, op_made(node, AllClassNonMaxSuppressionOp, *operands))
    count = unique_name("selected", reader.builder.defined_variables)
    named = reader.made(node, MatchCastOp(rows.value, TensorType([count, 3], i64)))
    number = reader.made(node, ShapeToTensorOp(reader.made(node, ShapeOp([count])).value))
    return Several([named, number])


CALLS: Mapping[str, Special] = {
    "vision.all_class_non_max_suppression": _all_class_non_max_suppression,
}
