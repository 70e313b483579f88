"""Losses to append to a network, under the names of TVM's `relax.training.loss`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TupleType, i64
from xdsl.ir import Attribute

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.of_functions.parameters import declared, distinct
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import TensorType
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import require_module
from relax_dialect.training.errors import TrainingError
from relax_dialect.training.inlining import inlined


@dataclass(frozen=True)
class Loss(ABC):
    """A distance of predictions from targets: one number, the mean or the sum of the elementwise losses."""

    reduction: str = "mean"

    def __post_init__(self) -> None:
        if self.reduction not in ("mean", "sum"):
            raise TrainingError(
                f"{type(self).__name__}: expected the reduction 'mean' or 'sum', found "
                f"{self.reduction!r}; choose one"
            )

    @abstractmethod
    def of(self, prediction: Value, target: Value) -> Any:
        """Return the loss, an expression of rank 0."""

    def target(self, prediction: TensorType) -> Attribute:
        """Return the type of the targets for predictions of a type."""
        return prediction


@dataclass(frozen=True)
class L1Loss(Loss):
    """The absolute error."""

    def of(self, prediction: Value, target: Value) -> Any:
        return op.l1_loss(prediction, target, reduction=self.reduction)


@dataclass(frozen=True)
class MSELoss(Loss):
    """The squared error."""

    def of(self, prediction: Value, target: Value) -> Any:
        return op.mse_loss(prediction, target, reduction=self.reduction)


@dataclass(frozen=True)
class CrossEntropyLoss(Loss):
    """`-log(softmax(prediction))` of the class that is right; predictions are scores, the classes on axis 1
    (0 of a single sample), targets numbers of classes, of which `ignore_index` counts nothing."""

    ignore_index: int = -100

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.ignore_index, int) or isinstance(self.ignore_index, bool):
            raise TrainingError(
                f"CrossEntropyLoss: ignore_index: expected a whole number, found {self.ignore_index!r}; "
                "correct it"
            )

    def of(self, prediction: Value, target: Value) -> Any:
        scores = op.log_softmax(prediction, axis=self._axis(prediction.type))
        return op.nll_loss(scores, target, reduction=self.reduction, ignore_index=self.ignore_index)

    def target(self, prediction: TensorType) -> Attribute:
        assert prediction.shape is not None
        axis = self._axis(prediction)
        return TensorType.get((*prediction.shape[:axis], *prediction.shape[axis + 1 :]), i64)

    @staticmethod
    def _axis(type: Attribute) -> int:
        return 0 if isinstance(type, TensorType) and len(type.shape or ()) == 1 else 1


def append_loss(module: ModuleOp, name: str, loss: Loss, own: str | None = None) -> str:
    """Add `@name_loss` (or `@own`) to a module, the loss of the result of `@name`; returns its name.

    Its parameters are those of `@name`, then `targets`. Raises `TrainingError` unless `@name` returns one
    tensor of known rank, possibly in a tuple, as importers produce it.
    """
    require_module(module)
    if not isinstance(loss, Loss):
        raise TrainingError(
            f"append_loss: expected a loss, such as training.MSELoss(), found {loss!r}; make one"
        )
    function = module_symbols(module).get(name)
    if not isinstance(function, FuncOp):
        raise TrainingError(
            f"append_loss: expected a function of the module, found @{name}; correct the name"
        )
    type = function.return_op.value.type
    in_tuple = False
    if isinstance(type, TupleType) and len(type.types) == 1:
        type, in_tuple = type.types.data[0], True
    if not isinstance(type, TensorType) or not type.shape:
        raise TrainingError(
            f"@{name}: expected predictions of known rank, 1 at least, found {type}; return one such tensor"
        )
    own = f"{name}_loss" if own is None else own
    copied = function.clone()
    to_a_normal_form(copied)
    arguments = copied.body.block.args
    parameters = distinct([*declared(copied.body.block), ("targets", loss.target(type))])
    builder = BlockBuilder(module)
    with builder.function(own, parameters) as values:
        found = inlined(builder, copied, dict(zip(arguments, values)))
        if in_tuple:
            found = builder.emit(found[0])
        builder.emit_func_output(builder.emit(loss.of(found, values[-1]), "loss"))
    return own
