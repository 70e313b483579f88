"""Rules of sharding by operator: which dimensions of operands and results are cut together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias, TypeVar

from xdsl.ir import Operation

from relax_dialect.families import modules_of
from relax_dialect.ir.types import Dims, ShapeType, TensorType
from relax_dialect.ops.kinds import K_BROADCAST, pattern_kind
from relax_dialect.ops.type_rules import tensor_type

Labels: TypeAlias = tuple[str | None, ...]
"""A name for each dimension; None for one that every rank has whole."""


@dataclass(frozen=True)
class Factors:
    """Names of dimensions: those of one name are cut by the same grid axis.

    matmul: operands ("i", "k") and ("k", "j"), result ("i", "j"), with "k" reduced by "sum".
    """

    operands: Sequence[Labels | None]
    """Of every operand; None for one that is no tensor."""

    results: Sequence[Labels]
    reduced: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of dimensions that are reduced, with the reduction of the parts: sum, avg, max or min."""

    is_linear: bool = False
    """Whether a sum over ranks may follow instead of precede, if all operands have it pending."""

    sizes: int | None = None
    """The operand that is the shape of the result."""


Rule: TypeAlias = Callable[[Any], Factors | None]
RuleT = TypeVar("RuleT", bound=Rule)

RULES: dict[type[Operation], Rule] = {}


def shards(*ops: type[Operation]) -> Callable[[RuleT], RuleT]:
    """Register a function of an op as the rule of operators; it returns None for what is kept whole."""

    def register(rule: RuleT) -> RuleT:
        RULES.update(dict.fromkeys(ops, rule))
        return rule

    return register


@cache
def _load() -> None:
    from relax_dialect.sharding import rules

    modules_of(rules.__name__, rules.__path__)


def factors_of(op: Operation) -> Factors | None:
    """Return the names of the dimensions of an op; None if it is computed whole by every rank."""
    _load()
    types = [*op.operand_types, *op.result_types]
    if any(isinstance(t, TensorType) and t.shape is None for t in types):
        return None
    if (rule := RULES.get(type(op))) is not None:
        return rule(op)
    return elementwise(op) if pattern_kind(op) <= K_BROADCAST else None


def elementwise(op: Any, is_linear: bool = False) -> Factors | None:
    """Return the names of dimensions that broadcast, aligned at the last one."""
    is_other = any(isinstance(t, ShapeType) for t in op.operand_types)
    if is_other or not op.results or any(not isinstance(t, TensorType) for t in op.result_types):
        return None
    operands, names = aligned([shape_of(x) for x in op.operands], shape_of(op.results[0]))
    return Factors(operands, [names] * len(op.results), is_linear=is_linear)


def aligned(shapes: Sequence[Dims], result: Dims, prefix: str = "d") -> tuple[list[Labels], Labels]:
    """Return names of dimensions that broadcast, of operands and result; a size that may be 1 or not is
    kept whole."""
    names = named(len(result), prefix=prefix)
    torn: set[str | None] = set()
    operands: list[list[str | None]] = []
    for shape in shapes:
        before = len(result) - len(shape)
        own = [
            name if s is result[before + d] else None
            for d, (s, name) in enumerate(zip(shape, names[before:]))
        ]
        sizes = zip(shape, own, names[before:])
        torn |= {name for s, o, name in sizes if o is None and (s is None or s.value != 1)}
        operands.append(own)
    kept = [tuple(None if name in torn else name for name in own) for own in operands]
    return kept, tuple(None if name in torn else name for name in names)


def shape_of(value: Any) -> Dims:
    """Return the sizes of a tensor or scalar, whose rank is known."""
    return tensor_type(value).shape or ()


def named(count: int, *kept: int, prefix: str = "d") -> Labels:
    """Return names of dimensions, but for those that are kept whole."""
    return tuple(None if axis in kept else f"{prefix}{axis}" for axis in range(count))
