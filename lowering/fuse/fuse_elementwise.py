"""Fusing calls of prim funcs: elementwise chains, the epilogue of a contraction or reduction, and what
reductions reduce.

    %0 = relax.call_tir @matmul(%x, %w) : ...
    %1 = relax.call_tir @add(%0, %b) : ...
    %2 = relax.call_tir @relu(%1) : ...
    ->
    %2 = relax.call_tir @matmul_add_relu(%x, %w, %b) : ...

In the prim func the elementwise stages become one `linalg.generic`; the contraction stays a stage of
its own in front of it, so that a schedule can tile both at the same offsets. What a sum, or another
reduction, reads is computed as it is read, and no array of it is made:

    %0 = relax.call_tir @multiply(%x, %y) : ...
    %1 = relax.call_tir @sum(%0) : ...
    ->
    %1 = relax.call_tir @multiply_sum(%x, %y) : ...

A call joins the group of its users when all of them are in the group and read each of its elements
once, so the group has one result and nothing is computed twice. At most one call of a group has checks, so
that their messages have one place (`relax.place`). It works within a block: a value
that leaves its block is needed there as a whole.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass

from lowering.external.library_kernel import codegen_of
from lowering.fuse.merge_generics import (
    erase_dead,
    is_elementwise,
    is_reduction,
    merge_elementwise,
    permutation,
)
from lowering.ir.uncalled import erase_uncalled
from relax_dialect import symbolic
from relax_dialect.ir.call_graph import ops_inside, unique_name
from relax_dialect.ir.locations import fused, inherit
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import TensorType, to_builtin
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim.run_time_checks import PLACE, place_of, rename_sizes
from relax_dialect.prim.signature import DIMS, SCHEDULE, SYMBOL, signature
from relax_dialect.prim.size_ops import SizeEmitter
from relax_dialect.symbolic import Expr
from relax_dialect.transform.regions import bodies

MAX_NAMED = 4
"""A fused function is named after its members, up to this many."""


MAX_MEMBERS = 64
"""A group grows no larger: the loops of a kernel are to fit into registers and caches."""


# What a call is --------------------------------------------------------------------------------


Order = tuple[int, ...]
"""The order in which the elements of an argument are read: a permutation of its dimensions."""


class Callee:
    """A prim func that may become part of another, with what its calls have in common."""

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
        """Whether some argument is read in the order that the result is written in, so that its sizes tell
        those of all loops, none in another, and all are floats that reductions have vectors of."""
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
        """The call as a possible member of a group, None if it stays as it is."""
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
                and function.body.first_block is not None
                and codegen_of(function) is None
            )
            self.callees[name] = Callee(function) if fusable else None  # pyright: ignore
        return self.callees[name]


def _bindings(call: CallTirOp, callee: Callee) -> dict[str, Expr] | None:
    """The callee's symbols in the caller's sizes; None if the call has to check or to guess any."""
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
    """Whether one reduction is the only op that reads an argument, each of its elements once."""
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
    """Whether a prim func is one elementwise generic."""
    generics = [op for op in callee.body.block.ops if isinstance(op, GenericOp)]
    others = (tensor.DimOp, tensor.EmptyOp, cf.AssertOp, func.ReturnOp, GenericOp)
    plain = all(
        isinstance(op, others) or op.dialect_name() == "arith" for op in callee.body.block.ops
    )
    return plain and len(generics) == 1 and is_elementwise(generics[0])


# Groups ----------------------------------------------------------------------------------------


def groups(order: Sequence[Operation], candidates: Members) -> Iterator[list[Member]]:
    """The groups of two and more calls that become one, members in the order of evaluation."""
    place = {op: index for index, op in enumerate(order)}
    members: dict[Operation, Member] = {
        op: member
        for op in order
        if isinstance(op, CallTirOp) and (member := candidates.member(op)) is not None
    }
    taken: set[Operation] = set()
    for op in reversed(order):
        member = members.get(op)
        if member is None or op in taken:
            continue
        if not member.callee.elementwise and not member.callee.takes_prologue:
            continue
        group = _grow(member, members, place, taken)
        taken.update(group)
        if len(group) > 1:
            yield [members[o] for o in sorted(group, key=place.__getitem__)]


def _grow(
    root: Member,
    members: dict[Operation, Member],
    place: dict[Operation, int],
    taken: set[Operation],
) -> set[Operation]:
    """Take in producers, the latest first, so that all users of one are decided before it is."""
    group: set[Operation] = {root.call}
    anchor, has_checks = None if root.callee.elementwise else root.call, bool(place_of(root.call))
    prologue: set[Operation] = set()
    seen: set[Operation] = set()
    pending: list[tuple[int, Operation]] = []

    def offer(member: Member) -> None:
        for value in member.call.args:
            if isinstance(value, OpResult) and value.op in place and value.op not in seen:
                seen.add(value.op)
                heapq.heappush(pending, (-place[value.op], value.op))

    def reduced(op: Operation) -> bool:
        """Whether an op is read by the anchor, or by what that reads."""
        users = {use.operation for use in op.results[0].uses}
        return anchor in users or not prologue.isdisjoint(users)

    offer(root)
    while pending and len(group) < MAX_MEMBERS:
        _, op = heapq.heappop(pending)
        candidate = members.get(op)
        if candidate is None or op in taken:
            continue
        if not candidate.callee.elementwise and anchor is not None:
            continue
        if has_checks and place_of(op):
            continue
        if not _joins(candidate, group, members):
            continue
        if reduced(op):
            if not candidate.callee.is_in_order:
                continue
            prologue.add(op)
        group.add(op)
        has_checks = has_checks or bool(place_of(op))
        if not candidate.callee.elementwise:
            anchor = op
        if candidate.callee.elementwise or candidate.callee.takes_prologue:
            offer(candidate)
    return group


def _joins(candidate: Member, group: set[Operation], members: dict[Operation, Member]) -> bool:
    """Whether all users are in the group and read every element once, an anchor's in its order."""
    for use in candidate.call.results[0].uses:
        user = use.operation
        if user not in group:
            return False
        callee = members[user].callee
        if not callee.elementwise:
            if not candidate.callee.elementwise or not callee.reduces[use.index]:
                return False
            continue
        for order in callee.reads[use.index]:
            if order is None:
                return False
            if not candidate.callee.elementwise and order != tuple(range(len(order))):
                return False
    return True


# Fused functions -------------------------------------------------------------------------------


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
        """Replace the calls of a group by one call of the fused prim func."""
        inside = {m.call.results[0] for m in group}
        inputs = list(dict.fromkeys(a for m in group for a in m.call.args if a not in inside))
        key = _key(group, inputs)
        if key not in self.made:
            self.made[key] = self._build(group, inputs)
        function, unbound = self.made[key]
        root = group[-1].call
        call = CallTirOp(
            function.sym_name.data,
            inputs,
            [symbolic.var(s) for s in unbound],
            list(root.result_types),
        )
        call.results[0].name_hint = root.results[0].name_hint
        by_checks = sorted(group, key=lambda member: not place_of(member.call))
        call.location = fused(member.call for member in by_checks)
        for place in filter(None, (place_of(member.call) for member in group)):
            call.attributes[PLACE] = StringAttr(place)
        assert root.parent is not None
        root.parent.insert_op_before(call, root)
        root.results[0].replace_all_uses_with(call.results[0])
        for member in reversed(group):
            self.replaced.add(member.call.callee_name)
            member.call.detach()
            member.call.erase()

    def _build(
        self, group: Sequence[Member], inputs: Sequence[SSAValue]
    ) -> tuple[func.FuncOp, list[str]]:
        body = FusedBody(group, inputs)
        name = unique_name(_name(group), self.symbols)
        function = body.function(name)
        inherit([function], fused(member.callee.function for member in group))
        self.symbols[name] = function
        self.module.body.block.insert_op_after(function, group[-1].callee.function)
        return function, body.unbound


def _key(group: Sequence[Member], inputs: Sequence[SSAValue]) -> object:
    """The identity of a fused prim func: callees, wiring and types."""
    number: dict[SSAValue, int] = {value: i for i, value in enumerate(inputs)}
    number.update({m.call.results[0]: -1 - i for i, m in enumerate(group)})
    return (
        tuple(
            (m.call.callee_name, m.call.symbols, tuple(number[a] for a in m.call.args))
            for m in group
        ),
        tuple(v.type for v in inputs),
        tuple(m.call.results[0].type for m in group),
    )


def _name(group: Sequence[Member]) -> str:
    names = [re.sub(r"(_\d+)+$", "", m.call.callee_name) for m in group]
    if len(names) > MAX_NAMED:
        return "_".join(names[: MAX_NAMED - 1]) + f"_and_{len(names) - MAX_NAMED + 1}_more"
    return "_".join(names)


class FusedBody:
    """The body of a fused prim func: its members' bodies, one after the other."""

    def __init__(self, group: Sequence[Member], inputs: Sequence[SSAValue]):
        self.group = group
        self.inputs = inputs
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
        """Every size the function names, those of its arguments first."""
        for shape in self.shapes:
            yield from shape
        for member in self.group:
            yield from member.bindings.values()

    def _add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def _symbol(self, name: str) -> SSAValue:
        """A symbol: an `index` argument, or read once from the first tensor where it stands bare."""
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
        """The fused prim func."""
        values: dict[SSAValue, SSAValue] = dict(zip(self.inputs, self.block.args))
        for member in self.group:
            values[member.call.results[0]] = self._inline(member, values)
        result = values[self.group[-1].call.results[0]]
        self.block.add_op(func.ReturnOp(result))
        merge_elementwise(self.block)
        erase_dead(self.block)
        result = self.block.last_op.operands[0]  # pyright: ignore[reportOptionalMemberAccess]
        arguments = [_dims_attribute(s) for s in self.shapes]
        arguments += [DictionaryAttr({SYMBOL: StringAttr(s)}) for s in self.unbound]
        fused = func.FuncOp(
            name,
            ([a.type for a in self.block.args], [result.type]),
            Region(self.block),
            visibility="private",
            arg_attrs=ArrayAttr(arguments),
            res_attrs=ArrayAttr([_dims_attribute(_shape(self.group[-1].call.results[0]))]),
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
            for inner in ops_inside(clone):
                rename_sizes(inner, member.bindings)
            self.block.add_op(clone)
            mapping.update(zip(op.results, clone.results))
        raise AssertionError("a prim func ends in func.return")

    def _known_size(self, op: Operation, member: Member) -> SSAValue | None:
        """An op that reads a size or holds an index, as the one value of it in this function."""
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


# The pass --------------------------------------------------------------------------------------


def fuse_elementwise(module: ModuleOp) -> None:
    """Fuse calls of prim funcs in every block of the module's relax.funcs."""
    fusion = Fusion(module)
    candidates = Members(fusion.symbols)
    for function in [op for op in module.body.block.ops if isinstance(op, FuncOp)]:
        for body in bodies(function):
            for group in list(groups(body.ops(), candidates)):
                fusion.fuse(group)
    erase_uncalled(module, fusion.symbols, fusion.replaced)


class FuseElementwisePass(ModulePass):
    """Fuse elementwise chains and epilogues, see the module docstring."""

    name = "relax-fuse-elementwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fuse_elementwise(op)
