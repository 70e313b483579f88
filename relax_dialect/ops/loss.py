"""Losses: how far predictions are from their targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
)

from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.comparison import (
    LossOp,
    PairLossOp,
    TensorPairOp,
    WeightedLossOp,
    one_reduction,
)
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.fields import Operand, OptionalOperand, flag, integer, one_axis, real, tensor
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import shared_dim, shared_dtype
from relax_dialect.ops.type_rules import FLOAT, INTEGER, LeastRank, Rank, tensor_type
from relax_dialect.prim.run_time_checks import demanded


@operator("relax.mse_loss")
class MseLossOp(PairLossOp):
    """The squared error `(prediction - target) ** 2`."""

    reduction: str = one_reduction()


@operator("relax.l1_loss")
class L1LossOp(PairLossOp):
    """The absolute error `abs(prediction - target)`."""

    reduction: str = one_reduction()


@operator("relax.smooth_l1_loss")
class SmoothL1LossOp(PairLossOp):
    """The absolute error less `beta / 2`, or `error ** 2 / (2 * beta)` where it is below beta (Girshick,
    2015).

    (C4) beta is not negative.
    """

    FIRST_IN_TEXT: ClassVar = ("beta",)

    reduction: str = one_reduction()
    beta: float = real(default=1.0, least=0, constraint="C4")


@operator("relax.huber_loss")
class HuberLossOp(PairLossOp):
    """`error ** 2 / 2` up to an absolute error of delta, `delta * (error - delta / 2)` beyond it (Huber,
    1964).

    (C4) delta is greater than 0.
    """

    FIRST_IN_TEXT: ClassVar = ("delta",)

    reduction: str = one_reduction()
    delta: float = real(default=1.0, above=0, constraint="C4")


@operator("relax.hinge_loss")
class HingeLossOp(PairLossOp):
    """`maximum(1 - target * prediction, 0)`, for targets that are 1 or -1."""

    reduction: str = one_reduction()


@operator("relax.hinge_embedding_loss")
class HingeEmbeddingLossOp(PairLossOp):
    """The prediction, a distance, where the target is 1, and `maximum(margin - prediction, 0)` where it
    is -1; both are added where it is neither."""

    FIRST_IN_TEXT: ClassVar = ("margin",)

    reduction: str = one_reduction()
    margin: float = real(default=1.0)


@operator("relax.soft_margin_loss")
class SoftMarginLossOp(PairLossOp):
    """`log(1 + exp(-target * prediction))`, without overflow, for targets that are 1 or -1."""

    reduction: str = one_reduction()


@operator("relax.kl_div")
class KlDivOp(PairLossOp):
    """The terms `target * (log(target) - prediction)` of the Kullback-Leibler divergence; predictions
    are logarithms, and so are targets with `log_target`. A target of 0 counts 0.

    (C3) `reduction` is "batchmean" besides: the sum, divided by the first size.
    (C4) With "batchmean" predictions have rank 1 or more.
    """

    FIRST_IN_TEXT: ClassVar = ("log_target",)

    reduction: str = one_reduction("batchmean")
    log_target: bool = flag(default=False)

    def infer(self) -> Sequence[Attribute]:
        if self.reduction == "batchmean":
            LeastRank(1, "C4").check(self, "predictions", tensor_type(self.predictions))
        return super().infer()


@operator("relax.poisson_nll_loss")
class PoissonNllLossOp(PairLossOp):
    """The negative log likelihood of a Poisson distribution: `exp(prediction) - target * prediction`, or
    `prediction - target * log(prediction + eps)` where `log_input` is false.

    With `full` it has Stirling's term `t * log(t) - t + log(2 * pi * t) / 2` for targets t above 1.
    """

    log_input: bool = flag(default=True)
    full: bool = flag(default=False)
    eps: float = real(default=1e-8)
    reduction: str = one_reduction()


@operator("relax.binary_cross_entropy")
class BinaryCrossEntropyOp(WeightedLossOp):
    """`-(target * log(prediction) + (1 - target) * log(1 - prediction))` for probabilities; logarithms
    are cut off at -100."""

    predictions: Operand = tensor()
    targets: Operand = tensor()
    weights: OptionalOperand = tensor(default=None)
    reduction: str = one_reduction()


@operator("relax.binary_cross_entropy_with_logits")
class BinaryCrossEntropyWithLogitsOp(WeightedLossOp):
    """The binary cross entropy of `sigmoid(prediction)`, without overflow and not cut off.

    `positive_weights` multiply its part with the target.
    """

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    predictions: Operand = tensor()
    targets: Operand = tensor()
    weights: OptionalOperand = tensor(default=None)
    reduction: str = one_reduction()
    positive_weights: OptionalOperand = tensor(default=None)


@operator("relax.cross_entropy_with_logits")
class CrossEntropyWithLogitsOp(TensorPairOp):
    """`-sum(predictions * labels) / n`, the cross entropy of log-probabilities; n is the first size of a
    tensor of rank 2 or more, else 1."""

    predictions: Operand = tensor()
    labels: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get((), self.common_type().dtype),)


@operator("relax.cosine_similarity")
class CosineSimilarityOp(TensorPairOp):
    """The cosine of the angle between vectors along an axis: their product, divided by their lengths,
    which count as eps at least.

    (C3) -rank <= axis < rank.
    """

    x1: Operand = tensor()
    x2: Operand = tensor()
    axis: int = one_axis("x1", "C3", default=1)
    eps: float = real(default=1e-8)

    def infer(self) -> Sequence[Attribute]:
        type = self.common_type()
        if type.shape is None:
            return (type,)
        place = self.axis_of(len(type.shape))
        return (TensorType.get((*type.shape[:place], *type.shape[place + 1 :]), type.dtype),)


@operator("relax.nll_loss")
class NllLossOp(LossOp):
    """The negative log likelihood `-weights[t] * predictions[n, t, ...]` of every target
    `t = targets[n, ...]`, 0 where t is `ignore_index`; the mean is divided by the weights of all targets
    that are not ignored.

    A target that is neither a class nor ignored is an error when the program runs.

    (C1) Predictions and weights have one floating-point element type, that of the result; targets are
         integers.
    (C2) predictions have the shape [n, classes, ...] and targets [n, ...], or [classes] and []; weights
         have one axis, [classes].
    """

    FIRST_IN_TEXT: ClassVar = ("ignore_index",)
    ELEMENTS: ClassVar = None

    predictions: Operand = tensor(FLOAT, LeastRank(1, "C2"))
    targets: Operand = tensor(INTEGER)
    weights: OptionalOperand = tensor(FLOAT, Rank(1, "C2", "flatten them"), default=None)
    reduction: str = one_reduction()
    ignore_index: int = integer(default=-100)

    def wrong_target(self, found: object, classes: object) -> str:
        """Return the message for a target that is no class."""
        return demanded(
            f"targets that are classes of predictions, or {self.ignore_index} for none",
            f"{found} for {classes} classes",
            "correct the targets, or ignore_index",
        )

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        predictions, targets, *others = shapes
        mend = "reshape or transpose the targets"
        if predictions is not None and targets is not None:
            rest = self.without_classes(predictions)
            if len(rest) != len(targets):
                expected = "targets with the axes of predictions but that of the classes (C2)"
                self.fail(expected, f"rank {len(targets)}", mend)
            for wanted, size in zip(rest, targets):
                yield from equal("targets of the sizes of predictions (C2)", size, wanted, mend)
        for weights in others:
            if predictions is not None and weights is not None:
                classes = predictions[0 if len(predictions) == 1 else 1]
                expected = "one weight for each class (C2)"
                yield from equal(expected, weights[0], classes, "correct the weights")

    def infer(self) -> Sequence[Attribute]:
        predictions, targets = tensor_type(self.predictions), tensor_type(self.targets)
        factors = [predictions, *([tensor_type(self.weights)] if self.weights else [])]
        dtype = shared_dtype(self, factors)
        shapes = [predictions.shape, targets.shape, *(weights.shape for weights in factors[1:])]
        refuse_unmet(self, self.demands(shapes))
        return (self.reduced(TensorType.get(self.losses(*shapes[:2]), dtype)),)

    def losses(self, predictions: Dims | None, targets: Dims | None) -> Dims | None:
        """Return the shape of the losses: that of the targets, as far as either operand determines it."""
        if predictions is None or targets is None:
            return targets if predictions is None else self.without_classes(predictions)
        pairs = zip(targets, self.without_classes(predictions))
        return tuple(shared_dim(self, pair, "of targets and predictions", "C2") for pair in pairs)

    @staticmethod
    def without_classes(predictions: Dims) -> Dims:
        """Return the shape of predictions but for the axis of the classes."""
        return predictions[:-1] if len(predictions) == 1 else (predictions[0], *predictions[2:])


OPS = operators_in(globals())
