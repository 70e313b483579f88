"""relax-legalize: operators become calls of prim funcs made from their TE definitions.

    %y = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[1], f32>)
        -> !relax.tensor<[n], f32>
->
    %y = relax.call_tir @add(%a, %b) : (!relax.tensor<[n], f32>, !relax.tensor<[1], f32>)
        -> !relax.tensor<[n], f32>
    ...
    func.func private @add(%lhs: tensor<?xf32> {relax.dims = ["n"]}, ...) { linalg.generic ... }

Operators of the same kind, attributes, element types and shapes (up to the names of the symbolic
variables) share one prim func. Symbolic variables that stand bare in no operand are passed in the
brackets of the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass

from lowering.legalize import (
    activation,
    attention,
    binary,
    convolution,
    create,
    cumulative,
    datatype,
    image,
    indexing,
    linear_algebra,
    loss,
    manipulate,
    normalization,
    pooling,
    quantization,
    recurrent,
    search,
    sorting,
    statistical,
    ternary,
    unary,
)
from lowering.legalize.registry import OPERAND_SHAPES, RULES, apply_rule, known_tensor
from relax_dialect import symbolic, te
from relax_dialect.errors import RelaxError
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim_func import signature
from relax_dialect.types import TensorType, free_variables, substitute

FAMILIES = (
    unary,
    binary,
    ternary,
    create,
    datatype,
    statistical,
    cumulative,
    search,
    sorting,
    manipulate,
    indexing,
    linear_algebra,
    activation,
    normalization,
    convolution,
    pooling,
    attention,
    loss,
    image,
    recurrent,
    quantization,
)
"""The files of rules; importing them fills the registry."""


@dataclass(frozen=True)
class PrimFunc:
    """A prim func made here: its name, and the canonical names of the sizes its callers pass."""

    name: str
    unbound: tuple[str, ...]


class Legalizer:
    """Replaces operators in one module, with one prim func for each distinct operator."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.made: dict[Any, PrimFunc] = {}
        self.new_funcs: list[func.FuncOp] = []
        self.names = {
            name.data
            for op in module.ops
            if isinstance(name := op.properties.get("sym_name"), StringAttr)
        }

    def run(self) -> None:
        for function in self.module.ops:
            if isinstance(function, FuncOp):
                for op in list(_operators(function)):
                    self.replace(op)
        self.module.body.block.add_ops(self.new_funcs)

    def replace(self, op: OperatorOp) -> None:
        """Put a call in the place of an operator."""
        block = op.parent
        assert block is not None
        renamed = _canonical_names(op)
        key = _key(op, renamed)
        if key not in self.made:
            self.made[key] = self.make(op, renamed)
        prim_func = self.made[key]
        sizes = {canonical: symbolic.var(name) for name, canonical in renamed.items()}
        tensors = [operand for operand in op.operands if isinstance(operand.type, TensorType)]
        call = CallTirOp(
            prim_func.name, tensors, [sizes[s] for s in prim_func.unbound], op.result_types
        )
        for old, new in zip(op.results, call.results):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        block.insert_op_before(call, op)
        op.detach()
        op.erase()

    def make(self, op: OperatorOp, renamed: Mapping[str, str]) -> PrimFunc:
        """Make the prim func of an operator from its rule."""
        shapes = {
            name: known_tensor(op, f"operand '{name}'", operand.type)
            for name, operand in zip(_operand_names(op), op.operands)
            if isinstance(operand.type, TensorType)
        }
        if (unified := OPERAND_SHAPES.get(type(op))) is not None:
            dtypes = [dtype for _, dtype in shapes.values()]
            sizes = unified([shape for shape, _ in shapes.values()])
            shapes = dict(zip(shapes, zip(sizes, dtypes)))
        for index, inferred in enumerate(op.infer()):
            known_tensor(op, f"result {index}", inferred)
        name = self.unique_name(op.name.rpartition(".")[2])
        try:
            inputs = [te.placeholder(*known, name=operand) for operand, known in shapes.items()]
            outputs = apply_rule(op, inputs)
            function = te.create_prim_func([*inputs, *outputs], name)
        except RelaxError as error:
            if str(error).startswith(op.name):
                raise
            raise RelaxError(f"{op.name}: cannot be legalized: {error}") from error
        self.new_funcs.append(function)
        return PrimFunc(name, tuple(renamed[s] for s in signature(function).unbound))

    def unique_name(self, base: str) -> str:
        name, number = base, 0
        while name in self.names:
            number += 1
            name = f"{base}_{number}"
        self.names.add(name)
        return name


def _operators(function: FuncOp) -> Iterator[OperatorOp]:
    """The operators that have a rule, in order, wherever they stand in the function."""
    work: list[Iterator[Operation]] = [iter(_nested(function))]
    while work:
        op = next(work[-1], None)
        if op is None:
            work.pop()
            continue
        if isinstance(op, OperatorOp) and type(op) in RULES:
            yield op
        if op.regions:
            work.append(_nested(op))


def _nested(op: Operation) -> Iterator[Operation]:
    blocks: list[Block] = [block for region in op.regions for block in region.blocks]
    return (inner for block in blocks for inner in block.ops)


def _operand_names(op: OperatorOp) -> Sequence[str]:
    """The names of the operands in the operator's definition (numbered if there are more)."""
    positions = op.grouped(range(len(op.operands)))
    names: list[str] = []
    for (name, _), group in zip(op.get_irdl_definition().operands, positions):
        if isinstance(group, list):
            names += [f"{name}{index}" for index in range(len(group))]
        elif group is not None:
            names.append(name)
    return names


def _types(op: OperatorOp) -> tuple[Attribute, ...]:
    """What the loops of an operator depend on: the types of its operands and inferred results."""
    return (*op.operand_types, *op.infer())


def _canonical_names(op: OperatorOp) -> dict[str, str]:
    """Every symbolic variable of an operator's types with a name by order of appearance."""
    found = dict.fromkeys(name for type in _types(op) for name in free_variables(type))
    return {name: f"s{index}" for index, name in enumerate(found)}


def _key(op: OperatorOp, renamed: Mapping[str, str]) -> Any:
    """Equal for operators that can share a prim func."""
    mapping = {name: symbolic.var(canonical) for name, canonical in renamed.items()}
    types = tuple(substitute(type, mapping) for type in _types(op))
    return type(op), frozenset(op.properties.items()), frozenset(op.attributes.items()), types


def legalize(module: ModuleOp) -> None:
    """Replace every operator that has a rule by a call of its prim func."""
    Legalizer(module).run()


@dataclass(frozen=True)
class RelaxLegalizePass(ModulePass):
    """Operators become calls of prim funcs: see this file's docstring."""

    name = "relax-legalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        legalize(op)
