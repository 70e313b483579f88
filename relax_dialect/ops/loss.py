"""Losses: how far predictions are from their targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
)

from relax_dialect.ops.comparison import (
    REDUCTIONS,
    ComparisonOp,
    LossOp,
    Operand,
    PairLossOp,
    WeightedLossOp,
)
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.numbers import number_attribute
from relax_dialect.ops.rules import (
    normalize_axis,
    require_float,
    require_integer,
    require_one_of,
    require_rank,
    shared_dtype,
    tensor_type,
)
from relax_dialect.run_time_checks import demanded
from relax_dialect.types import Dims, TensorType


@irdl_op_definition
class MseLossOp(PairLossOp):
    """The squared error `(prediction - target) ** 2`."""

    name = "relax.mse_loss"


@irdl_op_definition
class L1LossOp(PairLossOp):
    """The absolute error `abs(prediction - target)`."""

    name = "relax.l1_loss"


@irdl_op_definition
class SmoothL1LossOp(PairLossOp):
    """The absolute error less `beta / 2`, or `error ** 2 / (2 * beta)` where it is below beta (Girshick,
    2015).

    (C4) beta is not negative.
    """

    name = "relax.smooth_l1_loss"
    DEFAULTS: ClassVar = {"beta": 1.0}

    beta = opt_prop_def(FloatAttr)

    def __init__(
        self, predictions: Operand, targets: Operand, reduction: str = "mean", beta: float = 1.0
    ):
        self.init_loss([predictions, targets], reduction, beta=beta)

    def infer(self) -> Sequence[Attribute]:
        self.require_number("beta", self.numbers["beta"] >= 0, "of 0 or more")
        return super().infer()


@irdl_op_definition
class HuberLossOp(PairLossOp):
    """`error ** 2 / 2` up to an absolute error of delta, `delta * (error - delta / 2)` beyond it (Huber,
    1964).

    (C4) delta is greater than 0.
    """

    name = "relax.huber_loss"
    DEFAULTS: ClassVar = {"delta": 1.0}

    delta = opt_prop_def(FloatAttr)

    def __init__(
        self, predictions: Operand, targets: Operand, reduction: str = "mean", delta: float = 1.0
    ):
        self.init_loss([predictions, targets], reduction, delta=delta)

    def infer(self) -> Sequence[Attribute]:
        self.require_number("delta", self.numbers["delta"] > 0, "greater than 0")
        return super().infer()


@irdl_op_definition
class HingeLossOp(PairLossOp):
    """`maximum(1 - target * prediction, 0)`, for targets that are 1 or -1."""

    name = "relax.hinge_loss"


@irdl_op_definition
class HingeEmbeddingLossOp(PairLossOp):
    """The prediction, a distance, where the target is 1, and `maximum(margin - prediction, 0)` where it
    is -1; both are added where it is neither."""

    name = "relax.hinge_embedding_loss"
    DEFAULTS: ClassVar = {"margin": 1.0}

    margin = opt_prop_def(FloatAttr)

    def __init__(
        self, predictions: Operand, targets: Operand, reduction: str = "mean", margin: float = 1.0
    ):
        self.init_loss([predictions, targets], reduction, margin=margin)


@irdl_op_definition
class SoftMarginLossOp(PairLossOp):
    """`log(1 + exp(-target * prediction))`, without overflow, for targets that are 1 or -1."""

    name = "relax.soft_margin_loss"


@irdl_op_definition
class KlDivOp(PairLossOp):
    """The terms `target * (log(target) - prediction)` of the Kullback-Leibler divergence; predictions
    are logarithms, and so are targets with `log_target`. A target of 0 counts 0.

    (C3) `reduction` is "batchmean" besides: the sum, divided by the first size.
    (C4) With "batchmean" predictions have rank 1 or more.
    """

    name = "relax.kl_div"
    ALLOWED: ClassVar = (*REDUCTIONS, "batchmean")
    DEFAULTS: ClassVar = {"log_target": False}

    log_target = opt_prop_def(IntegerAttr)

    def __init__(
        self,
        predictions: Operand,
        targets: Operand,
        reduction: str = "mean",
        log_target: bool = False,
    ):
        self.init_loss([predictions, targets], reduction, log_target=log_target)

    def infer(self) -> Sequence[Attribute]:
        if self.reduces == "batchmean":
            require_rank(self, tensor_type(self.predictions), 1, "C4")
        return super().infer()


@irdl_op_definition
class PoissonNllLossOp(PairLossOp):
    """The negative log likelihood of a Poisson distribution: `exp(prediction) - target * prediction`, or
    `prediction - target * log(prediction + eps)` where `log_input` is false.

    With `full` it has Stirling's term `t * log(t) - t + log(2 * pi * t) / 2` for targets t above 1.
    """

    name = "relax.poisson_nll_loss"
    DEFAULTS: ClassVar = {"log_input": True, "full": False, "eps": 1e-8}

    log_input = opt_prop_def(IntegerAttr)
    full = opt_prop_def(IntegerAttr)
    eps = opt_prop_def(FloatAttr)

    def __init__(
        self,
        predictions: Operand,
        targets: Operand,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ):
        self.init_loss([predictions, targets], reduction, log_input=log_input, full=full, eps=eps)


@irdl_op_definition
class BinaryCrossEntropyOp(WeightedLossOp):
    """`-(target * log(prediction) + (1 - target) * log(1 - prediction))` for probabilities; logarithms
    are cut off at -100."""

    name = "relax.binary_cross_entropy"

    predictions = operand_def(TensorType)
    targets = operand_def(TensorType)
    weights = opt_operand_def(TensorType)

    def __init__(
        self,
        predictions: Operand,
        targets: Operand,
        weights: Operand | None = None,
        reduction: str = "mean",
    ):
        self.init_loss([predictions, targets, weights], reduction)


@irdl_op_definition
class BinaryCrossEntropyWithLogitsOp(WeightedLossOp):
    """The binary cross entropy of `sigmoid(prediction)`, without overflow and not cut off.

    `positive_weights` multiply its part with the target.
    """

    name = "relax.binary_cross_entropy_with_logits"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    predictions = operand_def(TensorType)
    targets = operand_def(TensorType)
    weights = opt_operand_def(TensorType)
    positive_weights = opt_operand_def(TensorType)

    def __init__(
        self,
        predictions: Operand,
        targets: Operand,
        weights: Operand | None = None,
        reduction: str = "mean",
        positive_weights: Operand | None = None,
    ):
        self.init_loss([predictions, targets, weights, positive_weights], reduction)


@irdl_op_definition
class CrossEntropyWithLogitsOp(ComparisonOp):
    """`-sum(predictions * labels) / n`, the cross entropy of log-probabilities; n is the first size of a
    tensor of rank 2 or more, else 1."""

    name = "relax.cross_entropy_with_logits"

    predictions = operand_def(TensorType)
    labels = operand_def(TensorType)

    def __init__(self, predictions: Operand, labels: Operand):
        super().__init__(predictions, labels)

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get((), self.common_type().dtype),)


@irdl_op_definition
class CosineSimilarityOp(ComparisonOp):
    """The cosine of the angle between vectors along an axis: their product, divided by their lengths,
    which count as eps at least.

    (C3) -rank <= axis < rank.
    """

    name = "relax.cosine_similarity"

    x1 = operand_def(TensorType)
    x2 = operand_def(TensorType)
    axis = opt_prop_def(IntegerAttr)
    eps = opt_prop_def(FloatAttr)

    def __init__(self, x1: Operand, x2: Operand, axis: int = 1, eps: float = 1e-8):
        given = None if eps == 1e-8 else number_attribute(eps)
        super().__init__(x1, x2, axis=None if axis == 1 else axis, eps=given)

    @property
    def least(self) -> float:
        """The least length of a vector."""
        return 1e-8 if self.eps is None else float(self.eps.value.data)

    def place(self, rank: int) -> int:
        """The axis, counted from the front."""
        axis = 1 if self.axis is None else self.axis.value.data
        return normalize_axis(self, axis, rank, "C3")

    def infer(self) -> Sequence[Attribute]:
        type = self.common_type()
        if type.shape is None:
            return (type,)
        place = self.place(len(type.shape))
        return (TensorType.get((*type.shape[:place], *type.shape[place + 1 :]), type.dtype),)


@irdl_op_definition
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

    name = "relax.nll_loss"
    DEFAULTS: ClassVar = {"ignore_index": -100}

    predictions = operand_def(TensorType)
    targets = operand_def(TensorType)
    weights = opt_operand_def(TensorType)
    ignore_index = opt_prop_def(IntegerAttr)

    def __init__(
        self,
        predictions: Operand,
        targets: Operand,
        weights: Operand | None = None,
        reduction: str = "mean",
        ignore_index: int = -100,
    ):
        self.init_loss([predictions, targets, weights], reduction, ignore_index=ignore_index)

    @property
    def ignored(self) -> int:
        """The target that counts nothing."""
        return int(self.numbers["ignore_index"])

    def wrong_target(self, found: object, classes: object) -> str:
        """What a user is told who gives a target that is no class."""
        return demanded(
            f"targets that are classes of predictions, or {self.ignored} for none",
            f"{found} for {classes} classes",
            "correct the targets, or ignore_index",
        )

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        predictions, targets, *others = shapes
        mend = "reshape or transpose the targets"
        if predictions is not None and targets is not None:
            rest = predictions[:-1] if len(predictions) == 1 else (predictions[0], *predictions[2:])
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
        require_one_of(self, "'reduction'", self.reduces, self.ALLOWED, "C3")
        predictions, targets = tensor_type(self.predictions), tensor_type(self.targets)
        factors = [predictions, *([tensor_type(self.weights)] if self.weights else [])]
        for type in factors:
            require_float(self, type)
        require_integer(self, targets)
        dtype = shared_dtype(self, factors)
        require_rank(self, predictions, 1, "C2")
        for weights in factors[1:]:
            if weights.rank not in (None, 1):
                self.fail("weights of rank 1 (C2)", f"rank {weights.rank}", "flatten them")
        shapes = [predictions.shape, targets.shape, *(weights.shape for weights in factors[1:])]
        refuse_unmet(self, self.demands(shapes))
        return (self.reduced(TensorType.get(targets.shape, dtype)),)


OPS: list[type[Operation]] = [
    MseLossOp,
    L1LossOp,
    SmoothL1LossOp,
    HuberLossOp,
    HingeLossOp,
    HingeEmbeddingLossOp,
    SoftMarginLossOp,
    KlDivOp,
    PoissonNllLossOp,
    BinaryCrossEntropyOp,
    BinaryCrossEntropyWithLogitsOp,
    CrossEntropyWithLogitsOp,
    CosineSimilarityOp,
    NllLossOp,
]
