"""Operators on regions of images: roi_align."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from relax_dialect import symbolic
from relax_dialect.ops.demands import Demand, not_empty, refuse_unmet
from relax_dialect.ops.indices import equal_sizes
from relax_dialect.ops.kinds import K_OUT_ELEMWISE_FUSABLE
from relax_dialect.ops.rules import common_dtype, require_float, require_one_of, tensor_type
from relax_dialect.ops.windows import LayoutOp, Numbers, Sizes, text_attribute
from relax_dialect.types import Dims, TensorType

Operand = SSAValue | Operation

MODES = ("avg", "max")
ELEMENTS, LEAVE_OUT = "x to have 1 or more elements", "leave the operator out for empty images"


@irdl_op_definition
class RoiAlignOp(LayoutOp):
    """Regions of images brought to one size, each row of `rois` being `[image, x1, y1, x2, y2]` (He and
    others, Mask R-CNN, 2017).

    A region, scaled by `spatial_scale`, is divided into `pooled_size` bins; an element of the result is
    the mean ("avg") or maximum ("max") of `sample_ratio` by `sample_ratio` samples in its bin, at equal
    distances, or of as many as the bin is high and wide, rounded up, where that is not positive.
    Samples weigh the four elements around them by their distance, the edge being repeated for one
    element; further out there are zeros, and a bin without samples is 0. With `aligned` the centre of
    the first element is at 1/2, else at 0, and regions are at least one element high and wide.

    (C3) x has 1 or more elements along each spatial axis; checked at run time where it is not proved.
    (C4) x and `rois` have one floating-point element type, which is that of the result.
    (C5) `rois` is a matrix with five columns; checked at run time where it is not proved.
    (C6) `pooled_size` is one number, or one for each spatial axis, of 1 or more.
    (C7) `mode` is one of those.

    Every image is within 0..size-1 of the batch, which is checked at run time.
    """

    name = "relax.roi_align"
    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE
    SPATIAL: ClassVar = "HW"
    WITHIN: ClassVar = "every image in 'rois' to be within 0..size-1 of the batch"

    x = operand_def(TensorType)
    rois = operand_def(TensorType)
    pooled_size = prop_def(DenseArrayBase)
    spatial_scale = prop_def(FloatAttr)
    sample_ratio = opt_prop_def(IntegerAttr)
    aligned = opt_prop_def(IntegerAttr)
    layout = opt_prop_def(StringAttr)
    mode = opt_prop_def(StringAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        rois: Operand,
        pooled_size: Numbers,
        spatial_scale: float,
        sample_ratio: int = -1,
        aligned: bool = False,
        layout: str | None = None,
        mode: str = "avg",
    ):
        super().__init__(
            x,
            rois,
            pooled_size=[pooled_size] if isinstance(pooled_size, int) else pooled_size,
            spatial_scale=FloatAttr(float(spatial_scale), f64),
            sample_ratio=None if sample_ratio == -1 else sample_ratio,
            aligned=True if aligned else None,
            layout=text_attribute(layout, self.letters),
            mode=text_attribute(mode, "avg"),
        )

    @property
    def pooled(self) -> tuple[int, ...]:
        """The numbers of bins along the spatial axes."""
        return self.per_axis("pooled_size", 1, 1, "C6")

    @property
    def scale(self) -> float:
        """What the coordinates of regions are multiplied with."""
        return float(self.spatial_scale.value.data)

    @property
    def samples(self) -> int:
        """The number of samples along each axis of a bin; not positive where the size of that decides."""
        return -1 if self.sample_ratio is None else int(self.sample_ratio.value.data)

    @property
    def takes(self) -> str:
        """What is made of the samples."""
        return "avg" if self.mode is None else self.mode.data

    def demands(self, x: Sizes, rois: Dims) -> Iterator[Demand]:
        """What must hold of the sizes, as far as they are known."""
        yield from not_empty([x["H"], x["W"]], self.SPATIAL, ELEMENTS, "C3", LEAVE_OUT)
        expected = "five numbers in a row of 'rois' (C5)"
        yield from equal_sizes(expected, rois[1], symbolic.const(5), "give [image, x1, y1, x2, y2]")

    def infer(self) -> Sequence[Attribute]:
        type, rois, sizes = tensor_type(self.x), tensor_type(self.rois), self.x_sizes
        dtype = common_dtype(self, type, rois, "C4")
        require_float(self, type, "C4")
        require_float(self, rois, "C4")
        require_one_of(self, "mode", self.takes, MODES, "C7")
        if rois.rank not in (None, 2):
            self.fail("a matrix 'rois' (C5)", str(rois), "give rows [image, x1, y1, x2, y2]")
        shape = rois.shape or (None, None)
        refuse_unmet(self, self.demands(sizes, shape))
        extents = [symbolic.const(size) for size in self.pooled]
        return (TensorType.get(self.laid_out(shape[0], sizes["C"], extents), dtype),)


OPS: list[type[Operation]] = [RoiAlignOp]
