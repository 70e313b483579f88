"""Operators on regions of images; f16 and bf16 are computed in f32."""

from __future__ import annotations

from dataclasses import dataclass

from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest
from lowering.legalize.registry import legalize, result_shape
from lowering.legalize.windows import at, wide
from relax_dialect import te
from relax_dialect.ops.vision import RoiAlignOp
from relax_dialect.run_time_checks import demanded, hole
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType
from relax_dialect.te.kernel import Buffer, KernelBuilder


@dataclass(frozen=True)
class Bins:
    """The bins of a region along one axis: where they begin, how large they are, and how many samples
    lie in each."""

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
        """Where sample k of bin b is."""
        dtype = self.size.dtype
        place, number, count = (v.astype("i64").astype(dtype) for v in (b, k, self.count))
        return self.low + place * self.size + (number + 0.5) * self.size / count


@dataclass(frozen=True)
class Between:
    """A place between two elements of an axis, or too far outside of it."""

    inside: te.Scalar
    before: te.Scalar
    behind: te.Scalar
    distance: te.Scalar

    @staticmethod
    def of(ib: KernelBuilder, spot: te.Scalar, size: Expr, dtype: DType) -> Between:
        spot, length = ib.var(spot, name="spot").value, te.cast(size, str(dtype))
        place = te.maximum(te.minimum(spot, length - 1), 0.0)
        low = te.floor(place)
        before = ib.var(low.astype("index"), name="before").value
        behind = te.minimum(before + 1, size - 1)
        inside = (spot >= -1.0) & (spot <= length)
        return Between(inside, before, behind, ib.var(place - low, name="distance").value)


@legalize(RoiAlignOp)
def roi_align(op: RoiAlignOp, x: te.Tensor, rois: te.Tensor) -> te.Tensor:
    """Region by region, bin by bin, the samples of each."""
    layout, inner, shape = op.x_layout, wide(x.dtype), result_shape(op)
    size, out_size = dict(zip(layout, x.shape)), dict(zip(layout, shape))
    averages = op.mode == "avg"

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[Buffer]) -> None:
        with ib.for_(rois.shape[0], name="region") as region:
            number, x1, y1, x2, y2 = (rois[region, k].astype(inner) for k in range(5))
            length = te.cast(size["N"], str(inner))
            message = demanded(op.WITHIN, f"{{%0}} for a size of {hole(size['N'])}")
            ib.assert_((number >= 0) & (number < length), f"{op.name}: {message}", shows=True)
            image = ib.var(number.astype("index"), name="image").value
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
        """The mean or maximum of the samples in a bin."""
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
        """The four elements around a place, weighed by their distance."""

        def row(h: te.Scalar) -> te.Scalar:
            ends = [
                at(x, layout, {**index, "H": h, "W": w}).astype(inner) for w in (z.before, z.behind)
            ]
            return ends[0] * (1 - z.distance) + ends[1] * z.distance

        value = row(y.before) * (1 - y.distance) + row(y.behind) * y.distance
        return te.if_then_else(y.inside & z.inside, value, te.const(0, inner))

    requires = requirements(op, op.demands(size, tuple(rois.shape)))
    return te.extern(shape, [x, rois], kernel, dtype=x.dtype, name="out", requires=requires)
