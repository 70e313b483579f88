"""The registry of adjoints by operator, and the argument of the rules: `Applied`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeAlias, TypeVar

from xdsl.ir import Operation

from relax_dialect import extensions
from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.values import Value
from relax_dialect.families import modules_of
from relax_dialect.gradient.errors import GradientError
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.symbolic import Expr

OpT = TypeVar("OpT", bound=Operation, covariant=True)


@dataclass(frozen=True)
class Applied(Generic[OpT]):
    """An operator of the program, with its values where the adjoint is computed."""

    op: OpT
    """The op itself: its attributes and types."""
    inputs: Sequence[Value]
    """Its operands."""
    outputs: Sequence[Value]
    """Its results."""
    builder: BlockBuilder
    """The builder that adds the adjoint, for rules with loops."""
    named: Callable[[Value], Value] = lambda value: value
    """Binds fresh names to the unnamed sizes of a value."""
    _sizes: dict[int, list[Expr]] = field(default_factory=dict[int, list[Expr]])

    @property
    def x(self) -> Value:
        """The first operand."""
        return self.inputs[0]

    @property
    def y(self) -> Value:
        """The first result."""
        return self.outputs[0]

    def arguments(self) -> Sequence[Any]:
        """Return the operands by their definitions: a list for a variadic one, None for an omitted one."""
        assert isinstance(self.op, OperatorOp)
        return self.op.grouped(self.inputs)

    def type(self, index: int = 0) -> TensorType:
        """Return the type of an operand that is a tensor."""
        type = self.op.operands[index].type
        if not isinstance(type, TensorType):
            raise GradientError(
                f"{describe(self.op)}: expected a tensor as operand {index} to differentiate it, found "
                f"{type}; make a tensor of it"
            )
        return type

    def shape(self, index: int = 0) -> Dims:
        """Return the sizes of an operand, whose rank must be known."""
        shape = self.type(index).shape
        if shape is None:
            raise GradientError(
                f"{describe(self.op)}: expected a known rank of operand {index} to differentiate it, found "
                f"{self.type(index)}; state it by a relax.match_cast before"
            )
        return shape

    def sizes(self, index: int = 0) -> list[Expr]:
        """Return the sizes of an operand, whose rank must be known; unnamed sizes get a name."""
        if index not in self._sizes:
            shape = self.shape(index)
            if None in shape:
                shape = self.named(self.inputs[index]).shape or ()
            self._sizes[index] = [size for size in shape if size is not None]
        return self._sizes[index]


Rule: TypeAlias = Callable[..., Any]
"""`rule(of, *cotangents)` returns for each operand an expression of its gradient, or None for zero.

There is one cotangent for each result, of its type; an operator with one operand may return just that
operand's gradient. Expressions are emitted only where needed. The transform sums broadcast axes, and
converts element types back."""

RuleT = TypeVar("RuleT", bound=Rule)

RULES: dict[type[Operation], Rule] = {}
"""The adjoint of every differentiable operator."""

CONSTANT: dict[type[Operation], str] = {}
"""Operators whose derivative is zero wherever there is one, or that have none, with the reason."""


REFUSED: dict[type[Operation], str] = {}
"""Operators that are not differentiated, with the reason."""


def adjoint(*ops: type[Operation]) -> Callable[[RuleT], RuleT]:
    """Register a function as the adjoint of one or several operators."""

    def register(rule: RuleT) -> RuleT:
        for op in ops:
            RULES[op] = rule
        return rule

    return register


EXPANSIONS: dict[type[Operation], Rule] = {}
"""Operators differentiated as a composition of others: `rule(of)` returns its expression."""


def expansion(*ops: type[Operation]) -> Callable[[RuleT], RuleT]:
    """Register a function as the composition that one or several operators are differentiated as.

    The composition is computed in the backward pass, directly before the operator's gradient.
    """

    def register(rule: RuleT) -> RuleT:
        for op in ops:
            EXPANSIONS[op] = rule
        return rule

    return register


TE_GRADIENTS: dict[str, Callable[..., Any]] = {}
"""The gradients of prim funcs, by the names used in `relax.call_tir_with_grad`."""


def register_te_gradient(name: str) -> Callable[[RuleT], RuleT]:
    """Register a function of tensor expressions as the gradient of prim funcs, by a name.

    `function(output_grad, *args, **te_grad_kwargs)` gets the cotangent of the result, a list of them for
    several, and the arguments of the call, all `te.Tensor`s. It returns a tensor for each argument, of its
    shape and element type, in a list if there are several; None for one without gradient.
    """

    def register(function: RuleT) -> RuleT:
        TE_GRADIENTS[name] = function
        return function

    return register


def constant(reason: str, *ops: type[Operation]) -> None:
    """Declare operators through which no gradient flows."""
    CONSTANT.update(dict.fromkeys(ops, reason))


def refused(reason: str, *ops: type[Operation]) -> None:
    """Declare operators that are not differentiated: an error between the targets and the result."""
    REFUSED.update(dict.fromkeys(ops, reason))


def load_rules() -> None:
    """Find the rules of our families, each in the file that has the family's name, and of extensions."""
    _load_our_rules()
    extensions.each_module("adjoints")


@cache
def _load_our_rules() -> None:
    from relax_dialect.gradient import adjoints

    modules_of(adjoints.__name__, adjoints.__path__)


def rule_of(op: type[Operation]) -> Rule | None:
    """Return the adjoint of an operator."""
    load_rules()
    return RULES.get(op)


def expansion_of(op: type[Operation]) -> Rule | None:
    """Return the composition that an operator is differentiated as."""
    load_rules()
    return EXPANSIONS.get(op)


def reason_without(op: type[Operation]) -> str | None:
    """Why no gradient flows through an operator, if that is so by its meaning."""
    load_rules()
    return CONSTANT.get(op)


def why_refused(op: type[Operation]) -> str | None:
    """Why an operator is not differentiated, if that is so on purpose."""
    load_rules()
    return REFUSED.get(op)
