"""Shared work of passes: walking the blocks of a function, replacing values, making and remaking blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import topological_order
from relax_dialect.ir.traits import HoldsScalars, has_trait, region_is_graph
from relax_dialect.ir.walk import blocks_of, discard
from relax_dialect.ops.blocks import BlockOp, OutputOp
from relax_dialect.ops.core import FuncOp


@dataclass(frozen=True)
class Body:
    """A block of Relax ops: the body of a function, branch, closure, or block of bindings."""

    block: Block
    is_graph: bool
    """Whether the order of the ops is free."""
    owner: Operation

    @property
    def is_sequence(self) -> bool:
        """Whether it is an ordered sequence of blocks and bindings, but no block of bindings."""
        return not self.is_graph and not isinstance(self.owner, BlockOp)

    def ops(self) -> list[Operation]:
        """Return the ops in topological order."""
        return topological_order(self.block) if self.is_graph else list(self.block.ops)


def functions(module: ModuleOp) -> list[FuncOp]:
    """Return the Relax functions of a module and of the modules in it."""
    found: list[FuncOp] = []
    modules = [module]
    while modules:
        for op in modules.pop().ops:
            if isinstance(op, FuncOp):
                found.append(op)
            elif isinstance(op, ModuleOp):
                modules.append(op)
    return found


def function_named(module: ModuleOp, name: str, pass_name: str, option: str = "func") -> FuncOp:
    """Return the function that an option of a pass names; an error if there is none."""
    found = functions(module)
    for func in found:
        if func.sym_name.data == name:
            return func
    known = ", ".join(f"@{func.sym_name.data}" for func in found) or "there are none"
    raise RelaxError(
        f"{pass_name}: expected the name of a function ({known}), found @{name}; correct the option "
        f"{option}"
    )


def bodies(root: Operation, in_graph: bool = False) -> Iterator[Body]:
    """Yield the bodies inside a Relax op, each before those nested in it.

    The regions of other dialects' ops, and those of scalars, are left out: their order and scoping are
    not those of bindings.
    """
    stack = [(root, in_graph)]
    while stack:
        op, inherited = stack.pop()
        is_graph = region_is_graph(op, inherited)
        for region in op.regions:
            block = region.first_block
            if block is not None:
                yield Body(block, is_graph, op)
                stack.extend((o, is_graph) for o in block.ops if o.regions and holds_bindings(o))


def is_relax(op: Operation) -> bool:
    """Return whether an op is of the Relax dialect."""
    return op.name.startswith("relax.")


def holds_bindings(op: Operation) -> bool:
    """Whether the regions of an op hold bindings of Relax values."""
    return is_relax(op) and not has_trait(op, HoldsScalars)


def set_type(value: SSAValue, type: Attribute) -> None:
    """Change the type of a value in place."""
    value._type = type  # pyright: ignore[reportPrivateUsage]


def erase(op: Operation) -> None:
    """Take an op without uses out of its block."""
    if op.parent is not None:
        op.detach()
    for block in blocks_of(op):
        discard(block)
    while op.regions:
        op.detach_region(0)
    op.erase()


def replace_uses(
    mapping: Mapping[SSAValue, SSAValue], where: Callable[[Operation], bool] = lambda _: True
) -> None:
    """Replace values by others in all ops that `where` accepts, each op changed once.

    A replacement may be replaced itself.
    """
    users = dict.fromkeys(
        use.operation for old in mapping for use in old.uses if where(use.operation)
    )
    for user in users:
        user.operands = [resolve(mapping, operand) for operand in user.operands]
    for old, new in mapping.items():
        if isinstance(old, OpResult) and isinstance(new, OpResult):
            inherit([new.op], old.op.location)


def resolve(mapping: Mapping[SSAValue, SSAValue], value: SSAValue) -> SSAValue:
    """Return the value that replaces another in the end."""
    while (replacement := mapping.get(value)) is not None:
        value = replacement
    return value


def update_operands(op: Operation, mapping: Mapping[SSAValue, SSAValue]) -> None:
    """Replace the operands of one op."""
    if any(operand in mapping for operand in op.operands):
        op.operands = [resolve(mapping, operand) for operand in op.operands]


def keep_name(value: SSAValue, old: SSAValue) -> None:
    """Set the name of a value to that of the one it replaces, unless it has a name."""
    if value.name_hint is None:
        value.name_hint = old.name_hint


def enclose(ops: Sequence[Operation], kind: type[BlockOp]) -> BlockOp:
    """Move neighbouring ops into a block, which passes out the values used after them."""
    last = ops[-1]
    sequence, following = last.parent, last.next_op
    assert sequence is not None and following is not None, "a sequence ends in a terminator"
    inside = set(ops)
    results = [result for op in ops for result in op.results]
    users = {use.operation for result in results for use in result.uses}
    outside = {user for user in users if sequence.find_ancestor_op_in_block(user) not in inside}
    outputs = [r for r in results if any(use.operation in outside for use in r.uses)]
    body = Block()
    for op in ops:
        op.detach()
        body.add_op(op)
    block = kind.create(regions=[Region(body)], result_types=[v.type for v in outputs])
    for result, value in zip(block.results, outputs):
        result.name_hint = value.name_hint
    replace_uses(dict(zip(outputs, block.results)), outside.__contains__)
    body.add_op(OutputOp.create(operands=outputs))
    sequence.insert_op_before(block, following)
    return block


def remake(block: BlockOp, kept: Sequence[int], kind: type[BlockOp] | None = None) -> BlockOp:
    """Return the block with only some of its outputs, as a `kind` if one is passed.

    The others must be unused.
    """
    sequence = block.parent
    assert sequence is not None
    output = block.output
    if len(kept) != len(output.operands):
        output.operands = [output.operands[i] for i in kept]
    old = block.results
    new = (kind or type(block)).create(
        regions=[block.detach_region(0)],
        result_types=[old[i].type for i in kept],
        attributes=block.attributes,
    )
    for result, index in zip(new.results, kept):
        result.name_hint = old[index].name_hint
    sequence.insert_op_before(new, block)
    replace_uses({old[i]: result for result, i in zip(new.results, kept)})
    erase(block)
    return new


def dissolve(block: BlockOp) -> list[Operation]:
    """Inline the ops of a block before it; return them, without `relax.output`."""
    sequence = block.parent
    assert sequence is not None
    output = block.output
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.results, output.operands))
    for result, value in mapping.items():
        keep_name(value, result)
    replace_uses(mapping)
    ops = [op for op in block.body.block.ops if op is not output]
    for op in ops:
        op.detach()
        sequence.insert_op_before(op, block)
    erase(block)
    return ops


def reorder(block: Block, order: Iterable[Operation]) -> None:
    """Put the ops of a block into another order."""
    for op in order:
        op.detach()
        block.add_op(op)


def sort_regions(
    root: Operation,
    in_graph: bool = False,
    order: Callable[[Block], list[Operation]] | None = None,
) -> bool:
    """Sort the graph regions inside an op; return whether anything moved."""
    changed = False
    for body in bodies(root, in_graph):
        if not body.is_graph:
            continue
        sorted_ops = body.ops() if order is None else order(body.block)
        if sorted_ops != list(body.block.ops):
            reorder(body.block, sorted_ops)
            changed = True
    return changed
