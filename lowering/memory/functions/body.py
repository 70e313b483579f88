"""The body of a Relax function, op by op, as allocation, calls and run-time checks on memrefs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from xdsl.dialects import memref
from xdsl.dialects.builtin import LocationAttr, TupleType
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.memory.functions.lowered_signature import (
    Lowered,
    LoweredTensor,
    ObjectReference,
    ShapeSizes,
    UnrankedTensor,
    is_handle,
    leaves,
)
from lowering.memory.functions.module_state import ModuleState
from lowering.memory.functions.ownership import Ownership
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.ir.locations import inherit, ops_between
from relax_dialect.ir.order import describe
from relax_dialect.ir.traits import region_is_graph
from relax_dialect.ir.types import ShapeType, tuple_type
from relax_dialect.ir.upper_bounds import upper_bounds
from relax_dialect.ops import blocks, calls, control, core, graph
from relax_dialect.ops.base import OperatorOp
from relax_dialect.prim.run_time_checks import function_around, place_of
from relax_dialect.transform.regions import Body

SCALAR_DIALECTS = ("arith", "math")

Nested: TypeAlias = Iterator[Block]
"""The work on an op with regions: each yielded block is lowered before the work goes on."""


class FunctionLowering(Ownership):
    """Translates the body of one function, op by op, by the table of its file for each op."""

    def __init__(self, function: core.FuncOp, module: ModuleState):
        super().__init__(function_around(function))
        self.function = function
        self.module = module
        self.signature = module.signature_of(function)
        self.sizes.upper_bounds = self.facts.upper_bounds = upper_bounds(function)
        self.location: LocationAttr = function.location
        self.values: dict[SSAValue, Lowered] = {}
        self.definitions: dict[str, str] = {}
        """The matches that have bound symbolic variables, as messages name them."""
        self.level: SSAValue | None = None
        """The number of active calls of recursive functions, if this function calls one."""

    def lower_body(self) -> None:
        """Lower the blocks of the function, however deeply they nest, in order of evaluation."""
        body = Body(self.function.body.block, is_graph=False, owner=self.function)
        stack = [(body, self._lower_ops(body))]
        while stack:
            around, work = stack[-1]
            block = next(work, None)
            if block is None:
                stack.pop()
                continue
            owner = block.parent_op()
            assert owner is not None
            body = Body(block, region_is_graph(owner, around.is_graph), owner)
            stack.append((body, self._lower_ops(body)))

    def _lower_ops(self, body: Body) -> Nested:
        for op in body.ops():
            self.place, self.location = place_of(op) or describe(op), op.location
            block, before = self.block, self.block.last_op
            lower = _LOWERINGS.get(type(op))
            if lower is not None:
                with blaming(op):
                    self._require_ranks(op)
                    yield from lower(self, op) or ()
            elif op.dialect_name() in SCALAR_DIALECTS and not _works_on_tensors(op):
                self._clone_scalar(op)
            else:
                raise RelaxError(
                    f"{self.where}: {describe(op)}: expected ops that can be compiled (relax.call_tir, "
                    "scalar arith and math, and those that shape a function), found this one; "
                    + _instead(op)
                )
            inherit(ops_between(block, before, None), op.location)

    def _require_ranks(self, op: Operation) -> None:
        """Refuse an operand of unknown rank, which only ops that pass values on and casts take."""
        if isinstance(op, _TAKE_ANY_RANK):
            return
        for operand in op.operands:
            for leaf in leaves(self.values.get(operand, ())):
                if isinstance(leaf, UnrankedTensor):
                    raise RelaxError(
                        f"{self.where}: {describe(op)}: expected operands of known rank, found one of "
                        f"{leaf.type}; insert a relax.match_cast to the rank that it has"
                    )

    def _clone_scalar(self, op: Operation) -> None:
        clone = op.clone({o: self.values[o] for o in op.operands})  # pyright: ignore
        self.block.add_op(clone)
        self.values.update(zip(op.results, clone.results))

    def condition(self, op: Operation, value: SSAValue) -> SSAValue:
        """Return a boolean tensor of rank 0 as a scalar: the condition of an op."""
        condition = self.values[value]
        if isinstance(condition, SSAValue):
            return condition
        if not isinstance(condition, LoweredTensor):
            raise RelaxError(
                f"{self.where}: {describe(op)}: expected a condition of type i1 or !relax.tensor<[], i1>, "
                f"found {value.type}; declare one of these where the value is made"
            )
        return self.add(memref.LoadOp.get(condition.memref, []))

    def fit(self, what: str, value: Lowered, type: Attribute) -> Lowered:
        """Return a value as one of the expected type; where an object is expected, the value must be
        one."""
        if isinstance(type, TupleType) and isinstance(value, tuple):
            return tuple(self.fit(what, v, t) for v, t in zip(value, type.types, strict=True))
        if is_handle(type) and not isinstance(value, ObjectReference):
            raise RelaxError(
                f"{self.where}: {what}: expected an object of a function from outside, found a value "
                f"of {type_of(value)}; declare this type instead of {type}"
            )
        return value


def _works_on_tensors(op: Operation) -> bool:
    """Return whether an op has operands or results that are tensors of other dialects."""
    return any(isinstance(t, BuiltinTensorType) for t in (*op.operand_types, *op.result_types))


def _instead(op: Operation) -> str:
    """Return the mend for an op that has no lowered form here."""
    if (needed := _NEEDED.get(type(op))) is not None:
        return f"run {needed} first"
    if op.dialect_name() == "scf":
        return "run relax-convert-scf-to-relax first"
    if _works_on_tensors(op):
        return (
            "run relax-outline-tensor-ops first, move the ops on builtin tensors into a func.func and "
            "call it with relax.call_tir, or interpret the function"
        )
    if not isinstance(op, OperatorOp):
        return "interpret the function instead"
    if op.name.startswith("relax."):
        return "run relax-legalize first"
    return (
        "register its tensor expression by lowering.legalize.registry.legalize, in a module that its "
        "extension names (docs/start.md)"
    )


_NEEDED: Mapping[type[Operation], str] = {
    control.ClosureOp: "relax-lambda-lift",
    graph.GraphOp: "relax-to-a-normal-form",
    graph.LetOp: "relax-to-a-normal-form",
}
"""The passes that leave none of an op."""


def type_of(value: Lowered) -> Attribute:
    """Return the known type of a value, regardless of its declared type."""
    match value:
        case tuple():
            return tuple_type(type_of(v) for v in value)
        case LoweredTensor() | UnrankedTensor() | ObjectReference():
            return value.type
        case ShapeSizes():
            return ShapeType([None] * len(value.sizes))
        case SSAValue():
            return value.type


_TAKE_ANY_RANK = (
    core.ReturnOp,
    core.TupleOp,
    core.TupleGetItemOp,
    core.MatchCastOp,
    core.MatchShapeOp,
    blocks.OutputOp,
    control.YieldOp,
    graph.LetOp,
    calls.CallOp,
)
"""The ops that take tensors of unknown rank."""

_LOWERINGS: dict[type[Operation], Callable] = {
    core.ReturnOp: lambda body, op: None,
    blocks.OutputOp: lambda body, op: None,
    control.YieldOp: lambda body, op: None,
}
"""The lowering function of each op. That of an op with regions yields the blocks in them, see `Nested`."""


def register_lowerings(lowerings: Mapping[type[Operation], Callable]) -> None:
    """Add the lowerings of ops that are defined in other modules."""
    _LOWERINGS.update(lowerings)
