"""relax-check-basic-block-normal-form: an error for the first value that breaks D1 or D2.

(D0) A block is a region. The condition of an `if` is used in the block that holds the `if`.
(D1) A node belongs to the one block that evaluates it.
(D2) A value used in several blocks is a variable: a `relax.let`, a parameter, a constant, or the result of
`relax.match_*`. Outside of `relax.graph` every binding is one.

```mlir
%r = relax.graph {
  %a = relax.add %x, %x : (T, T) -> T
  %r = relax.if %c : (B) -> T {         ->  error: @f: %a (relax.add) is used in the then-branch
    relax.yield %a : T                      of relax.if (%r) and in the else-branch of relax.if
  } else {                                  (%r), but is no variable: ...
    relax.yield %a : T
  }
  relax.output %r : T
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.traits import is_transparent
from relax_dialect.normal_forms.flat import is_variable, nested_ops
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.transform.regions import functions


class NormalFormError(RelaxError):
    """A function that is not in the required normal form."""


def check_basic_block_normal_form(func: FuncOp) -> None:
    """Raise `NormalFormError` for the first value, in the order of the text, used by other blocks."""
    blocks: dict[SSAValue, list[Block]] = {}
    for op in nested_ops(func):
        block = op.parent
        assert block is not None
        for operand in op.operands:
            users = blocks.setdefault(operand, [])
            if len(users) < 2 and block not in users:
                users.append(block)
    for op in _nodes(func):
        if is_variable(op):
            continue
        for result in op.results:
            users = blocks.get(result, [])
            if any(block is not op.parent for block in users):
                raise NormalFormError(f"@{func.sym_name.data}: {_explain(result, users)}")


def _nodes(func: FuncOp) -> Iterator[Operation]:
    """Yield the ops of all graph regions of `relax.graph`s, including those in branches and closures."""
    in_graph: dict[Block, bool] = {}
    for op in nested_ops(func):
        block = op.parent
        assert block is not None
        if block not in in_graph:
            owner = block.parent_op()
            assert owner is not None
            inherited = is_transparent(owner) and in_graph.get(owner.parent, False)  # pyright: ignore
            in_graph[block] = isinstance(owner, GraphOp) or inherited
        if in_graph[block]:
            yield op


def _explain(value: OpResult, users: list[Block]) -> str:
    own = value.op.parent
    assert own is not None
    name = f"%{value.name_hint}" if value.name_hint else "a value"
    subject = f"{name} ({value.op.name})"
    if len(users) > 1:
        return (
            f"{subject} is used in {_place(users[0])} and in {_place(users[1])}, but is no variable: "
            "expected a node that one block alone uses (D2), found two blocks; insert a relax.let "
            f"after it, in {_place(own)}, and use that"
        )
    return (
        f"{subject} is in {_place(own)}, but is used only in {_place(users[0])}, and is no "
        "variable: expected a node in the block that evaluates it (D1), found it in another; move it "
        f"there, or insert a relax.let after it, in {_place(own)}, and use that"
    )


def _place(block: Block) -> str:
    """Return a block as a message names it: `the then-branch of relax.if (%r)`."""
    owner = block.parent_op()
    assert owner is not None
    if isinstance(owner, IfOp):
        branch = "then" if block is owner.then_region.block else "else"
        return f"the {branch}-branch of {describe(owner)}"
    if isinstance(owner, WhileOp) and block is owner.condition.block:
        return f"the condition of {describe(owner)}"
    return describe(owner) if isinstance(owner, GraphOp) else f"the body of {describe(owner)}"


class CheckBasicBlockNormalFormPass(ModulePass):
    """`check_basic_block_normal_form` on every function."""

    name = "relax-check-basic-block-normal-form"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in functions(op):
            check_basic_block_normal_form(func)
