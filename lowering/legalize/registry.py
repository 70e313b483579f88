"""The rules of operators, and helpers for all rules: shapes, broadcasting, accumulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias, TypeVar

from xdsl.ir import Attribute, Operation

from relax_dialect import symbolic, te
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.windows import LayoutOp
from relax_dialect.prim.size_ops import BROADCAST
from relax_dialect.symbolic import Expr

Rule: TypeAlias = Callable[..., te.Tensor | Sequence[te.Tensor]]
RuleT = TypeVar("RuleT", bound=Rule)

NARROW = ("f16", "bf16")
"""Element types too narrow to accumulate in."""

RULES: dict[type[Operation], Rule] = {}
"""The TE definition of every operator: `rule(op, *tensors)` returns the tensors of its results."""


def legalize(*ops: type[Operation]) -> Callable[[RuleT], RuleT]:
    """Register a function as the rule of one or several operators."""

    def register(rule: RuleT) -> RuleT:
        for op in ops:
            assert op not in RULES, f"{op.name} has two rules"
            RULES[op] = rule
        return rule

    return register


def apply_rule(op: OperatorOp, tensors: Sequence[te.Tensor]) -> list[te.Tensor]:
    """Return the tensors of an operator's results, from those of its tensor operands in order.

    The rule gets one argument for every operand that is no shape: a list for a variadic one, None for an
    optional one that is left out. Its accesses are in bounds by the checks of the operator.
    """
    if isinstance(op, LayoutOp) and op.is_blocked:
        raise RelaxError(
            f"{describe(op)}: expected layouts without blocks in tensor expressions, found others; "
            "transpose and reshape the tensors, or emit the operator itself"
        )
    rest = iter(tensors)
    flat = [next(rest) if isinstance(o.type, TensorType) else _SHAPE for o in op.operands]
    outputs = RULES[type(op)](op, *(group for group in op.grouped(flat) if group is not _SHAPE))
    found = [outputs] if isinstance(outputs, te.Tensor) else list(outputs)
    for stage in te.stages_of(found, tensors):
        stage.checked = False
    return found


_SHAPE = object()
"""The placeholder of a shape operand, whose sizes the rule finds in the types of its op."""


WHERE_IT_CAN = ", as relax-bind-dynamic-dims does where it can"
NAMED = "insert a relax.match_cast that names it"
"""The remedy for an unknown part of a type, in messages."""


def fail_unknown(
    op: Operation, value: str, type: Attribute, what: str, mend: str = NAMED
) -> NoReturn:
    """Refuse an operator whose loops cannot be written, as something of a type is not known."""
    raise RelaxError(
        f"{op.name}: cannot be legalized: expected a known shape and element type of {value}, "
        f"found {type}, whose {what} is unknown; {mend}"
    )


def known_tensor(
    op: Operation, value: str, type: Attribute, mend: str = NAMED
) -> tuple[tuple[Expr, ...], Attribute]:
    """Shape and element type of a tensor type, all of which must be known."""
    if not isinstance(type, TensorType):
        fail_unknown(op, value, type, "tensor type", mend)
    if type.shape is None:
        fail_unknown(op, value, type, "rank", mend)
    if type.dtype is None:
        fail_unknown(op, value, type, "element type", mend)
    dims: list[Expr] = []
    for d, dim in enumerate(type.shape):
        if dim is None:
            fail_unknown(op, value, type, f"dimension {d}", mend + WHERE_IT_CAN * (mend is NAMED))
        dims.append(dim)
    return tuple(dims), type.dtype


def result_shape(op: OperatorOp) -> tuple[Expr, ...]:
    """Return the shape of an operator's only result, as inferred (it may be declared wider)."""
    (inferred,) = op.checked_types()
    return known_tensor(op, "the result", inferred)[0]


def result_dtype(op: OperatorOp) -> Attribute:
    """Return the element type of an operator's only result."""
    (inferred,) = op.checked_types()
    return known_tensor(op, "the result", inferred)[1]


def broadcast_index(shape: Sequence[Expr], axes: Sequence[te.IterVar]) -> tuple[Any, ...]:
    """Return the index at which a tensor of a shape is read to broadcast over axes, dimensions aligned at
    the end."""
    aligned = axes[len(axes) - len(shape) :]
    return tuple(_broadcast_dim(size, axis) for size, axis in zip(shape, aligned))


def _broadcast_dim(size: Expr, axis: te.IterVar) -> Any:
    if size is axis.extent:
        return axis
    if size.value == 1:
        return 0
    if symbolic.provably_different(size, symbolic.const(1)):
        return axis
    return te.select(te.equal(size, 1), 0, axis)


def broadcasts(
    op: Operation, shape: Sequence[Expr], result: Sequence[Expr]
) -> list[te.Requirement]:
    """Return the conditions for a shape to broadcast to that of the result, unless they are proved.

    If the result is `broadcast(m, n)`, m is 1 or that, and so is n: they are equal or one is 1.
    """
    aligned = result[len(result) - len(shape) :]
    one = symbolic.const(1)
    found: list[te.Requirement] = []
    for size, target in zip(shape, aligned):
        if size is target or size is one:
            continue
        decided = symbolic.provably_different(size, one)
        allowed = (target,) if decided else (one, target)
        found.append(te.Requirement(f"{op.name}: {BROADCAST}", size, allowed, shows=True))
    return found


def equals(op: Operation, size: Expr, other: Expr) -> list[te.Requirement]:
    """Require that two sizes are equal, unless they are the same expression."""
    message = f"{op.name}: expected {size} to be {other}"
    return [] if size is other else [te.Requirement(message, size, (other,))]


def accumulate(
    reducer: te.Reducer,
    shape: Sequence[Expr],
    element: Callable[..., te.Scalar],
    axis: Sequence[te.IterVar],
    name: str,
    finish: Callable[[te.Scalar], te.Scalar] | None = None,
    requires: Sequence[te.Requirement] = (),
) -> te.Tensor:
    """Return a reduction over axes, followed by `finish`.

    f16 and bf16 accumulate (and finish) in f32 and are rounded once, at the end.
    """
    given: list[Attribute] = []

    def widened(*indices: te.IterVar) -> te.Scalar:
        value = element(*indices)
        given.append(value.dtype)
        return reducer(value.astype("f32") if str(value.dtype) in NARROW else value, axis=axis)

    total = te.compute(shape, widened, name=name, requires=requires)
    if finish is None and total.dtype == given[0]:
        return total
    end = finish or (lambda value: value)
    return te.compute(shape, lambda *i: end(total[i]).astype(given[0]), name=name)
