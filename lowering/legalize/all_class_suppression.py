"""Non-max suppression of all classes: the boxes that are kept, then as many rows as there are of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from lowering.legalize.demands import requirements
from lowering.legalize.imperative_parts import increment, key_type, merge_sort, precedes
from lowering.legalize.steps import Steps, legalize_steps
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.detection import AllClassNonMaxSuppressionOp
from relax_dialect.symbolic import Expr
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


def select(
    op: AllClassNonMaxSuppressionOp,
    boxes: te.Tensor,
    scores: te.Tensor,
    limit: te.Tensor,
    iou_threshold: te.Tensor,
    score_threshold: te.Tensor | None = None,
) -> Sequence[te.Tensor]:
    """Return the rows of the selected boxes, at the front of a matrix with capacity for all, and their
    number."""
    batch, classes, count = scores.shape
    inner, keys = wide(boxes.dtype), key_type(scores.dtype)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        rows, total = outs
        values, places, kept = (ib.allocate(count, t, name="v") for t in (keys, "i64", "i64"))
        merged = [(values, ib.allocate(count, keys)), (places, ib.allocate(count, "i64"))]
        found = ib.var(0, "index", name="found")
        most = ib.var(te.maximum(limit[()].astype("i64"), 0).astype("index"), name="most").value
        with ib.for_(batch, name="image") as image, ib.for_(classes, name="number") as number:
            seen, taken = (ib.var(0, "index", name=name) for name in ("seen", "taken"))
            with ib.for_(count, name="j") as j:
                score = scores[image, number, j].astype(wide(scores.dtype))
                if score_threshold is None:
                    some = ~te.isnan(score)
                else:
                    some = score > score_threshold[()].astype(score.dtype)
                with ib.if_(some):
                    values[seen.value] = score.astype(keys)
                    places[seen.value] = j.astype("i64")
                    increment(seen)
            merge_sort(ib, seen.value, merged, precedes(scores.dtype, descending=True))
            with ib.for_(seen.value, name="j") as j, ib.if_(taken.value < most):
                box = ib.var(places[j].astype("index"), name="box").value
                alone, k = ib.var(True, "bool", name="alone"), ib.var(0, "index", name="k")
                with ib.while_(
                    lambda alone=alone, k=k, taken=taken: alone.value & (k.value < taken.value)
                ):
                    alone.value = ~covers(ib, image, box, kept[k.value].astype("index"))
                    increment(k)
                with ib.if_(alone.value):
                    kept[taken.value] = box.astype("i64")
                    increment(taken)
                    for column, value in enumerate((image, number, box)):
                        rows[found.value, column] = value.astype("i64")
                    increment(found)
        total[0] = found.value.astype("i64")

    def covers(ib: KernelBuilder, image: te.Scalar, box: te.Scalar, other: te.Scalar) -> te.Scalar:
        """Return whether the common area of two boxes is too large a part of the area of both."""
        common, areas = [], []
        for axis in (0, 1):
            (low, high), (start, end) = (sides(image, row, axis) for row in (box, other))
            common.append(
                ib.var(te.minimum(high, end) - te.maximum(low, start), name="common").value
            )
            areas.append((high - low, end - start))
        area = ib.var(common[0] * common[1], name="area").value
        ours, theirs = (ib.var(a * b, name="whole").value for a, b in zip(*areas))
        apart = (common[0] <= 0) | (common[1] <= 0) | (area <= 0)
        valid = ~apart & (ours > 0) & (theirs > 0)
        return valid & (area / (ours + theirs - area) > iou_threshold[()].astype(inner))

    def sides(image: te.Scalar, row: te.Scalar, axis: int) -> tuple[te.Scalar, te.Scalar]:
        """Return the ends of a box along an axis."""
        first, second = (boxes[image, row, at].astype(inner) for at in (axis, axis + 2))
        if op.center_point_box:
            return first - second * 0.5, first + second * 0.5
        return te.minimum(first, second), te.maximum(first, second)

    inputs = [boxes, scores, limit, iou_threshold]
    inputs += [] if score_threshold is None else [score_threshold]
    return te.extern(
        [(batch * classes * count, 3), (1,)], inputs, kernel, dtype=["i64", "i64"],
        name=["rows", "total"], requires=requirements(op, op.demands(boxes.shape, scores.shape)),
    )  # fmt: skip


def first_rows(op: AllClassNonMaxSuppressionOp, rows: te.Tensor, size: Expr) -> te.Tensor:
    """Return the rows that were written."""
    return te.compute((size, 3), lambda i, j: rows[i, j], name="out")


@legalize_steps(AllClassNonMaxSuppressionOp)
def all_class_non_max_suppression(
    steps: Steps, op: AllClassNonMaxSuppressionOp, *operands: SSAValue | None
) -> Sequence[SSAValue]:
    """Select, count, then take the counted rows."""
    rows, total = steps.call(select, *(o for o in operands if o is not None))
    return steps.call(first_rows, rows, sizes=steps.sizes(total, "boxes"))
