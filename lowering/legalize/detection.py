"""Operators on the boxes that an object detector finds, by images; f16 and bf16 are computed in f32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lowering.legalize import all_class_suppression  # noqa: F401 - its rule
from lowering.legalize.demands import requirements
from lowering.legalize.imperative_parts import increment, key_type, merge_sort, precedes
from lowering.legalize.registry import legalize
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.detection import GetValidCountsOp, NonMaxSuppressionOp
from relax_dialect.prim.run_time_checks import demanded, hole
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


@legalize(GetValidCountsOp)
def get_valid_counts(op: GetValidCountsOp, data: te.Tensor) -> Sequence[te.Tensor]:
    """Write each valid row after the last one; the rest becomes -1."""
    batch, boxes, numbers = data.shape
    inner = wide(data.dtype)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        counts, found, indices = outs
        with ib.for_(batch, name="image") as image:
            count = ib.var(0, "index", name="count")
            with ib.for_(boxes, name="j") as j:
                valid = data[image, j, op.score_index].astype(inner) > op.score_threshold
                if op.id_index >= 0:
                    valid = valid & (data[image, j, op.id_index] >= 0)
                with ib.if_(valid):
                    with ib.for_(numbers, name="k") as k:
                        found[image, count.value, k] = data[image, j, k]
                    indices[image, count.value] = j.astype("i32")
                    increment(count)
            counts[image] = count.value.astype("i32")
            with ib.for_(count.value, boxes, name="j") as j:
                with ib.for_(numbers, name="k") as k:
                    found[image, j, k] = te.const(-1, data.dtype)
                indices[image, j] = -1

    return te.extern(
        [(batch,), data.shape, (batch, boxes)],
        [data],
        kernel,
        dtype=["i32", data.dtype, "i32"],
        name=["valid_count", "boxes", "indices"],
        requires=requirements(op, op.demands(data.shape)),
    )


@dataclass(frozen=True)
class Candidates:
    """The candidate boxes of an image, in the order of their scores."""

    ib: KernelBuilder
    op: NonMaxSuppressionOp
    rows: KernelBuffer
    places: KernelBuffer
    """The original index of each row in the image; -1 once it is suppressed."""
    count: te.Scalar

    def score(self, j: te.Scalar) -> te.Scalar:
        return self.rows[j, self.op.score_index].astype(wide(self.rows.dtype))

    def is_rival(self, j: te.Scalar, k: te.Scalar) -> te.Scalar:
        """Return whether row j may suppress row k."""
        alive = self.places[k] >= 0
        if not self.op.has_classes:
            return alive
        return alive & te.equal(self.rows[j, self.op.id_index], self.rows[k, self.op.id_index])

    def overlap(self, j: te.Scalar, k: te.Scalar) -> te.Scalar:
        """Return the common area of two rows, as a part of the area of both."""
        common, areas = None, []
        sides = [[self._side(row, axis) for axis in range(2)] for row in (j, k)]
        for (low, high), (other_low, other_high) in zip(*sides):
            length = te.maximum(te.minimum(high, other_high) - te.maximum(low, other_low), 0.0)
            common = length if common is None else common * length
        for (left, right), (top, bottom) in sides:
            areas.append((right - left) * (bottom - top))
        assert common is not None
        both = areas[0] + areas[1] - common
        return te.select(both <= 0, 0, common / both)

    def _side(self, row: te.Scalar, axis: int) -> tuple[te.Scalar, te.Scalar]:
        """Return the ends of a box along an axis."""
        start = self.op.coord_start + axis
        ends = [self.rows[row, at].astype(wide(self.rows.dtype)) for at in (start, start + 2)]
        return te.minimum(*ends), te.maximum(*ends)

    def may_keep(self, kept: te.Scalar) -> te.Scalar | None:
        """Return whether another box may be kept, None if any number may."""
        limit = self.op.max_output_size
        return kept < limit if limit > 0 else None

    def suppress(self) -> None:
        """Set the index of boxes that are suppressed or not considered to -1."""
        ib, op = self.ib, self.op
        kept = ib.var(0, "index", name="kept")
        with ib.for_(self.count, name="j") as j:
            keep = (self.places[j] >= 0) & (self.score(j) > 0)
            room = self.may_keep(kept.value)
            with ib.if_(keep if room is None else keep & room):
                increment(kept)
                with ib.for_(j + 1, self.count, name="k") as k, ib.if_(self.is_rival(j, k)):
                    covered = self.overlap(j, k) >= op.iou_threshold
                    with ib.if_(covered):
                        self.places[k] = -1
            with ib.else_():
                self.places[j] = -1

    def suppress_softly(self) -> None:
        """Move the boxes that are kept to the front, with the scores they have then."""
        ib, op, dtype = self.ib, self.op, wide(self.rows.dtype)
        kept, going = ib.var(0, "index", name="kept"), ib.var(True, "bool", name="going")
        with ib.while_(lambda: going.value):
            best = ib.var(self.count, "index", name="best")
            highest = ib.var(te.const(op.score_threshold, dtype), name="highest")
            room = self.may_keep(kept.value)
            end = self.count if room is None else te.select(room, self.count, 0)
            with ib.for_(kept.value, end, name="j") as j:
                higher = (self.places[j] >= 0) & (self.score(j) > highest.value)
                with ib.if_(higher):
                    best.value = j
                    highest.value = self.score(j)
            going.value = best.value < self.count
            with ib.if_(going.value):
                first = ib.var(kept.value, name="first").value
                self._swap(first, best.value)
                with ib.for_(first + 1, self.count, name="k") as k:
                    rival = self.is_rival(first, k) & (self.score(k) > op.score_threshold)
                    with ib.if_(rival):
                        self._decay(first, k)
                increment(kept)
        with ib.for_(kept.value, self.count, name="j") as j:
            self.places[j] = -1

    def _swap(self, j: te.Scalar, k: te.Scalar) -> None:
        ib = self.ib
        place = ib.var(self.places[j], name="place").value
        self.places[j] = self.places[k]
        self.places[k] = place
        with ib.for_(self.rows.shape[1], name="c") as c:
            number = ib.var(self.rows[j, c], name="number").value
            self.rows[j, c] = self.rows[k, c]
            self.rows[k, c] = number

    def _decay(self, j: te.Scalar, k: te.Scalar) -> None:
        """Lower the score of row k by its overlap with row j."""
        ib, op, dtype = self.ib, self.op, wide(self.rows.dtype)
        part = ib.var(self.overlap(j, k), name="part").value
        with ib.if_(part >= op.iou_threshold):
            self.places[k] = -1
        with ib.else_():
            factor = te.exp(te.const(-0.5 / op.soft_nms_sigma, dtype) * part * part)
            self.rows[k, op.score_index] = (self.score(k) * factor).astype(self.rows.dtype)
            with ib.if_(self.score(k) <= op.score_threshold):
                self.places[k] = -1


@legalize(NonMaxSuppressionOp)
def non_max_suppression(
    op: NonMaxSuppressionOp, data: te.Tensor, counts: te.Tensor, indices: te.Tensor
) -> Sequence[te.Tensor]:
    """Non-maximum suppression image by image: sort, suppress, and write the results by the attributes."""
    batch, boxes, numbers = data.shape
    keys = key_type(data.dtype)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        rows = ib.allocate((boxes, numbers), data.dtype, name="rows")
        places = ib.allocate(boxes, "i64", name="places")
        scores = ib.allocate(boxes, keys, name="scores")
        others = [ib.allocate(boxes, t, name="merged") for t in (keys, "i64")]
        with ib.for_(batch, name="image") as image:
            count = checked_count(ib, counts[image].astype("i64"))
            with ib.for_(count, name="j") as j:
                scores[j] = data[image, j, op.score_index].astype(keys)
                places[j] = j.astype("i64")
            merged = [(scores, others[0]), (places, others[1])]
            merge_sort(ib, count, merged, precedes(data.dtype, descending=True))
            looked_at = te.minimum(count, op.top_k) if op.top_k > 0 else count
            with ib.for_(looked_at, name="j") as j, ib.for_(numbers, name="k") as k:
                rows[j, k] = data[image, places[j].astype("index"), k]
            found = Candidates(ib, op, rows, places, looked_at)
            if op.is_soft:
                found.suppress_softly()
            else:
                found.suppress()
            write(ib, found, image, list(outs))

    def checked_count(ib: KernelBuilder, count: te.Scalar) -> te.Scalar:
        inside = (count >= 0) & (count <= te.cast(boxes, "i64"))
        message = demanded(op.WITHIN, f"{{%0}} for {hole(boxes)}")
        ib.assert_(inside, f"{op.name}: {message}", shows=True)
        return ib.var(count.astype("index"), name="count").value

    def write(
        ib: KernelBuilder, found: Candidates, image: te.Scalar, outs: list[KernelBuffer]
    ) -> None:
        """The boxes kept, and -1 elsewhere."""
        out = outs.pop(0) if op.gives_boxes else None
        chosen, number = outs if op.return_indices else (None, None)
        with ib.for_(boxes, name="j") as j:
            if out is not None:
                with ib.for_(numbers, name="k") as k:
                    out[image, j, k] = te.const(-1, data.dtype)
            if chosen is not None:
                chosen[image, j] = -1
        kept = ib.var(0, "index", name="kept")
        with ib.for_(found.count, name="j") as j, ib.if_(found.places[j] >= 0):
            if out is not None:
                with ib.for_(numbers, name="k") as k:
                    out[image, kept.value if op.moves_up else j, k] = found.rows[j, k]
            if chosen is not None:
                place = found.places[j].astype("index")
                chosen[image, kept.value] = indices[image, place].astype("i32")
            increment(kept)
        if number is not None:
            number[image, 0] = kept.value.astype("i32")

    shapes, dtypes = [data.shape] * op.gives_boxes, [data.dtype] * op.gives_boxes
    if op.return_indices:
        shapes, dtypes = [*shapes, (batch, boxes), (batch, 1)], [*dtypes, "i32", "i32"]
    given = [data, counts, indices]
    requires = requirements(op, op.demands(*(x.shape for x in given)))
    found = te.extern(shapes, given, kernel, dtype=dtypes, name="out", requires=requires)
    return [found] if isinstance(found, te.Tensor) else found
