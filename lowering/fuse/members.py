"""The calls of prim funcs that may become one: the requirements of fusion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects import cf, func, tensor
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue

from lowering.external.library_kernel import codegen_of
from lowering.fuse.merge_generics import is_elementwise, is_reduction, permutation
from relax_dialect.ir.mlir.builtin_types import to_builtin
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.prim.run_time_checks import place_of
from relax_dialect.prim.signature import SCHEDULE, signature
from relax_dialect.symbolic import Expr

Order = tuple[int, ...]
"""The order in which the elements of an argument are read: a permutation of its dimensions."""


class Callee:
    """A prim func that may become part of another, with the common properties of its calls."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.signature = signature(function)
        self.tensors = function.function_type.inputs.data[: len(self.signature.params)]
        self.elementwise = _is_elementwise_func(function)
        self.reads = [_reads(a) for a in function.body.block.args]
        """For every argument the orders in which it is read, None if not once per element."""
        is_open = SCHEDULE not in function.attributes
        self.reduces = [is_open and _is_reduced(a) for a in function.body.block.args]
        """For every argument whether all that is done with it is to reduce it, as a sum does."""

    @property
    def takes_prologue(self) -> bool:
        """Whether it is a reduction, in which elementwise producers are computed as it reads them."""
        return any(self.reduces)

    @property
    def is_in_order(self) -> bool:
        """Whether some argument is read in the order that the result is written in, so that its sizes
        determine those of all loops, none in another, and all are floats for which reductions have
        vectors."""
        orders = {order for found in self.reads for order in found if order is not None}
        types = (*self.tensors, *self.function.function_type.outputs.data)
        return (
            bool(orders)
            and all(order == tuple(range(len(order))) for order in orders)
            and all(
                isinstance(getattr(type, "element_type", None), Float32Type | Float64Type)
                for type in types
            )
        )


@dataclass
class Member:
    """A call that can be fused: its prim func, and the prim func's symbols in the caller's sizes."""

    call: CallTirOp
    callee: Callee
    bindings: dict[str, Expr]


class Members:
    """Finds the calls that can be fused; calls of one prim func on equal types are decided once."""

    def __init__(self, symbols: dict[str, Operation]):
        self.symbols = symbols
        self.callees: dict[str, Callee | None] = {}
        self.bindings: dict[object, dict[str, Expr] | None] = {}

    def member(self, call: CallTirOp) -> Member | None:
        """Return the call as a possible member of a group, None if it stays as it is."""
        callee = self._callee(call.callee_name)
        if callee is None or len(call.results) != 1:
            return None
        types = (*call.operand_types, *call.result_types)
        key = (call.callee_name, call.symbols, types)
        if key not in self.bindings:
            self.bindings[key] = _bindings(call, callee)
        bindings = self.bindings[key]
        return None if bindings is None else Member(call, callee, bindings)

    def _callee(self, name: str) -> Callee | None:
        if name not in self.callees:
            function = self.symbols.get(name)
            fusable = (
                isinstance(function, func.FuncOp)
                and len(function.function_type.outputs) == 1
                and len(function.body.blocks) == 1
                and codegen_of(function) is None
            )
            self.callees[name] = Callee(function) if fusable else None  # pyright: ignore
        return self.callees[name]


def are_of_one_place(calls: Iterable[Operation]) -> bool:
    """Return whether failures in the checks of some calls would be reported as one op."""
    return len({(place, call.location) for call in calls if (place := place_of(call))}) <= 1


def _bindings(call: CallTirOp, callee: Callee) -> dict[str, Expr] | None:
    """Return the callee's symbols in the caller's sizes; None if the call has to check or to guess any."""
    found, _ = call.infer_with(callee.function)
    bindings = {k: v for k, v in found.bindings.items() if v is not None}
    if not found.proved or len(bindings) != len(found.bindings):
        return None
    if not all(_has_known_shape(v) for v in (*call.args, call.results[0])):
        return None
    if any(to_builtin(a.type) != t for a, t in zip(call.args, callee.tensors)):  # pyright: ignore
        return None
    return bindings


def _reads(argument: SSAValue) -> set[Order | None]:
    found: set[Order | None] = set()
    for use in argument.uses:
        user = use.operation
        if isinstance(user, tensor.DimOp):
            continue
        if isinstance(user, GenericOp) and use.index < len(user.inputs):
            found.add(permutation(user.indexing_maps.data[use.index].data))
        else:
            found.add(None)
    return found


def _is_reduced(argument: SSAValue) -> bool:
    """Return whether one reduction is the only op that reads an argument, each of its elements once."""
    uses = [use for use in argument.uses if not isinstance(use.operation, tensor.DimOp)]
    user = uses[0].operation if len(uses) == 1 else None
    return (
        isinstance(user, GenericOp)
        and is_reduction(user)
        and uses[0].index < len(user.inputs)
        and permutation(user.indexing_maps.data[uses[0].index].data) is not None
    )


def _has_known_shape(value: SSAValue) -> bool:
    type = value.type
    return (
        isinstance(type, TensorType)
        and type.dtype is not None
        and type.shape is not None
        and None not in type.shape
    )


def _is_elementwise_func(callee: func.FuncOp) -> bool:
    """Return whether a prim func is one elementwise generic."""
    generics = [op for op in callee.body.block.ops if isinstance(op, GenericOp)]
    rows = (tensor.ExtractOp, tensor.ExtractSliceOp)  # of `view_rows`
    others = (tensor.DimOp, tensor.EmptyOp, cf.AssertOp, func.ReturnOp, GenericOp, *rows)
    plain = all(
        isinstance(op, others) or op.dialect_name() == "arith" for op in callee.body.block.ops
    )
    return plain and len(generics) == 1 and is_elementwise(generics[0])
