"""What a sequence of ops consists of, and what ops with regions use from outside."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.ir.call_graph import ops_inside


def statements(block: Block) -> list[Operation]:
    """The ops of a block but its terminator."""
    return list(block.ops)[:-1]


def terminator(block: Block) -> Operation:
    """The op that ends a block."""
    last = block.last_op
    assert last is not None
    return last


def captured(op: Operation) -> list[SSAValue]:
    """The values from outside that an op and those in its regions use, each once, in order."""
    if not op.regions:
        return list(dict.fromkeys(op.operands))
    inside = dict.fromkeys(ops_inside(op))
    own: set[SSAValue] = {value for each in inside for value in each.results}
    own.update(a for each in inside for r in each.regions for b in r.blocks for a in b.args)
    return list(dict.fromkeys(v for each in inside for v in each.operands if v not in own))
