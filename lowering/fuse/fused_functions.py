"""Prim funcs made of others: their bodies one after the other, and calls that replace several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.fuse.members import Member
from lowering.fuse.merge_generics import erase_dead, merge_elementwise
from lowering.fuse.merge_siblings import merge_siblings
from relax_dialect import symbolic
from relax_dialect.ir.locations import fused, inherit
from relax_dialect.ir.mlir.builtin_types import to_builtin
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import unique_name, walk_ops
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.prim.run_time_checks import PLACE, place_of, rename_sizes
from relax_dialect.prim.signature import DIMS, SCHEDULE, SYMBOL
from relax_dialect.prim.size_ops import SizeEmitter
from relax_dialect.symbolic import Expr

MAX_NAMED = 4
"""A fused function is named after its members, up to this many."""


@dataclass
class Fusion:
    """Builds the fused prim funcs of a module; equal groups share one."""

    module: ModuleOp
    symbols: dict[str, Operation] = field(init=False)
    made: dict[object, tuple[func.FuncOp, list[str]]] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.symbols = module_symbols(self.module)

    def fuse(self, group: Sequence[Member]) -> None:
        """Replace the calls of a group by one call of the fused prim func, which returns the results with
        other uses."""
        inside = {m.call.results[0] for m in group}
        inputs = list(dict.fromkeys(a for m in group for a in m.call.args if a not in inside))
        results = _needed(group)
        key = _key(group, inputs, results)
        if key not in self.made:
            self.made[key] = self._build(group, inputs, results)
        function, unbound = self.made[key]
        root = group[-1].call
        call = CallTirOp(
            function.sym_name.data,
            inputs,
            [symbolic.var(s) for s in unbound],
            [result.type for result in results],
        )
        by_checks = sorted(group, key=lambda member: not place_of(member.call))
        call.location = fused(member.call for member in by_checks)
        for place in filter(None, (place_of(member.call) for member in group)):
            call.attributes[PLACE] = StringAttr(place)
        assert root.parent is not None
        root.parent.insert_op_before(call, root)
        for old, new in zip(results, call.results):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        for member in reversed(group):
            self.replaced.add(member.call.callee_name)
            member.call.detach()
            member.call.erase()

    def _build(
        self, group: Sequence[Member], inputs: Sequence[SSAValue], results: Sequence[SSAValue]
    ) -> tuple[func.FuncOp, list[str]]:
        body = FusedBody(group, inputs, results)
        name = unique_name(_name(group), self.symbols)
        function = body.function(name)
        inherit([function], fused(member.callee.function for member in group))
        self.symbols[name] = function
        self.module.body.block.insert_op_after(function, group[-1].callee.function)
        return function, body.unbound


def _needed(group: Sequence[Member]) -> Sequence[SSAValue]:
    """Return the results of a group that are used outside of it, that of its last call in any case."""
    calls = {member.call for member in group}
    return [
        member.call.results[0]
        for member in group
        if member is group[-1] or any(u.operation not in calls for u in member.call.results[0].uses)
    ]


def _key(
    group: Sequence[Member], inputs: Sequence[SSAValue], results: Sequence[SSAValue]
) -> object:
    """Return the identity of a fused prim func: callees, wiring and types."""
    number: dict[SSAValue, int] = {value: i for i, value in enumerate(inputs)}
    number.update({m.call.results[0]: -1 - i for i, m in enumerate(group)})
    return (
        tuple(
            (m.call.callee_name, m.call.symbols, tuple(number[a] for a in m.call.args))
            for m in group
        ),
        tuple(v.type for v in inputs),
        tuple(m.call.results[0].type for m in group),
        tuple(number[v] for v in results),
    )


def _name(group: Sequence[Member]) -> str:
    names = [re.sub(r"(_\d+)+$", "", m.call.callee_name) for m in group]
    if len(names) > MAX_NAMED:
        return "_".join(names[: MAX_NAMED - 1]) + f"_and_{len(names) - MAX_NAMED + 1}_more"
    return "_".join(names)


class FusedBody:
    """The body of a fused prim func: its members' bodies, one after the other."""

    def __init__(
        self, group: Sequence[Member], inputs: Sequence[SSAValue], results: Sequence[SSAValue]
    ):
        self.group = group
        self.inputs = inputs
        self.results = results
        self.shapes = [_shape(v) for v in inputs]
        bare = symbolic.defined_by(d for s in self.shapes for d in s)
        needed = dict.fromkeys(v for d in self._dims() for v in d.free_variables)
        self.unbound = [v for v in needed if v not in bare]
        types: list[Attribute] = [to_builtin(v.type) for v in inputs]  # pyright: ignore
        types += [IndexType()] * len(self.unbound)
        self.block = Block(arg_types=types)
        self.symbols: dict[str, SSAValue] = {}
        for argument, value in zip(self.block.args, inputs):
            argument.name_hint = value.name_hint
        for argument, symbol in zip(self.block.args[len(inputs) :], self.unbound):
            argument.name_hint = symbol
            self.symbols[symbol] = argument
        self.sizes = SizeEmitter(self._add, self._symbol)

    def _dims(self) -> Iterable[Expr]:
        """Every size the function names, the sizes of its arguments first."""
        for shape in self.shapes:
            yield from shape
        for member in self.group:
            yield from member.bindings.values()

    def _add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def _symbol(self, name: str) -> SSAValue:
        """Return a symbol: an `index` argument, or read once from the first tensor that has it as a
        dimension."""
        if name not in self.symbols:
            argument, dimension = next(
                (argument, i)
                for argument, shape in zip(self.block.args, self.shapes)
                for i, dim in enumerate(shape)
                if dim.name == name
            )
            size = self._add(tensor.DimOp(argument, self.sizes.constant(dimension)))
            size.name_hint = name
            self.symbols[name] = size
        return self.symbols[name]

    def function(self, name: str) -> func.FuncOp:
        """Return the fused prim func."""
        values: dict[SSAValue, SSAValue] = dict(zip(self.inputs, self.block.args))
        for member in self.group:
            values[member.call.results[0]] = self._inline(member, values)
        self.block.add_op(func.ReturnOp(*(values[result] for result in self.results)))
        merge_elementwise(self.block)
        if len(self.results) > 1:
            merge_siblings(self.block)
        erase_dead(self.block)
        arguments = [_dims_attribute(s) for s in self.shapes]
        arguments += [DictionaryAttr({SYMBOL: StringAttr(s)}) for s in self.unbound]
        fused = func.FuncOp(
            name,
            (
                [a.type for a in self.block.args],
                [to_builtin(result.type) for result in self.results],  # pyright: ignore
            ),
            Region(self.block),
            visibility="private",
            arg_attrs=ArrayAttr(arguments),
            res_attrs=ArrayAttr(_dims_attribute(_shape(result)) for result in self.results),
        )
        for member in self.group:  # the schedule of the first that has one
            schedule = member.callee.function.attributes.get(SCHEDULE)
            if schedule is not None and SCHEDULE not in fused.attributes:
                fused.attributes[SCHEDULE] = schedule
        return fused

    def _inline(self, member: Member, values: dict[SSAValue, SSAValue]) -> SSAValue:
        """Append the body of a member's prim func; the value it returns."""
        source, signature = member.callee.function.body.block, member.callee.signature
        mapping: dict[SSAValue, SSAValue] = {
            p: values[a] for p, a in zip(source.args, member.call.args)
        }
        for argument, symbol in zip(source.args[len(signature.params) :], signature.symbols):
            mapping[argument] = self.sizes.size(member.bindings[symbol])
        for op in source.ops:
            if isinstance(op, func.ReturnOp):
                return mapping[op.operands[0]]
            known = self._known_size(op, member)
            if known is not None:
                mapping[op.results[0]] = known
                continue
            clone = op.clone(mapping)
            for inner in walk_ops(clone):
                rename_sizes(inner, member.bindings)
            self.block.add_op(clone)
            mapping.update(zip(op.results, clone.results))
        raise AssertionError("a prim func ends in func.return")

    def _known_size(self, op: Operation, member: Member) -> SSAValue | None:
        """Return an op that reads a size or holds an index, as the one value of it in this function."""
        if isinstance(op, arith.ConstantOp) and isinstance(op.result.type, IndexType):
            assert isinstance(op.value, IntegerAttr)
            return self.sizes.constant(op.value.value.data)
        if not isinstance(op, tensor.DimOp) or not isinstance(op.index.owner, arith.ConstantOp):
            return None
        source, value = op.source, op.index.owner.value
        if source.owner is not member.callee.function.body.block or not isinstance(
            value, IntegerAttr
        ):
            return None
        shape = member.callee.signature.params[source.index].shape  # pyright: ignore
        dim = shape[value.value.data] if shape is not None else None
        return None if dim is None else self.sizes.size(dim.substitute(member.bindings))


def _shape(value: SSAValue) -> tuple[Expr, ...]:
    assert isinstance(value.type, TensorType) and value.type.shape is not None
    return value.type.shape  # pyright: ignore[reportReturnType]


def _dims_attribute(shape: Iterable[Expr]) -> DictionaryAttr:
    return DictionaryAttr({DIMS: ArrayAttr(StringAttr(str(d)) for d in shape)})
