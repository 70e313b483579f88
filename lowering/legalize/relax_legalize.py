"""relax-legalize: operators become calls of prim funcs made from their TE definitions.

    %y = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[1], f32>)
        -> !relax.tensor<[n], f32>
->
    %y = relax.call_tir @add(%a, %b) : (!relax.tensor<[n], f32>, !relax.tensor<[1], f32>)
        -> !relax.tensor<[n], f32>
    ...
    func.func private @add(%lhs: tensor<?xf32> {relax.dims = ["n"]}, ...) { linalg.generic ... }

Operators of the same kind, attributes, element types and shapes (up to the names of the symbolic variables)
share one prim func. Symbolic variables that are no dimension of an operand by themselves are passed in the
brackets of the call. An operator whose sizes depend on data becomes several ops: see `steps.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from lowering.legalize.direct_calls import rewrite_direct_calls
from lowering.legalize.narrow_products import (
    decode_rows,
    erase_unused,
    multiplied,
    narrow_products,
)
from lowering.legalize.prim_func_bodies import PrimFuncs
from lowering.legalize.registry import NAMED, RULES, apply_rule, known_tensor
from lowering.legalize.steps import STEPS, FreshNames, Steps, take_steps
from lowering.legalize.storage_casts import (
    bytes_type,
    from_bytes,
    is_stored,
    on_bytes,
    packed,
    to_bytes,
    unpacked,
    views_storage,
)
from relax_dialect import extensions, te
from relax_dialect.dialect import OPERATOR_FAMILIES
from relax_dialect.errors import blaming
from relax_dialect.ir.locations import inherit, ops_between
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.ir.walk import blocks_of
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import ConstantOp, FuncOp, ShapeOp
from relax_dialect.ops.memory import ViewOp
from relax_dialect.ops.shapes import ScalarToTensorOp
from relax_dialect.rewrites.algebra.fold_constant import fold_calls
from relax_dialect.rewrites.conversion.expand_compute import expand_compute
from relax_dialect.rewrites.quantization.narrowing.weights import NarrowWeight
from relax_dialect.tensor_definitions import Definition
from relax_dialect.transform.blocked_layouts import OnLayouts, expand_blocks
from relax_dialect.transform.dead_code import remove_unused_functions

for _family in OPERATOR_FAMILIES:  # importing the rules of a family fills the registry
    import_module(f"lowering.legalize.{_family.__name__.rpartition('.')[2]}")


class Legalizer:
    """Replaces operators in one module, with one prim func for each distinct operator."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.prim_funcs = PrimFuncs(module)

    def run(self) -> None:
        for function in self.module.ops:
            if isinstance(function, FuncOp):
                decode_rows(list(_operators(function)))
                names, ops = FreshNames(function), list(_operators(function))
                for op, weight in narrow_products(ops).items():
                    with blaming(op):
                        self.replace(op, names, weight)
                for op in ops:
                    if op.parent is not None:
                        with blaming(op):
                            self.replace(op, names)
        self.module.body.block.add_ops(self.prim_funcs.new)
        self._fold(self.prim_funcs.ahead)

    def _fold(self, calls: Sequence[CallTirOp]) -> None:
        """Evaluate calls on constants; remove prim funcs without other calls."""
        names = {call.callee_name for call in calls}
        fold_calls(self.module, calls)
        remove_unused_functions(self.module, names)

    def replace(
        self, op: OperatorOp, names: FreshNames, weight: NarrowWeight | None = None
    ) -> None:
        """Replace an operator by a call, or by the ops of its steps."""
        block = op.parent
        assert block is not None
        if isinstance(op, ViewOp) and views_storage(op):
            if (plain := on_bytes(op)) is not None:
                self.replace(plain, names)
            return
        if isinstance(op, OnLayouts) and op.is_blocked:
            for plain in expand_blocks(op):
                if isinstance(plain, OperatorOp) and not isinstance(plain, ShapeOp):
                    self.replace(plain, names)
            return
        _scalars_to_tensors(op)
        before, made = op.prev_op, len(self.prim_funcs.new)
        if weight is not None:
            results = multiplied(Steps(op, self.prim_funcs, names), weight)
        elif type(op) in STEPS:
            results = take_steps(op, self.prim_funcs, names)
        else:
            block.insert_op_before(call := self.call(op), op)
            results = [from_bytes(r, old.type, op) for r, old in zip(call.results, op.results)]
        inherit(ops_between(block, before, op), op.location)
        inherit(self.prim_funcs.new[made:], op.location)
        for old, new in zip(op.results, results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        constants = [o.owner for o in op.operands if is_stored(o.type)]
        sources = [] if weight is None else [o.owner for o in op.operands]
        op.detach()
        op.erase()
        erase_unused(sources)
        for constant in constants:  # of which the bytes are another
            if isinstance(constant, ConstantOp) and constant.result.first_use is None:
                constant.detach()
                constant.erase()

    def call(self, op: OperatorOp) -> CallTirOp:
        """Return the call that replaces an operator with a rule of tensor expressions."""
        inferred = op.checked_types()
        inputs = _placeholders(op)
        values = [operand for operand in op.operands if isinstance(operand.type, TensorType)]
        tensors = [to_bytes(value, op) for value in values]
        types = (*op.operand_types, *inferred)

        def build() -> tuple[list[te.Tensor], list[te.Tensor]]:
            for index, type in enumerate(inferred):
                known_tensor(op, f"result {index}", type, op.RESULT_KNOWN_BY or NAMED)
            codes = [unpacked(x, value.type) for x, value in zip(inputs, values)]
            outputs = [packed(out, type) for out, type in zip(apply_rule(op, codes), inferred)]
            for stage in te.stages_of(outputs, inputs):
                stage.checked = False
            return inputs, outputs

        results = list(map(bytes_type, op.result_types))
        return self.prim_funcs.call(op, "", tensors, types, build, results)


def _placeholders(op: OperatorOp) -> list[te.Tensor]:
    """Return the tensor operands."""
    shapes = {
        name: known_tensor(op, f"operand '{name}'", operand.type)
        for name, operand in zip(_operand_names(op), op.operands)
        if isinstance(operand.type, TensorType)
    }
    types = {name: bytes_type(TensorType.get(*known)) for name, known in shapes.items()}
    return [te.placeholder(type.shape, type.dtype, name=name) for name, type in types.items()]


def _scalars_to_tensors(op: OperatorOp) -> None:
    """Make tensors of rank 0 of the scalar operands."""
    for index, operand in enumerate(op.operands):
        if isinstance(operand.type, AnyFloat | IntegerType | PrimType):
            made = ScalarToTensorOp(operand)
            made.result.name_hint = operand.name_hint
            assert op.parent is not None
            op.parent.insert_op_before(made, op)
            op.operands[index] = made.result


def _operators(function: FuncOp) -> Iterator[OperatorOp]:
    """Yield the operators of the function that have a rule, in order, nested ones included."""
    work: list[Iterator[Operation]] = [iter(_nested(function))]
    while work:
        op = next(work[-1], None)
        if op is None:
            work.pop()
            continue
        if isinstance(op, OperatorOp) and (type(op) in RULES or type(op) in STEPS):
            yield op
        if op.regions:
            work.append(_nested(op))


def _nested(op: Operation) -> Iterator[Operation]:
    blocks: list[Block] = blocks_of(op)
    return (inner for block in blocks for inner in block.ops)


def _operand_names(op: OperatorOp) -> Sequence[str]:
    """Return the names of the operands in the operator's definition (numbered if there are more)."""
    positions = op.grouped(range(len(op.operands)))
    names: list[str] = []
    for (name, _), group in zip(op.get_irdl_definition().operands, positions):
        if isinstance(group, list):
            names += [f"{name}{index}" for index in range(len(group))]
        elif group is not None:
            names.append(name)
    return names


def definition(op: Operation) -> Definition | None:
    """Return the tensor expressions of an operator that has a rule."""
    extensions.each_module("legalize")
    return partial(apply_rule, op) if isinstance(op, OperatorOp) and type(op) in RULES else None


def legalize(module: ModuleOp) -> None:
    """Replace every operator that has a rule, and every direct call, by a call of its prim func."""
    extensions.each_module("legalize")  # importing them registers their rules
    expand_compute(module)
    rewrite_direct_calls(module)
    Legalizer(module).run()


@dataclass(frozen=True)
class LegalizePass(ModulePass):
    """Operators become calls of prim funcs: see this file's docstring."""

    name = "relax-legalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        legalize(op)
