"""Calls: the parameters' symbolic variables are found from the arguments, then substituted.

Sizes that are not proved equal are checked at run time; contradictions are errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import contradict, hides_effects, is_subtype
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.type_variables import substitute
from relax_dialect.ir.types import OBJECT, Dim, Dims, Sized, TensorType, map_sizes, tuple_type
from relax_dialect.symbolic import Expr


@dataclass
class Unification:
    """The variables of the parameters in terms of the caller's, and the remaining checks."""

    bindings: dict[str, Expr | None] = field(default_factory=dict)
    """Each variable of the parameters; None if the argument's size is unknown."""
    checks: list[tuple[Expr, Expr]] = field(default_factory=list)
    """Pairs of expected and actual size in the caller's variables, to be compared at run time."""
    proved: bool = True
    """Whether every argument is provably of its parameter's type."""

    def apply(self, type: Attribute) -> Attribute:
        """Return a type of the callee in the caller's variables."""
        return substitute(type, self.bindings)


def require_count(
    what: str, params: Sequence[object], args: Sequence[object], constraint: str = ""
) -> None:
    """Refuse a wrong number of arguments."""
    if len(params) != len(args):
        raise RelaxError(
            f"{what}: expected as many arguments as parameters, {len(params)}{_mark(constraint)}, "
            f"found {len(args)}; pass one for each parameter"
        )


def _mark(constraint: str) -> str:
    return f" ({constraint})" if constraint else ""


def unify(
    what: str,
    params: Sequence[Attribute],
    args: Sequence[Attribute],
    bound: frozenset[str] | None = None,
    constraint: str = "",
) -> Unification:
    """Match arguments against parameters; `what` names the call in errors, `constraint` its rule.

    The parameters' variables are their own, or only those in `bound`, the others being the caller's.

    Raises `RelaxError` for a wrong number of arguments and for types that contradict.
    """
    require_count(what, params, args, constraint)
    patterns: list[Dim] = []
    values: list[Dim] = []
    result = Unification()

    def pair(param: Dims | None, arg: Dims | None) -> None:
        if param is None:
            return
        patterns.extend(param)
        values.extend(arg if arg is not None else [None] * len(param))

    for index, (param, arg) in enumerate(zip(params, args)):
        if contradict(_without_sizes(param), _without_sizes(arg)) or hides_effects(arg, param):
            raise RelaxError(
                f"{what}: expected argument {index} of type {param}{_mark(constraint)}, found {arg}; "
                "correct the argument or the parameter"
            )
        stack = [(param, arg)]
        while stack:
            p, a = stack.pop()
            if isinstance(p, Sized):
                sizes = a.shape if isinstance(a, Sized) else None
                pair(p.shape, sizes)
                if p.shape is not None and sizes is None:
                    result.proved = False
                if isinstance(p, TensorType) and p.dtype is not None:
                    result.proved &= isinstance(a, TensorType) and a.dtype is not None
            elif isinstance(p, TupleType):
                fields = a.types.data if isinstance(a, TupleType) else [OBJECT] * len(p.types)
                stack.extend(reversed(list(zip(p.types, fields))))
            elif not is_subtype(a, p):
                result.proved = False
    named = dict.fromkeys(v for d in patterns if d is not None for v in d.free_variables)
    shared = {} if bound is None else {v: symbolic.var(v) for v in named if v not in bound}
    try:
        solution = symbolic.solve(patterns, values, shared, allow_unknown=True)
    except symbolic.SymbolicError as error:
        raise RelaxError(
            f"{what}: expected arguments of sizes {dims_text(tuple(patterns))}{_mark(constraint)}, "
            f"found {dims_text(tuple(values))}: {error}; pass arguments whose sizes agree"
        ) from None
    result.bindings = {**solution.bindings, **dict.fromkeys(solution.unknown)}
    result.checks = solution.checks
    if solution.checks or solution.unknown_checks:
        result.proved = False
    return result


def _without_sizes(type: Attribute) -> Attribute:
    """Return the type with every size unknown: rank and element type are compared, sizes are solved."""
    if isinstance(type, Sized):
        return map_sizes(type, lambda _: None)
    if isinstance(type, TupleType):
        return tuple_type(_without_sizes(t) for t in type.types)
    return type
