"""Operators on regions of images; f16 and bf16 are computed in f32."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add

from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest
from lowering.legalize.registry import legalize, result_shape
from lowering.legalize.windows import at, wide
from relax_dialect import te
from relax_dialect.ops.vision import FARTHEST, RegionsOp, RoiAlignOp, RoiPoolOp
from relax_dialect.prim.run_time_checks import demanded, hole
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType, limits
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


@dataclass(frozen=True)
class Bins:
    """The bins of a region along one axis: their begin, their size, and the number of samples in each."""

    low: te.Scalar
    size: te.Scalar
    count: te.Scalar

    @staticmethod
    def of(ib: KernelBuilder, op: RoiAlignOp, start: te.Scalar, end: te.Scalar, bins: int) -> Bins:
        shift = 0.5 if op.aligned else 0.0
        low, high = start * op.spatial_scale - shift, end * op.spatial_scale - shift
        extent = high - low if op.aligned else te.maximum(high - low, 1.0)
        size = ib.var(extent / float(bins), name="size").value
        count = te.maximum(te.ceil(size).astype("i64"), 0).astype("index")
        found = te.const(op.sample_ratio, "index") if op.sample_ratio > 0 else count
        return Bins(ib.var(low, name="low").value, size, ib.var(found, name="count").value)

    def spot(self, b: te.Scalar, k: te.Scalar) -> te.Scalar:
        """Return the coordinate of sample k of bin b."""
        dtype = self.size.dtype
        place, number, count = (v.astype("i64").astype(dtype) for v in (b, k, self.count))
        return self.low + place * self.size + (number + 0.5) * self.size / count


@dataclass(frozen=True)
class Between:
    """A position between two elements of an axis, or too far outside of it."""

    inside: te.Scalar
    before: te.Scalar
    after: te.Scalar
    distance: te.Scalar

    @staticmethod
    def of(ib: KernelBuilder, spot: te.Scalar, size: Expr, dtype: DType) -> Between:
        spot, length = ib.var(spot, name="spot").value, te.cast(size, str(dtype))
        place = te.maximum(te.minimum(spot, length - 1), 0.0)
        low = te.floor(place)
        before = ib.var(low.astype("index"), name="before").value
        after = te.minimum(before + 1, size - 1)
        inside = (spot >= -1.0) & (spot <= length)
        return Between(inside, before, after, ib.var(place - low, name="distance").value)


def checked_image(ib: KernelBuilder, op: RegionsOp, number: te.Scalar, size: Expr) -> te.Scalar:
    """Return the number of an image as an index, after a check that there is one."""
    inside = (number >= 0) & (number < te.cast(size, str(number.dtype)))
    message = demanded(op.WITHIN, f"{{%0}} for a size of {hole(size)}")
    ib.assert_(inside, f"{op.name}: {message}", shows=True)
    return ib.var(number.astype("index"), name="image").value


@legalize(RoiAlignOp)
def roi_align(op: RoiAlignOp, x: te.Tensor, rois: te.Tensor) -> te.Tensor:
    """Region by region, bin by bin, the samples of each."""
    layout, inner, shape = op.x_layout, wide(x.dtype), result_shape(op)
    size, out_size = dict(zip(layout, x.shape)), dict(zip(layout, shape))
    averages = op.mode == "avg"

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        with ib.for_(rois.shape[0], name="region") as region:
            image = checked_image(ib, op, rois[region, 0].astype(inner), size["N"])
            x1, y1, x2, y2 = (rois[region, k].astype(inner) for k in range(1, 5))
            rows = Bins.of(ib, op, y1, y2, op.pooled[0])
            columns = Bins.of(ib, op, x1, x2, op.pooled[1])
            letters = layout.replace("N", "")
            with nest(ib, [out_size[letter] for letter in letters]) as place:
                index = {"N": region, **dict(zip(letters, place))}
                value = pooled(ib, {**index, "N": image}, rows, columns)
                outs[0][tuple(index[letter] for letter in layout)] = value.astype(x.dtype)

    def pooled(
        ib: KernelBuilder, index: dict[str, te.Scalar], rows: Bins, columns: Bins
    ) -> te.Scalar:
        """Return the mean or maximum of the samples in a bin."""
        total = ib.var(te.const(0, inner), name="total")
        with ib.for_(rows.count, name="r") as r:
            y = Between.of(ib, rows.spot(index["H"], r), size["H"], inner)
            with ib.for_(columns.count, name="c") as c:
                z = Between.of(ib, columns.spot(index["W"], c), size["W"], inner)
                value = sampled(index, y, z)
                if averages:
                    total.value = total.value + value
                else:
                    first = (r <= 0) & (c <= 0)
                    total.value = te.select(first, value, te.maximum(total.value, value))
        if not averages:
            return total.value
        count = te.maximum(rows.count * columns.count, 1)
        return total.value / count.astype("i64").astype(inner)

    def sampled(index: dict[str, te.Scalar], y: Between, z: Between) -> te.Scalar:
        """Return the four elements around a position, weighted by their distance."""

        def ends(h: te.Scalar) -> list[te.Scalar]:
            seen = [
                at(x, layout, {**index, "H": h, "W": w}).astype(inner) for w in (z.before, z.after)
            ]
            return [seen[0] * (1 - z.distance), seen[1] * z.distance]

        def row(h: te.Scalar) -> te.Scalar:
            return reduce(add, ends(h))

        def largest(h: te.Scalar, part: te.Scalar) -> te.Scalar:
            return reduce(te.maximum, [end * part for end in ends(h)])

        if op.mode == "max_addend":
            value = te.maximum(largest(y.before, 1 - y.distance), largest(y.after, y.distance))
        else:
            value = row(y.before) * (1 - y.distance) + row(y.after) * y.distance
        return te.if_then_else(y.inside & z.inside, value, te.const(0, inner))

    requires = requirements(op, op.demands(size, tuple(rois.shape)))
    return te.extern(shape, [x, rois], kernel, dtype=x.dtype, name="out", requires=requires)


@dataclass(frozen=True)
class RegionBins:
    """The bins of a region along one axis of `size` elements."""

    start: te.Scalar
    extent: te.Scalar
    bins: int
    size: Expr

    @staticmethod
    def of(ib: KernelBuilder, low: te.Scalar, high: te.Scalar, bins: int, size: Expr) -> RegionBins:
        start, end = (ib.var(_nearest(edge), name="edge").value for edge in (low, high))
        extent = ib.var(te.maximum(end - start + 1, 1), name="extent").value
        return RegionBins(start, extent, bins, size)

    def ends(self, p: te.Scalar) -> tuple[te.Scalar, te.Scalar]:
        """Return the begin and end of bin p, clamped to the image."""
        place, size = p.astype("i64"), te.cast(self.size, "i64")
        low = te.floordiv(place * self.extent, self.bins)
        high = te.floordiv((place + 1) * self.extent + (self.bins - 1), self.bins)
        ends = (te.minimum(te.maximum(self.start + end, 0), size) for end in (low, high))
        first, last = (end.astype("index") for end in ends)
        return first, last


def _nearest(edge: te.Scalar) -> te.Scalar:
    """Return the element nearest to an edge, half-way away from zero, as i64."""
    size = te.abs(edge)
    whole = te.floor(size)
    rounded = whole + (size - whole >= 0.5).astype(edge.dtype)
    near = te.minimum(rounded, float(FARTHEST))
    return te.select(edge < 0, -near, near).astype("i64")


@legalize(RoiPoolOp)
def roi_pool(op: RoiPoolOp, x: te.Tensor, rois: te.Tensor) -> te.Tensor:
    """Region by region, bin by bin, the elements of each."""
    layout, inner, shape = op.x_layout, wide(x.dtype), result_shape(op)
    size, out_size = dict(zip(layout, x.shape)), dict(zip(layout, shape))
    letters = layout.replace("N", "")

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        with ib.for_(rois.shape[0], name="region") as region:
            image = checked_image(ib, op, rois[region, 0].astype(inner), size["N"])
            edges = [rois[region, k].astype(inner) * op.spatial_scale for k in range(1, 5)]
            x1, y1, x2, y2 = edges
            rows = RegionBins.of(ib, y1, y2, op.pooled[0], size["H"])
            columns = RegionBins.of(ib, x1, x2, op.pooled[1], size["W"])
            with nest(ib, [out_size[letter] for letter in letters]) as place:
                index = {"N": region, **dict(zip(letters, place))}
                top, bottom = rows.ends(index["H"])
                left, right = columns.ends(index["W"])
                largest = ib.var(te.const(limits(x.dtype)[0], inner), name="largest")
                with ib.for_(top, bottom, name="r") as r, ib.for_(left, right, name="c") as c:
                    value = at(x, layout, {**index, "N": image, "H": r, "W": c}).astype(inner)
                    largest.value = te.maximum(largest.value, value)
                found = te.select((top < bottom) & (left < right), largest.value, 0)
                outs[0][tuple(index[letter] for letter in layout)] = found.astype(x.dtype)

    requires = requirements(op, op.demands(size, tuple(rois.shape)))
    return te.extern(shape, [x, rois], kernel, dtype=x.dtype, name="out", requires=requires)
