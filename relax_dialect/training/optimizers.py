"""Optimizers: update rules for parameters, with PyTorch's names, defaults and formulas.

The state of an optimizer is a tuple: the number of steps done, an i64 of rank 0, then for each of its
`slots` a tuple like that of the parameters. `init` returns the initial one, of numpy arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.training.errors import TrainingError
from relax_dialect.training.numbers import takes, within
from relax_dialect.training.schedules import Schedule
from relax_dialect.training.trees import map_arrays

Emit: TypeAlias = Callable[[Any], Value]
"""Emits an expression into the step."""

Numbers: TypeAlias = Mapping[str, Value]
"""Values shared by all parameters of a step, by name, each of the parameter's element type."""


@dataclass(frozen=True)
class Optimizer(ABC):
    """An update rule for parameters by their gradients, at a rate that may depend on the step number."""

    lr: float | Schedule

    RANGES: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """The lower bound (inclusive) and the upper bound (exclusive) of fields, by default from 0; fields
    whose defaults are no numbers are not checked."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value, where = getattr(self, field.name), f"{type(self).__name__}: {field.name}"
            if field.name == "lr" and callable(value):
                takes(where, value, "the number of steps done")
            elif isinstance(field.default, bool):
                if not isinstance(value, bool):
                    raise TrainingError(
                        f"{where}: expected True or False, found {value!r}; correct it"
                    )
            elif field.name == "betas":
                if not isinstance(value, tuple) or len(value) != 2:
                    raise TrainingError(
                        f"{where}: expected two numbers, found {value!r}; correct it"
                    )
                for beta in value:
                    within(where, beta, 0.0, 1.0)
            elif field.name == "lr" or isinstance(field.default, int | float):
                within(where, value, *self.RANGES.get(field.name, ()))
        if isinstance(self.slots, str) or not isinstance(self.slots, Sequence):
            raise TrainingError(
                f"{type(self).__name__}: slots: expected a tuple of names, found {self.slots!r}; make it "
                "one"
            )

    @property
    @abstractmethod
    def slots(self) -> Sequence[str]:
        """Return the names of the state kept for each parameter between steps, of the parameter's size."""

    @property
    def start(self) -> float:
        """Return the initial value of the elements of the state."""
        return 0.0

    def init(self, arrays: Any) -> tuple[Any, ...]:
        """Return the state before the first step, for parameters as `arrays`, a tuple of numpy arrays."""

        def made(array: Any) -> np.ndarray:
            if not isinstance(array, np.ndarray) or array.dtype.kind not in "fV":
                found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
                raise TrainingError(
                    f"{type(self).__name__}.init: expected numpy arrays of floats, found {found}; pass "
                    "the parameters of the step"
                )
            return np.full_like(array, self.start, order="C")

        if not isinstance(arrays, tuple | list):
            raise TrainingError(
                f"{type(self).__name__}.init: expected a tuple of arrays, one for each parameter, found "
                f"{type(arrays).__name__}; pass the parameters of the step"
            )
        return np.zeros((), np.int64), *(map_arrays(made, arrays) for _ in self.slots)

    def rate(self, done: Value) -> Any:
        """Return the learning rate, by how many steps were done before, both of type f64."""
        rate = self.lr(done) if callable(self.lr) else self.lr
        return op.full_like(done, rate) if isinstance(rate, int | float) else rate

    @abstractmethod
    def numbers(self, rate: Value, count: Value) -> Mapping[str, Any]:
        """Return values shared by all parameters of a step, as f64, from its rate and its number,
        counted from 1."""

    @abstractmethod
    def update(
        self, emit: Emit, w: Value, gradient: Value, kept: Sequence[Value], numbers: Numbers
    ) -> Sequence[Value]:
        """Emit the new parameter and the new values of its state."""


@dataclass(frozen=True)
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if it is not 0 (Sutskever et al., 2013)."""

    lr: float | Schedule = 1e-3
    momentum: float = 0.0
    dampening: float = 0.0
    weight_decay: float = 0.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nesterov and (self.momentum == 0 or self.dampening != 0):
            raise TrainingError(
                "SGD: expected a momentum above 0 and no dampening with nesterov, found momentum = "
                f"{self.momentum:g} and dampening = {self.dampening:g}; leave nesterov out"
            )

    @property
    def slots(self) -> Sequence[str]:
        return ("momentum",) if self.momentum else ()

    def numbers(self, rate: Value, count: Value) -> Mapping[str, Any]:
        if not (self.momentum and self.dampening):
            return {"rate": rate}
        # the first momentum is the gradient itself
        share = op.where(count <= 1.0, 1.0, op.full_like(count, 1 - self.dampening))
        return {"rate": rate, "share": share}

    def update(
        self, emit: Emit, w: Value, gradient: Value, kept: Sequence[Value], numbers: Numbers
    ) -> Sequence[Value]:
        g = emit(gradient + self.weight_decay * w) if self.weight_decay else gradient
        if not kept:
            return (emit(w - numbers["rate"] * g),)
        moved = emit(self.momentum * kept[0] + (numbers["share"] * g if "share" in numbers else g))
        step = g + self.momentum * moved if self.nesterov else moved
        return emit(w - numbers["rate"] * step), moved


@dataclass(frozen=True)
class Adam(Optimizer):
    """Adaptive moments (Kingma and Ba, 2015), with `weight_decay` added to the gradient; `amsgrad` divides
    by the greatest second moment so far (Reddi et al., 2018)."""

    lr: float | Schedule = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0.0
    amsgrad: bool = False

    @property
    def slots(self) -> Sequence[str]:
        return ("mean", "square", "most") if self.amsgrad else ("mean", "square")

    def numbers(self, rate: Value, count: Value) -> Mapping[str, Any]:
        first, second = self.betas
        return {
            "rate": rate / (1.0 - op.power(first, count)),
            "scale": op.rsqrt(1.0 - op.power(second, count)),
        }

    def update(
        self, emit: Emit, w: Value, gradient: Value, kept: Sequence[Value], numbers: Numbers
    ) -> Sequence[Value]:
        (first, second), (mean, square, *most) = self.betas, kept
        g = emit(gradient + self.weight_decay * w) if self.weight_decay else gradient
        mean = emit(mean + (1 - first) * (g - mean))
        square = emit(second * square + (1 - second) * (g * g))
        most = [emit(op.maximum(each, square)) for each in most]
        size = op.sqrt(most[0] if most else square) * numbers["scale"] + self.eps
        return emit(w - numbers["rate"] * mean / size), mean, square, *most


@dataclass(frozen=True)
class AdamW(Adam):
    """Adam with a weight decay of its own, `w * (1 - lr * weight_decay)` (Loshchilov and Hutter, 2019)."""

    weight_decay: float = 1e-2

    def numbers(self, rate: Value, count: Value) -> Mapping[str, Any]:
        return {**super().numbers(rate, count), "kept": 1.0 - rate * self.weight_decay}

    def update(
        self, emit: Emit, w: Value, gradient: Value, kept: Sequence[Value], numbers: Numbers
    ) -> Sequence[Value]:
        plain = Adam(self.lr, self.betas, self.eps, amsgrad=self.amsgrad)
        return plain.update(emit, emit(w * numbers["kept"]), gradient, kept, numbers)


@dataclass(frozen=True)
class RMSprop(Optimizer):
    """By the root of the mean square of the gradients (Tieleman and Hinton, 2012); `centered` takes their
    variance (Graves, 2013)."""

    lr: float | Schedule = 1e-2
    alpha: float = 0.99
    eps: float = 1e-8
    weight_decay: float = 0.0
    momentum: float = 0.0
    centered: bool = False

    @property
    def slots(self) -> Sequence[str]:
        return (
            "square",
            *(("mean",) if self.centered else ()),
            *(("momentum",) if self.momentum else ()),
        )

    def numbers(self, rate: Value, count: Value) -> Mapping[str, Any]:
        return {"rate": rate}

    def update(
        self, emit: Emit, w: Value, gradient: Value, kept: Sequence[Value], numbers: Numbers
    ) -> Sequence[Value]:
        g = emit(gradient + self.weight_decay * w) if self.weight_decay else gradient
        new = [emit(self.alpha * kept[0] + (1 - self.alpha) * (g * g))]
        variance: Any = new[0]
        if self.centered:
            new.append(emit(kept[1] + (1 - self.alpha) * (g - kept[1])))
            variance = new[0] - new[1] * new[1]
        step = g / (op.sqrt(variance) + self.eps)
        if self.momentum:
            step = emit(self.momentum * kept[-1] + step)
            new.append(step)
        return emit(w - numbers["rate"] * step), *new


@dataclass(frozen=True)
class Adagrad(Optimizer):
    """By the root of the sum of the squares of all gradients (Duchi et al., 2011)."""

    lr: float | Schedule = 1e-2
    lr_decay: float = 0.0
    weight_decay: float = 0.0
    initial_accumulator_value: float = 0.0
    eps: float = 1e-10

    @property
    def slots(self) -> Sequence[str]:
        return ("sum",)

    @property
    def start(self) -> float:
        return self.initial_accumulator_value

    def numbers(self, rate: Value, count: Value) -> Mapping[str, Any]:
        return {"rate": rate / (1.0 + (count - 1.0) * self.lr_decay)}

    def update(
        self, emit: Emit, w: Value, gradient: Value, kept: Sequence[Value], numbers: Numbers
    ) -> Sequence[Value]:
        g = emit(gradient + self.weight_decay * w) if self.weight_decay else gradient
        total = emit(kept[0] + g * g)
        return emit(w - numbers["rate"] * g / (op.sqrt(total) + self.eps)), total
