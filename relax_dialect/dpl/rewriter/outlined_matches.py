"""Ops of a block are outlined into a private function, and replaced by a call.

    %0 = relax.matmul %x, %w : (...) -> ...
    %1 = relax.add %0, %b : (...) -> ...
->
    %1 = relax.call @fused_matmul_add(%x, %w, %b) : (...) -> ...

    relax.func private @fused_matmul_add(%x: ..., %w: ..., %b: ...) -> ... {
      %0 = relax.matmul %x, %w : (...) -> ...
      %1 = relax.add %0, %b : (...) -> ...
      relax.return %1 : ...
    }

The parameters are the captured values, with their types. A symbolic variable used inside that is not a bare
dimension of a parameter is passed through a last one, `!relax.shape<[m]>`. Several results are a tuple.
Functions that differ only in names are deduplicated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from relax_dialect.dpl.search.aliases import source
from relax_dialect.ir import order
from relax_dialect.ir.order import describe
from relax_dialect.ir.symbol_scopes import (
    candidate_symbols,
    entry_symbols,
    escaping_symbols,
    own_symbols,
    visible_symbols,
)
from relax_dialect.ir.traits import Straight, has_trait, stands_in_graph
from relax_dialect.ir.type_variables import bare_variables, free_variables, substitute
from relax_dialect.ir.types import tuple_type
from relax_dialect.ir.walk import blocks_of, discard, symbol_name, walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import (
    ConstantOp,
    FuncOp,
    ReturnOp,
    ShapeOp,
    TupleGetItemOp,
    TupleOp,
)
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.shape_value import ExpressionOp
from relax_dialect.symbolic import var
from relax_dialect.transform.bitwise_key import bits
from relax_dialect.transform.capturing import captured_values, sizes_argument
from relax_dialect.transform.cloning import substitute_attribute
from relax_dialect.transform.regions import erase, sort_regions, update_operands

COMPOSITE, CODEGEN, PARTITIONED = "Composite", "Codegen", "PartitionedFromPattern"
"""The attributes of a function that was outlined."""

MOST_NAMES = 6
"""The maximum number of ops listed in a function's name."""

UNNAMED = (ConstantOp, LetOp, ShapeOp, ExpressionOp, TupleGetItemOp, TupleOp)
"""Ops that are omitted from names."""


class Outliner:
    """Makes functions of ops for one module; equal ones are made once."""

    def __init__(self, module: ModuleOp):
        self._names = {name for op in module.ops if (name := symbol_name(op)) is not None}
        self._count = Counter[str]()
        self._made: dict[Hashable, FuncOp] = {}
        self._last: dict[FuncOp, FuncOp] = {}

    def outline(
        self,
        function: FuncOp,
        group: Iterable[Operation],
        before: Operation,
        attributes: Mapping[str, Attribute],
        *,
        name: str | None = None,
        bind_constants: bool | Collection[SSAValue] = True,
        order: Callable[[Sequence[SSAValue], Sequence[Operation]], Sequence[SSAValue]]
        | None = None,
    ) -> CallOp:
        """Insert a call of a new function, or of an equal one, before `before`, and move the ops into the
        function.

        The ops are in one block of `function`. Their operands defined outside must precede `before`, and
        their users follow it (see `why_not`). `bind_constants` copies constants, or those of a set, into
        the function instead of passing them. `order` sorts the arguments, which by default are in the order
        of their first use. `name` is the name of the new function, by default derived from the ops.
        """
        ops = in_order(group)
        if stands_in_graph(before.parent):
            for op in ops:
                sort_regions(op, True)
        inside = dict.fromkeys(o for op in ops for o in walk_ops(op))
        outputs = [r for op in ops for r in op.results if _leaves(r, inside)]
        outputs = outputs or list(ops[-1].results[:1])
        body = Block()
        own: dict[SSAValue, SSAValue] = {}
        arguments: list[SSAValue] = []
        for value in captured_values(inside):
            constant = _constant(value)
            if constant is not None and _is_bound(constant, bind_constants):
                body.add_op(copy := constant.clone())
                own[value] = copy.result
            else:
                arguments.append(value)
        if order is not None:
            arguments = list(order(arguments, ops))
        if sizes := _missing_symbols(inside, arguments, before):
            arguments.append(sizes_argument(sizes, before))
        for value in arguments:
            own[value] = body.insert_arg(value.type, len(body.args))
            own[value].name_hint = value.name_hint
        call = _place_call(arguments, outputs, before, inside)
        for op in inside:
            update_operands(op, own)
        for value in own:
            if isinstance(value.owner, ConstantOp) and value.first_use is None:
                erase(value.owner)
        for op in ops:
            op.detach()
            body.add_op(op)
        _return(body, outputs)
        made = FuncOp("", body.arg_types, call.result.type, Region(body), private=True)
        made.attributes |= attributes
        made.location = call.location
        callee = self._shared(made, function, name or f"fused_{told_name(ops)}")
        call.properties["callee"] = SymbolRefAttr(callee.sym_name.data)
        return call

    def _shared(self, made: FuncOp, origin: FuncOp, name: str) -> FuncOp:
        """Return the function itself, put into the module under a name like this one, or an equal one."""
        key = (name, function_key(made))
        known = self._made.get(key)
        if known is not None and known.parent is not None:
            discard(made.body.block)
            erase(made)
            return known
        made.sym_name = StringAttr(self._fresh(name))
        block = origin.parent
        assert block is not None
        block.insert_op_after(made, self._last.get(origin, origin))
        self._made[key] = self._last[origin] = made
        return made

    def _fresh(self, name: str) -> str:
        candidate = name
        while candidate in self._names:
            self._count[name] += 1
            candidate = f"{name}_{self._count[name]}"
        self._names.add(candidate)
        return candidate


def why_not(group: Collection[Operation]) -> str | None:
    """Return why ops that may be replaced as a whole cannot be outlined; None if they can.

    * An op that defines a symbolic variable stays: the variable is needed after it.
    * In a `relax.graph` a node is evaluated at the region of all its uses. A call evaluates its operands,
      so
      an op with regions, and ops of several results, would be evaluated elsewhere.
    """
    first = next(iter(group))
    for op in group:
        if escaping_symbols(op):
            return f"{describe(op)} defines a symbolic variable"
    owner = first.parent_op()
    if owner is None or has_trait(owner, Straight) or not stands_in_graph(first.parent):
        return None
    inside = set(group)
    if any(op.regions for op in group):
        return "an op with regions has no position of its own in a relax.graph"
    if sum(_leaves(r, inside) or r.first_use is None for op in group for r in op.results) > 1:
        return "several values may have different positions in a relax.graph"
    return None


def in_order(group: Iterable[Operation]) -> list[Operation]:
    """Sort ops of a block topologically, otherwise in their original order."""
    wanted = set(group := list(group))
    return order.in_order(group, lambda op: _needs(op, wanted))


def _needs(op: Operation, wanted: set[Operation]) -> list[Operation]:
    """Return the ops in `wanted` whose results an op, or one nested in it, uses."""
    values = op.operands if not op.regions else [v for o in walk_ops(op) for v in o.operands]
    return [v.op for v in values if isinstance(v, OpResult) and v.op in wanted and v.op is not op]


def _leaves(value: SSAValue, inside: Collection[Operation]) -> bool:
    return any(use.operation not in inside for use in value.uses)


def _constant(value: SSAValue) -> ConstantOp | None:
    """Return the constant that a value is, seen through bindings."""
    found = source(value)
    if isinstance(found, OpResult) and isinstance(found.op, ConstantOp):
        return found.op if found.type == value.type else None
    return None


def _is_bound(constant: ConstantOp, bind_constants: bool | Collection[SSAValue]) -> bool:
    if isinstance(bind_constants, bool):
        return bind_constants
    return constant.result in bind_constants


def _missing_symbols(
    inside: Collection[Operation], arguments: Sequence[SSAValue], before: Operation
) -> list[str]:
    """Return the symbolic variables defined outside that are a bare dimension of no argument."""
    named = {s for op in inside for s in own_symbols(op)}
    named.update(s for value in arguments for s in free_variables(value.type))
    named.difference_update(s for value in arguments for s in bare_variables(value.type))
    bound = {s for op in inside for s in candidate_symbols(op)}
    bound.update(s for op in inside for s in entry_symbols(op))
    if bound & named:
        named -= bound - visible_symbols(before, stands_in_graph(before.parent))
    return sorted(named)


def _place_call(
    arguments: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    before: Operation,
    inside: Collection[Operation],
) -> CallOp:
    """Insert a call without a callee, and replace the outputs by its results."""
    block = before.parent
    assert block is not None
    several = len(outputs) > 1
    type = tuple_type(o.type for o in outputs) if several else outputs[0].type
    call = CallOp.create(operands=arguments, result_types=[type])
    call.location = before.location
    block.insert_op_before(call, before)
    for index, old in enumerate(outputs):
        new: SSAValue = call.result
        if several:
            item = TupleGetItemOp(call.result, index)
            item.location = before.location
            block.insert_op_before(item, before)
            new = item.result
        new.name_hint = old.name_hint
        old.replace_uses_with_if(new, lambda use: use.operation not in inside)
    return call


def _return(body: Block, outputs: Sequence[SSAValue]) -> None:
    result = outputs[0]
    if len(outputs) > 1:
        body.add_op(packed := TupleOp(*outputs))
        result = packed.result
    body.add_op(ReturnOp(result))


def told_name(ops: Iterable[Operation]) -> str:
    """`matmul_add` for a product and a sum; a long one is cut."""
    names = [
        getattr(op, "callee_name", op.name.removeprefix("relax.")).replace(".", "_")
        for op in ops
        if not isinstance(op, UNNAMED)
    ]
    cut = ["etc"] if len(names) > MOST_NAMES else []
    return "_".join([*names[:MOST_NAMES], *cut]) or "values"


def function_key(function: FuncOp) -> Hashable:
    """Equal for functions that differ only in the names of themselves, of values and of symbols."""
    type = function.function_type
    names = dict.fromkeys(v for t in type.inputs for v in free_variables(t))
    renamed = {name: var(f"s{number}") for number, name in enumerate(names)}
    numbers: dict[SSAValue, int] = {}
    for op in walk_ops(function):
        for value in (*op.results, *(a for b in blocks_of(op) for a in b.args)):
            numbers[value] = len(numbers)
    parts: list[Hashable] = [substitute(type.output, renamed), _attributes(function.attributes)]
    for op in walk_ops(function):
        blocks = blocks_of(op)
        arguments = [tuple(substitute(t, renamed) for t in b.arg_types) for b in blocks]
        properties = {k: substitute_attribute(v, renamed) for k, v in op.properties.items()}
        parts.append(
            (
                op.name,
                tuple(numbers.get(operand, -1) for operand in op.operands),
                () if op is function else _attributes(properties),
                () if op is function else _attributes(op.attributes),
                tuple(substitute(t, renamed) for t in op.result_types),
                tuple(len(region.blocks) for region in op.regions),
                tuple((a, sum(1 for _ in b.ops)) for a, b in zip(arguments, blocks)),
                tuple(id(successor) for successor in op.successors),
            )
        )
    return tuple(parts)


def _attributes(attributes: Mapping[str, Attribute]) -> Hashable:
    return tuple((name, bits(value)) for name, value in sorted(attributes.items()))
