"""The variables that an op binds and uses, and their uses."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.ops.blocks import BlockOp, OutputOp


def bound_vars(op: Operation) -> list[SSAValue]:
    """Return the variables bound inside an op: parameters and bindings of its regions, in order of the
    text.

    The results of the op itself are bound in the enclosing region, and so are excluded.
    """
    return list(_bound(op))


def used_vars(op: Operation) -> list[SSAValue]:
    """Return the variables that an op and those inside it use, each once, in order of their first use."""
    return list(dict.fromkeys(v for inner in walk_ops(op) for v in inner.operands))


def free_vars(op: Operation) -> list[SSAValue]:
    """Return the variables that an op uses and does not bind, in order of their first use: none for a
    function."""
    bound = set(_bound(op))
    return [value for value in used_vars(op) if value not in bound]


def all_vars(op: Operation) -> list[SSAValue]:
    """Return the variables bound or used inside an op: the free ones first."""
    return [*free_vars(op), *_bound(op)]


def _bound(root: Operation) -> Iterator[SSAValue]:
    for op in walk_ops(root):
        if op is not root:
            yield from op.results
        for block in blocks_of(op):
            yield from block.args


def udchain(block: BlockOp) -> dict[SSAValue, list[SSAValue]]:
    """Map each variable bound or used in a block of bindings to the variables whose bindings use it. The
    operands of `relax.output` are used by the results of the block. A binding uses everything that the ops
    in its regions use.
    """
    users: dict[SSAValue, dict[SSAValue, None]] = {}
    for op in block.body.block.ops:
        if isinstance(op, OutputOp):
            for value, result in zip(op.operands, block.results):
                users.setdefault(value, {})[result] = None
        else:
            for value in free_vars(op):
                users.setdefault(value, {}).update(dict.fromkeys(op.results))
    for value in (*_bound(block), *block.results):
        users.setdefault(value, {})
    return {value: list(using) for value, using in users.items()}


def get_var2val(func: Operation) -> dict[SSAValue, Operation]:
    """Return the op that defines the value of each variable in a function.

    For a result of a block it is the op inside, unless the block passes on a parameter.
    """
    found: dict[SSAValue, Operation] = {}
    for op in walk_ops(func):
        if op is not func:
            found.update({result: _binding(result) for result in op.results})
    return found


def name_to_binding(func: Operation) -> dict[str, list[Operation]]:
    """Return the ops whose results have a name, by that name."""
    found: dict[str, list[Operation]] = {}
    for value, op in get_var2val(func).items():
        if value.name_hint is not None:
            found.setdefault(value.name_hint, []).append(op)
    return found


def _binding(result: OpResult) -> Operation:
    while isinstance(result.op, BlockOp):
        inner = result.op.output.operands[result.index]
        if not isinstance(inner, OpResult):
            break
        result = inner
    return result.op
