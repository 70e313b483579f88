"""Blocks that are recomputed in the backward pass, as functions: only the operands of a call are kept.

%y = relax.dataflow attributes {checkpoint} {       %f = relax.closure () -> T {
  %a = relax.exp %x : ...                             %y = relax.dataflow {
  relax.output %a : T                                   %a = relax.exp %x : ...
}                                              ->       relax.output %a : T
                                                      }
                                                      relax.return %y : T
                                                    }
                                                    %y = relax.call_closure %f : () -> T
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, Region

from relax_dialect.builder import BlockBuilder
from relax_dialect.gradient.errors import GradientError, errors_in
from relax_dialect.ir.checkpoints import CHECKPOINT
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.symbol_scopes import escaping_symbols, needed_symbols
from relax_dialect.ir.type_variables import bare_variables, substitute
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, ReturnOp, TupleGetItemOp, TupleOp
from relax_dialect.prim.run_time_checks import called
from relax_dialect.transform.regions import functions, keep_name, replace_uses


def checkpoint(builder: BlockBuilder, function: Callable[..., Any], *args: Any) -> Any:
    """Emit the results of `function(*args)`, one value or several, in a checkpoint block: gradients keep
    only its operands, and recompute the rest."""
    with builder.checkpoint():
        found = function(*args)
        several = found if isinstance(found, tuple | list) else (found,)
        outputs = [builder.emit_output(builder.emit(value)) for value in several]
    return tuple(outputs) if isinstance(found, tuple | list) else outputs[0]


def is_checkpoint(op: Operation) -> bool:
    """Return whether gradients keep only the operands of an op."""
    return isinstance(op, BlockOp) and op.is_checkpoint


def outline_checkpoints(module: ModuleOp) -> None:
    """Outline the checkpoint blocks of a module into closures that are called at their positions."""
    for function in functions(module):
        with errors_in(called(function)):
            for op in list(walk_ops(function)):
                if isinstance(op, BlockOp) and op.is_checkpoint:
                    _outline(op, function, is_pure(op, ModuleSymbols(module)))


def _outline(block: BlockOp, function: FuncOp, pure: bool) -> None:
    """Sizes that are found inside are found again in the results."""
    sequence, following = block.parent, block.next_op
    assert sequence is not None and following is not None
    found = escaping_symbols(block)
    told = {name for type in block.result_types for name in bare_variables(type)}
    inside, missing = set(walk_ops(block)), set(found) - told
    for op in walk_ops(function) if missing else ():
        if op not in inside and (used := missing.intersection(needed_symbols(op))):
            raise GradientError(
                f"{describe(block)}: expected a {CHECKPOINT} with results that define the sizes found "
                f"in it, found none of size {min(used)}, which {describe(op)} uses; pass a value of "
                "that size out, or find the size before"
            )
    block.attributes.pop(CHECKPOINT)
    block.detach()
    whole = TupleOp(*block.results)
    body = Region(Block([block, whole, ReturnOp(whole)]))
    output = substitute(whole.result.type, dict.fromkeys(found))
    closure = ClosureOp(body, output, pure=pure)
    closure.result.name_hint = CHECKPOINT
    closure.attributes[CHECKPOINT] = UnitAttr()
    call = CallClosureOp(closure, [])
    made: list[Operation] = [closure, call]
    for index, result in enumerate(block.results):
        made.append(TupleGetItemOp(call.result, index))
        if made[-1].results[0].type != result.type:
            made.append(MatchCastOp(made[-1].results[0], result.type))
        new = made[-1].results[0]
        keep_name(new, result)
        replace_uses({result: new}, lambda op: op is not whole)
    for op in made:
        op.location = block.location
    sequence.insert_ops_before(made, following)
