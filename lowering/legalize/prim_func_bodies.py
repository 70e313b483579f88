"""The prim funcs that operators become: one for each distinct operator, shape pattern and element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects import cf, func
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic, te
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import unique_name
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.prim.run_time_checks import PLACE
from relax_dialect.prim.signature import JOINS, signature

Build: TypeAlias = Callable[[], tuple[Sequence[te.Tensor], Sequence[te.Tensor]]]
"""Returns the inputs and outputs of a prim func."""


@dataclass(frozen=True)
class PrimFunc:
    """A prim func made here, in canonical names: the sizes that callers pass, and its result types."""

    name: str
    unbound: tuple[str, ...]
    results: tuple[Attribute, ...]
    checks: bool
    """Whether it may stop the program."""


class PrimFuncs:
    """The prim funcs made for a module so far."""

    def __init__(self, module: ModuleOp):
        self.new: list[func.FuncOp] = []
        self.ahead: list[CallTirOp] = []
        """Calls on constants, to be evaluated at compile time."""
        self._made: dict[Any, PrimFunc] = {}
        self._names = {
            name.data
            for op in module.ops
            if isinstance(name := op.properties.get("sym_name"), StringAttr)
        }

    def call(
        self,
        op: OperatorOp,
        step: str,
        tensors: Sequence[SSAValue],
        types: Sequence[Attribute],
        build: Build,
        result_types: Sequence[Attribute] | None = None,
    ) -> CallTirOp:
        """Return a call of the prim func of an operator, or of one step of it, which is made if it is new.

        Its loops depend on `types`, besides the kind and the attributes of the operator.
        """
        names = dict.fromkeys(name for type in types for name in free_variables(type))
        renamed = {name: f"s{index}" for index, name in enumerate(names)}
        key = (
            type(op),
            step,
            frozenset(op.properties.items()),
            frozenset(op.attributes.items()),
            _renamed(types, renamed),
        )
        if key not in self._made:
            self._made[key] = self._make(op, step, build, renamed)
        prim_func = self._made[key]
        own = {canonical: symbolic.var(name) for name, canonical in renamed.items()}
        if result_types is None:
            result_types = [substitute(type, own) for type in prim_func.results]
        sizes = [own[name] for name in prim_func.unbound]
        call = CallTirOp(prim_func.name, tensors, sizes, result_types)
        if prim_func.checks:
            call.attributes[PLACE] = StringAttr(describe(op))
        return call

    def _make(
        self, op: OperatorOp, step: str, build: Build, renamed: Mapping[str, str]
    ) -> PrimFunc:
        base = op.name.rpartition(".")[2]
        name = self._unique_name(f"{base}_{step}" if step else base)
        try:
            inputs, outputs = build()
            function = te.create_prim_func([*inputs, *outputs], name, checked=False)
        except RelaxError as error:
            if str(error).startswith(op.name):
                raise
            raise RelaxError(f"{op.name}: cannot be legalized: {error}") from error
        self.new.append(function)
        results = _renamed([TensorType(t.shape, t.dtype) for t in outputs], renamed)
        checks = any(isinstance(inner, cf.AssertOp) for inner in function.walk())
        if isinstance(op, ConcatOp) and op.joins_in_memory and not checks:
            function.attributes[JOINS] = UnitAttr()
        unbound = tuple(renamed[s] for s in signature(function).unbound)
        return PrimFunc(name, unbound, results, checks)

    def _unique_name(self, base: str) -> str:
        name = unique_name(base, self._names)
        self._names.add(name)
        return name


def _renamed(types: Sequence[Attribute], names: Mapping[str, str]) -> tuple[Attribute, ...]:
    mapping = {name: symbolic.var(canonical) for name, canonical in names.items()}
    return tuple(substitute(type, mapping) for type in types)
