"""Operators on regions of images: roi_align, roi_pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.demands import Demand, not_empty, refuse_unmet
from relax_dialect.ops.fields import Axes, Operand, flag, integer, ints, real, string, tensor
from relax_dialect.ops.indices import equal_sizes
from relax_dialect.ops.kinds import FOLLOW, K_OUT_ELEMWISE_FUSABLE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import FLOAT, Rank, tensor_type
from relax_dialect.ops.windows import ELEMENTS, LayoutOp, Sizes, each_axis, image_layout

FARTHEST = 2**30
"""So far from an image an edge is taken to be that is farther."""
LEAVE_OUT = "leave the operator out for empty images"


class RegionsOp(LayoutOp):
    """Regions of images brought to one size, each row of `rois` being `[image, x1, y1, x2, y2]`.

    (C3) x has 1 or more elements along each spatial axis; checked at run time unless proved.
    (C4) x and `rois` have one floating-point element type, which is that of the result.
    (C5) `rois` is a matrix with five columns; checked at run time unless proved.
    (C6) `pooled_size` is one number, or one for each spatial axis, of 1 or more.
    """

    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE
    PRECISION: ClassVar = FOLLOW
    SPATIAL: ClassVar = "HW"
    WITHIN: ClassVar = "every image in 'rois' to be within 0..size-1 of the batch"

    x: Operand = tensor(FLOAT.by("C4"))
    rois: Operand = tensor(FLOAT.by("C4"), Rank(2, "C5", "pass rows [image, x1, y1, x2, y2]"))
    pooled_size: Axes = ints(meaning=each_axis)
    spatial_scale: float = real()

    @property
    def pooled(self) -> tuple[int, ...]:
        """The numbers of bins along the spatial axes."""
        return self.per_axis("pooled_size", 1, "C6")

    def demands(self, x: Sizes, rois: Dims) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        yield from not_empty([x["H"], x["W"]], self.SPATIAL, ELEMENTS, "C3", LEAVE_OUT)
        expected = "five numbers in a row of 'rois' (C5)"
        yield from equal_sizes(expected, rois[1], symbolic.const(5), "pass [image, x1, y1, x2, y2]")

    def infer(self) -> Sequence[Attribute]:
        type, rois, sizes = tensor_type(self.x), tensor_type(self.rois), self.x_sizes
        dtype = common_dtype(self, type, rois, "C4")
        shape = rois.shape or (None, None)
        refuse_unmet(self, self.demands(sizes, shape))
        extents = [symbolic.const(size) for size in self.pooled]
        return (TensorType.get(self.laid_out(shape[0], sizes["C"], extents), dtype),)


@operator("relax.roi_align")
class RoiAlignOp(RegionsOp):
    """Regions of images resampled to one size; each row of `rois` is `[image, x1, y1, x2, y2]` (He and
    others, Mask R-CNN, 2017).

    A region, scaled by `spatial_scale`, is divided into `pooled_size` bins; an element of the result is the
    mean ("avg") or maximum ("max") of `sample_ratio` by `sample_ratio` samples in its bin, at equal
    distances, or of as many as the bin is high and wide, rounded up, if that is not positive. A sample
    weights the four elements around it by their distance; the edge is repeated for one element, further out
    there are zeros, and a bin without samples is 0. With `aligned` the centre of the first element is at
    1/2, else at 0, and regions are at least one element high and wide. Mode "max_addend" is the largest of
    the four weighted elements of all samples, not of their sums, as ONNX defines its maximum.

    (C7) `mode` is one of those.

    Every image is within 0..size-1 of the batch, which is checked at run time.
    """

    sample_ratio: int = integer(default=-1)
    aligned: bool = flag(default=False)
    layout: str = image_layout()
    mode: str = string(default="avg", among=("avg", "max", "max_addend"), constraint="C7")


@operator("relax.roi_pool")
class RoiPoolOp(RegionsOp):
    """The maxima of equal parts of regions, each row of `rois` being `[image, x1, y1, x2, y2]` (Girshick,
    Fast R-CNN, 2015; ONNX's MaxRoiPool).

    The edges of a region, scaled by `spatial_scale` and rounded to the nearest element (half-way away from
    zero), belong to it; it is at least one element high and wide. Of its h rows, bin p of `pooled_size`
    takes the rows from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up, as far as they are
    in the image, and likewise columns; the maximum is NaN if there is one, and 0 for an empty bin.

    Every image is within 0..size-1 of the batch, which is checked at run time.
    """

    layout: str = image_layout()


VISION = operators_in(globals())
