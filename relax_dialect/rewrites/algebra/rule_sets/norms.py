"""Norms as compositions, for the passes that decompose them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, apply_rules, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ops.normalization import BatchNormOp, LayerNormOp
from relax_dialect.ops.norms import AffineNormOp
from relax_dialect.rewrites.algebra.rule_sets.broadcast_rules import along_axes
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape
from relax_dialect.transform.regions import function_named

x, gamma, beta = wildcard(), wildcard(), wildcard()
moving_mean, moving_var = wildcard(), wildcard()
BATCH_NORM = is_op("batch_norm")(x, gamma, beta, moving_mean, moving_var)
LAYER_NORM = is_op("layer_norm")(x, gamma, beta)


class _Composition:
    """A norm whose operands have known shapes that agree; narrow floats are computed in f32, as it does."""

    def __init__(self, norm: AffineNormOp, m: Match, rank: int):
        self.norm, self.m, self.rank = norm, m, rank
        self.x = self.wide(m[x])

    @classmethod
    def of(cls, root: Value, m: Match) -> _Composition | None:
        norm: Any = owner(root.value)
        shapes = [known_shape(operand) for operand in norm.operands]
        if shapes[0] is None or not is_subtype(m[x].type, norm.results[0].type):
            return None
        rank = len(shapes[0])
        wanted = tuple(shapes[0][axis] for axis in norm.parameter_axes(rank))
        if any(shape != wanted for shape in shapes[1:]):
            return None
        moving = zip(norm.operands[3:], norm.results[1:])
        agree = all(is_subtype(old.type, new.type) for old, new in moving)
        return cls(norm, m, rank) if agree else None

    @property
    def is_narrow(self) -> bool:
        return str(self.m[x].dtype) in ("f16", "bf16")

    def wide(self, value: Any) -> Any:
        return value.astype("f32") if self.is_narrow else value

    def narrow(self, value: Any) -> Any:
        return value.astype(self.m[x].dtype) if self.is_narrow else value

    def along(self, parameter: Any) -> Any:
        axes = self.norm.parameter_axes(self.rank)
        is_last = axes == tuple(range(self.rank - len(axes), self.rank))
        return parameter if is_last else along_axes(parameter, self.rank, axes)

    def result(self, mean: Any, variance: Any) -> Any:
        """`gamma * (x - mean) / sqrt(variance + epsilon) + beta` of statistics that broadcast with x."""
        found = (self.x - mean) / op.sqrt(variance + self.norm.epsilon)
        if self.norm.scale:
            found = found * self.along(self.wide(self.m[gamma]))
        if self.norm.center:
            found = found + self.along(self.wide(self.m[beta]))
        return self.narrow(found)


def _batch_norm_of_inference(root: Value, m: Match) -> object | None:
    of = _Composition.of(root, m)
    if of is None:
        return None
    mean, variance = (of.along(of.wide(m[each])) for each in (moving_mean, moving_var))
    return [of.result(mean, variance), m[moving_mean], m[moving_var]]


def _batch_norm_of_training(root: Value, m: Match) -> object | None:
    of = _Composition.of(root, m)
    if of is None:
        return None
    assert isinstance(of.norm, BatchNormOp)
    axes, new = list(of.norm.reduction_axes(of.rank)), of.norm.momentum
    own = op.mean(of.x, axes), op.variance(of.x, axes)
    moving = (of.wide(m[each]) for each in (moving_mean, moving_var))
    moved = [of.narrow((1 - new) * old + new * now) for old, now in zip(moving, own)]
    return [of.result(*map(of.along, own)), *moved]


def _layer_norm(root: Value, m: Match) -> object | None:
    of = _Composition.of(root, m)
    if of is None:
        return None
    assert isinstance(of.norm, LayerNormOp)
    axes = list(of.norm.axes)
    return of.result(*(f(of.x, axes, keepdims=True) for f in (op.mean, op.variance)))


def rules_of_inference() -> list[PatternRule]:
    """For each norm that inference computes from parameters."""
    return [FunctionRule(BATCH_NORM, _batch_norm_of_inference, "batch_norm of inference")]


def rules_of_training() -> list[PatternRule]:
    """For each norm that training computes from the batch."""
    return [
        FunctionRule(BATCH_NORM, _batch_norm_of_training, "batch_norm of training"),
        FunctionRule(LAYER_NORM, _layer_norm, "layer_norm"),
    ]


def decompose(module: ModuleOp, rules: Iterable[PatternRule], func: str | None, name: str) -> int:
    """Apply rules to every function, or to one; returns the number of rewrites. `name` is that of the
    pass."""
    return apply_rules(rules, module if func is None else function_named(module, func, name))
