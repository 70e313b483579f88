"""Operators on the boxes that an object detector finds: rows of a class, a score and four coordinates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import result_def, var_result_def

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.fields import Operand, OptionalOperand, flag, integer, real, tensor
from relax_dialect.ops.indices import at_most
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import FLOAT, INTEGER, Rank, tensor_type


class BoxesOp(OperatorOp):
    """An operator on `data` [batch, boxes, numbers]; attributes are indices of the numbers of a box.

    (C1) `data` has a floating-point element type.
    (C2) `data` has rank 3.
    (C3) Every such index is within a box; checked at run time unless proved.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE

    data: Operand = tensor(FLOAT, Rank(3, "C2", "reshape it to [batch, boxes, numbers]"))

    @abstractmethod
    def places(self) -> Mapping[str, int]:
        """Return the last indices that are read, by the attribute that names them."""

    def demands(self, data: Dims) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        for name, place in self.places().items():
            expected = f"'{name}' within a box (C3)"
            if place < 0:
                self.fail(expected, str(place), "count from zero")
            found = at_most(expected, symbolic.const(place + 1), data[2], f"correct '{name}'")
            yield from found

    def boxes_type(self) -> tuple[TensorType, Dims]:
        """Return the type of the boxes, and their sizes as far as they are known."""
        type = tensor_type(self.data)
        shape = type.shape or (None, None, None)
        return TensorType.get(shape, type.dtype), shape


@operator("relax.get_valid_counts")
class GetValidCountsOp(BoxesOp):
    """The boxes whose score is greater than `score_threshold`, and whose class is not negative, moved to
    the front of each image in their order; `id_index = -1` means that boxes have no class.

    The results are the number of boxes of each image [batch] as i32, the boxes, padded with rows of -1, and
    the index of each in `data` [batch, boxes] as i32, -1 for the padding.
    """

    score_threshold: float = real(default=0.0)
    id_index: int = integer(default=0, least=-1, constraint="C3")
    score_index: int = integer(default=1)
    valid_count = result_def(TensorType)
    boxes = result_def(TensorType)
    indices = result_def(TensorType)

    def places(self) -> Mapping[str, int]:
        classes = {} if self.id_index == -1 else {"id_index": self.id_index}
        return {"score_index": self.score_index, **classes}

    def infer(self) -> Sequence[Attribute]:
        type, shape = self.boxes_type()
        refuse_unmet(self, self.demands(shape))
        return TensorType.get(shape[:1], i32), type, TensorType.get(shape[:2], i32)


@operator("relax.non_max_suppression")
class NonMaxSuppressionOp(BoxesOp):
    """The boxes of each image that no box of a higher score covers: of the first `valid_count` ones, in the
    order of their scores, each that is kept suppresses those after it of its class whose common area with
    it is at least `iou_threshold` of the area of both. Boxes are corners, from `coord_start` on; boxes with
    a score of 0 or less are left out.

    `top_k` and `max_output_size` limit the numbers of boxes considered and kept, if they are positive.
    `force_suppress`, or `id_index = -1`, takes all boxes for one class. With `soft_nms_sigma` s > 0 a box
    with a smaller common part p gets the score `score * exp(-p * p / (2 * s))`, so that the highest score
    is looked for again after every box that is kept, and boxes with one of `score_threshold` or less are
    left out (Bodla and others, 2017).

    With `return_indices` the results are, in the order of the scores, the elements of `indices` at the
    boxes kept [batch, boxes] as i32, the rest -1, and their number [batch, 1] as i32; before them the
    boxes, if `soft_nms_sigma` is positive. Else the boxes are the only result: in the order of their
    scores, rows of -1 for those suppressed, which `invalid_to_bottom` moves after the others.

    (C4) `valid_count` and `indices` are integers of ranks 1 and 2, of the sizes of `data`; checked at run
         time unless proved.
    (C5) There are two results with `return_indices`, three if it is soft too, else one.

    Every count is from 0 to the number of boxes, which is checked at run time.
    """

    WITHIN: ClassVar = "every count in 'valid_count' to be from 0 to the number of boxes"

    valid_count: Operand = tensor(INTEGER.by("C4"), Rank(1, "C4"))
    indices: Operand = tensor(INTEGER.by("C4"), Rank(2, "C4"))
    max_output_size: int = integer(default=-1)
    iou_threshold: float = real(default=0.5)
    force_suppress: bool = flag(default=False)
    top_k: int = integer(default=-1)
    coord_start: int = integer(default=2)
    score_index: int = integer(default=1)
    id_index: int = integer(default=0, least=-1, constraint="C3")
    return_indices: bool = flag(default=True)
    invalid_to_bottom: bool = flag(default=False)
    soft_nms_sigma: float = real(default=0.0)
    score_threshold: float = real(default=0.0)
    outs = var_result_def(TensorType)

    RESULTS: ClassVar = "(C5)"

    @property
    def is_soft(self) -> bool:
        """Whether scores decay."""
        return self.soft_nms_sigma > 0

    @property
    def gives_boxes(self) -> bool:
        return self.is_soft or not self.return_indices

    @property
    def moves_up(self) -> bool:
        """Whether the kept boxes move to the front."""
        return self.is_soft or self.invalid_to_bottom

    @property
    def least_score(self) -> float:
        """A box that is kept has a greater score."""
        return self.score_threshold if self.is_soft else 0.0

    @property
    def has_classes(self) -> bool:
        """Whether a box suppresses only those of its class."""
        return not self.force_suppress and self.id_index >= 0

    @property
    def result_count(self) -> int:
        return self.gives_boxes + 2 * self.return_indices

    def places(self) -> Mapping[str, int]:
        last = -1 if self.coord_start < 0 else self.coord_start + 3
        classes = {"id_index": self.id_index} if self.has_classes else {}
        return {"score_index": self.score_index, "coord_start": last, **classes}

    def demands(
        self, data: Dims, counts: Dims = (None,), indices: Dims = (None, None)
    ) -> Iterator[Demand]:
        yield from super().demands(data)
        pairs = {"valid_count": (counts[0], data[0]), "indices": (indices[0], data[0])}
        for name, (size, wanted) in pairs.items():
            expected = f"'data' and '{name}' of one batch size (C4)"
            yield from equal(expected, size, wanted, "slice one of them")
        expected = "an element of 'indices' for each box (C4)"
        yield from equal(expected, indices[1], data[1], "slice or pad 'indices'")

    def infer(self) -> Sequence[Attribute]:
        boxes, shape = self.boxes_type()
        counts, indices = tensor_type(self.valid_count).shape, tensor_type(self.indices).shape
        refuse_unmet(self, self.demands(shape, counts or (None,), indices or (None, None)))
        chosen = TensorType.get(shape[:2], i32), TensorType.get((shape[0], symbolic.const(1)), i32)
        return [*([boxes] * self.gives_boxes), *(chosen if self.return_indices else ())]


@operator("relax.all_class_non_max_suppression", K_OPAQUE)
class AllClassNonMaxSuppressionOp(OperatorOp):
    """The boxes that no box of a higher score covers, by image and class (ONNX's NonMaxSuppression): rows
    `[image, class, box]`, those of an image and class in the order of their scores, of equal ones the
    first box first.

    `boxes` [batch, n, 4] are two opposite corners, with `center_point_box` centre, width and height;
    `scores` is [batch, classes, n]. A box whose score is not greater than `score_threshold` (or is NaN) is
    left out; one whose common area with a box that is kept is greater than `iou_threshold` of the area of
    both is suppressed. At most `max_output_boxes_per_class` are kept of each image and class.

    The number of rows is known when the program runs; a `relax.match_cast` names it.

    (C1) `boxes` and `scores` have one floating-point element type.
    (C2) `boxes` is [batch, n, 4] and `scores` [batch, classes, n]; checked at run time unless
         proved.
    (C3) The number of boxes is an integer, the thresholds are floating-point numbers, all of rank 0.
    """

    boxes: Operand = tensor(FLOAT, Rank(3, "C2", "reshape it to [batch, n, 4]"))
    scores: Operand = tensor(FLOAT, Rank(3, "C2", "reshape it to [batch, classes, n]"))
    max_output_boxes_per_class: Operand = tensor(INTEGER.by("C3"), Rank(0, "C3"))
    iou_threshold: Operand = tensor(FLOAT.by("C3"), Rank(0, "C3"))
    score_threshold: OptionalOperand = tensor(FLOAT.by("C3"), Rank(0, "C3"), default=None)
    center_point_box: bool = flag(default=False)

    def demands(self, boxes: Dims, scores: Dims) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        yield from equal("'boxes' and 'scores' of one batch size (C2)", boxes[0], scores[0], "")
        yield from equal("a score for each box (C2)", scores[2], boxes[1], "correct 'scores'")
        expected = "four numbers in a row of 'boxes' (C2)"
        yield from equal(expected, boxes[2], symbolic.const(4), "correct 'boxes'")

    def infer(self) -> Sequence[Attribute]:
        boxes, scores = tensor_type(self.boxes), tensor_type(self.scores)
        common_dtype(self, boxes, scores, "C1")
        unknown = (None, None, None)
        refuse_unmet(self, self.demands(boxes.shape or unknown, scores.shape or unknown))
        return (TensorType.get((None, symbolic.const(3)), i64),)


OPS = operators_in(globals())
