"""relax-canonicalize-bindings: redundant bindings are removed, neighbouring blocks merged.

```mlir
%y = relax.dataflow {                          %y = relax.dataflow {
  %t = relax.tuple %x, %w : ...                  %t = relax.tuple %x, %w : ...
  %a = relax.tuple_get_item %t {index = 0}       %b = relax.exp %x : (T) -> T
  %b = relax.exp %a : (T) -> T                   %c = relax.tanh %b : (T) -> T
  relax.output %b, %a : T, T            ->       relax.output %c : T
}                                              }
%z = relax.dataflow {
  %c = relax.tanh %y#0 : (T) -> T
  relax.output %c : T
}
```

* A `match_*` to the type of its operand defines no variable and checks nothing. A variable that a `match_*`
  defines as a known size is replaced by that size: if `x: [m, n]` is cast to `[o, p]`, added to x and cast
  back to `[m, n]`, only the sum remains.
* A field taken from a tuple is the value put into it, and a tuple of all fields of a tuple is that tuple; a
  cast to a builtin tensor and back is removed.
* A `relax.let` is redundant unless it fixes the region of a graph node that some nested region uses.
* An output that is unused, duplicated, or defined outside the block is removed, and so is an empty block.
* Neighbouring blocks of one kind are merged, unless a graph region would make ambiguous which of two
  `match_*` defines a symbolic variable.

Only bindings of one block are considered together: a value leaves a block by `relax.output`, and a use of
another inner value would need a further output. Merging blocks first makes that unnecessary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.ir.symbol_scopes import escaping_symbols, named_symbols
from relax_dialect.ir.traits import is_transparent
from relax_dialect.normal_forms.blocks import graph_regions
from relax_dialect.normal_forms.needless_lets import dissolve_needless_lets
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp, OutputOp
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp, round_trip
from relax_dialect.ops.core import ConstantOp, FuncOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.transform.known_sizes import write_known_sizes
from relax_dialect.transform.regions import (
    Body,
    bodies,
    erase,
    functions,
    keep_name,
    remake,
    replace_uses,
    resolve,
    update_operands,
)


def _is_variable(value: SSAValue) -> bool:
    """Return whether a value is bound: a parameter, a constant, another variable."""
    owner = value.owner
    return not isinstance(owner, Operation) or isinstance(
        owner, LetOp | ConstantOp | MatchOp | BlockOp
    )


def _may_sink(body: Body) -> bool:
    """Return whether the ops of a body are nodes of a `relax.graph`, which lets may pin."""
    owner: Operation | None = body.owner
    while isinstance(owner, DataflowOp) or (owner is not None and is_transparent(owner)):
        owner = owner.parent_op()
    return isinstance(owner, GraphOp)


def _equivalent(op: Operation, body: Body, may_sink: bool) -> SSAValue | None:
    """Return the value equivalent to the result of an op, or None."""
    if not op.operands:
        return None
    source = op.operands[0].owner
    is_here = isinstance(source, Operation) and source.parent is body.block
    found: SSAValue | None = None
    if isinstance(op, MatchOp):
        found = op.operands[0]
    elif isinstance(op, LetOp):
        is_needless = not may_sink or _is_variable(op.value)
        found = op.value if is_needless and not op.stop_lift_params else None
    elif isinstance(op, TupleGetItemOp) and is_here and isinstance(source, TupleOp):
        found = source.fields[op.index]
    elif isinstance(op, TupleOp):
        found = _taken_apart(op)
    elif is_here and isinstance(op, FromBuiltinOp | ToBuiltinOp):
        found = round_trip(op)
    return found if found is not None and found.type == op.results[0].type else None


def _taken_apart(op: TupleOp) -> SSAValue | None:
    """Return the tuple whose fields, all of them and in order, a tuple is made of."""
    takes = [field.owner for field in op.fields]
    whole = takes[0].operands[0] if isinstance(takes[0], TupleGetItemOp) else None
    in_order = (
        isinstance(take, TupleGetItemOp) and take.operands[0] is whole and take.index == i
        for i, take in enumerate(takes)
    )
    return whole if all(in_order) else None


def _fold(body: Body) -> bool:
    """Remove the bindings of a block that are equivalent to another value."""
    replaced: dict[SSAValue, SSAValue] = {}
    needless: list[Operation] = []
    may_sink = _may_sink(body)
    for op in body.ops():
        update_operands(op, replaced)
        if (value := _equivalent(op, body, may_sink)) is not None:
            replaced[op.results[0]] = value
            keep_name(value, op.results[0])
            needless.append(op)
    replace_uses(replaced)
    for op in reversed(needless):
        erase(op)
    return bool(needless)


def _without_needless_outputs(block: BlockOp) -> BlockOp:
    """Keep only outputs that are used, defined inside, and no duplicates."""
    passed: dict[SSAValue, SSAValue] = {}
    replaced: dict[SSAValue, SSAValue] = {}
    kept: list[int] = []
    for index, (result, value) in enumerate(zip(block.results, block.output.operands)):
        if result.first_use is None:
            continue
        owner = value.owner
        is_inside = isinstance(owner, Operation) and owner.parent is block.body.block
        if is_inside and value not in passed:
            passed[value] = result
            kept.append(index)
        else:
            replaced[result] = passed[value] if is_inside else value
    replace_uses(replaced)
    return block if len(kept) == len(block.results) else remake(block, kept)


def _groups(blocks: Sequence[Operation]) -> Iterator[list[BlockOp]]:
    """Yield the runs of neighbouring blocks that can become one."""
    group: list[BlockOp] = []
    named: set[str] = set()
    for op in blocks:
        if not isinstance(op, BlockOp):
            yield group
            group = []
            continue
        ordered = isinstance(op, BindingBlockOp)
        defined = () if ordered else escaping_symbols(op)
        joins = group and type(op) is type(group[0]) and op.attributes == group[0].attributes
        joins = joins and not op.is_checkpoint
        if not joins or not named.isdisjoint(defined):
            yield group
            group = []
            named.clear()
        group.append(op)
        if not ordered:
            named.update(named_symbols(op))
    yield group


def _merge(group: Sequence[BlockOp]) -> None:
    """Make one block of neighbouring ones."""
    first, body, sequence = group[0], group[0].body.block, group[0].parent
    assert sequence is not None
    blocks = set(group)
    outputs = [block.output for block in group]
    mapping: dict[SSAValue, SSAValue] = {
        r: v for b in group for r, v in zip(b.results, b.output.operands)
    }
    replace_uses(mapping, lambda op: sequence.find_ancestor_op_in_block(op) in blocks)
    used = [result for result in mapping if result.first_use is not None]
    values = [resolve(mapping, result) for result in used]
    for output in outputs:
        erase(output)
    for block in group[1:]:
        for op in list(block.body.block.ops):
            op.detach()
            body.add_op(op)
    body.add_op(OutputOp.create(operands=values))
    merged = type(first).create(
        regions=[first.detach_region(0)],
        result_types=[value.type for value in values],
        attributes=first.attributes,
    )
    for result, old in zip(merged.results, used):
        result.name_hint = old.name_hint
    sequence.insert_op_before(merged, first)
    replace_uses(dict(zip(used, merged.results)))
    for block in group:
        erase(block)


def _clean_blocks(body: Body) -> bool:
    """Prune, remove and merge the blocks of a sequence."""
    changed = False
    blocks: list[Operation] = []
    for op in list(body.block.ops):
        if isinstance(op, BlockOp):
            pruned = _without_needless_outputs(op)
            changed |= pruned is not op
            if pruned.body.block.first_op is pruned.output:
                erase(pruned)
                changed = True
                continue
            op = pruned
        blocks.append(op)
    for group in [] if body.is_graph else list(_groups(blocks)):
        if len(group) > 1:
            _merge(group)
            changed = True
    return changed


def _canonicalize(function: FuncOp) -> bool:
    """Run one round, innermost blocks first; returns whether anything changed."""
    changed = False
    for body in reversed(list(bodies(function))):
        changed |= _fold(body)
        if any(isinstance(op, BlockOp) for op in body.block.ops):
            changed |= _clean_blocks(body)
    for block, _ in graph_regions(function):
        if isinstance(block, GraphOp):
            changed |= dissolve_needless_lets(block)
    return changed


def canonicalize_bindings(module: ModuleOp) -> None:
    """Remove redundant bindings from all functions."""
    for function in functions(module):
        canonicalize_function(function)


def canonicalize_function(function: FuncOp) -> None:
    """Remove redundant bindings from one function."""
    while _canonicalize(function) or write_known_sizes(function):
        pass


class CanonicalizeBindingsPass(ModulePass):
    """Remove redundant bindings, outputs and blocks."""

    name = "relax-canonicalize-bindings"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        canonicalize_bindings(op)
