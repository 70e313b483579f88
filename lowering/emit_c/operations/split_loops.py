"""Calls over ranges of iterations, which threads share (`relax-parallelize-loops`)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr

from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.syntax.c_expressions import Prec, parenthesised
from lowering.emit_c.syntax.c_signature import CSignature, size
from lowering.parallel import loop_cost
from relax_dialect.prim.signature import PARALLEL


def may_split(body: FunctionBody, call: func.CallOp) -> bool:
    """Return whether threads may share a call: not in memory from the caller, since OpenMP allocates some,
    and each thread needs its own."""
    return PARALLEL in call.attributes and not body.file.has_arena


def emit_split(
    body: FunctionBody, call: func.CallOp, callee: CSignature, arguments: Sequence[str]
) -> None:
    """Emit a call over a range: one call, or one for each part on several threads.

    struct split split = split_loop(4200 * n >= 36000, 0, n, 1, 1, false);
    if (split.threads > 1) {
        IN_PARALLEL(split.threads)
        for (int64_t first, last; next_part(&split, &first, &last);)
            softmax_loop(first, last, n, x, out);
    } else {
        softmax_loop(0, n, n, x, out);
    }
    """
    start, end, *rest = arguments
    body.file.helpers.use_runtime("note_failure" if callee.fails else "split_loop")
    split = body.names.fresh("split")
    with body.names.scope():
        first, last = map(body.names.fresh, ("first", "last"))
        body.line(f"struct split {split} = {_splitting(body, call, start, end)};")
        with body.braces(f"if ({split}.threads > 1)", "} else {"):
            body.line(f"IN_PARALLEL({split}.threads)")
            body.line(f"for (int64_t {first}, {last}; next_part(&{split}, &{first}, &{last});)")
            body.indent += 1
            _part(
                body, callee, ", ".join([first, last, *rest]), f"note_failure(&{split}, {first});"
            )
            body.indent -= 1
            if callee.fails:
                body.line_if(f"has_failed(&{split})", body.fail())
        with body.rest("}"):
            _part(body, callee, ", ".join(arguments), body.fail() if callee.fails else "")


def _part(body: FunctionBody, callee: CSignature, arguments: str, failure: str) -> None:
    call = f"{callee.c_name}({arguments})"
    if callee.fails:
        body.line_if(f"{call} != 0", failure)
    else:
        body.line(f"{call};")


def _splitting(body: FunctionBody, call: func.CallOp, start: str, end: str) -> str:
    """Return the call that decides how a range is split."""
    entries = call.attributes[PARALLEL]
    assert isinstance(entries, DictionaryAttr)
    numbers = {
        name: entry.value.data
        for name, entry in entries.data.items()
        if isinstance(entry, IntegerAttr)
    }
    worth, cost = "true", entries.data.get("cost")
    if isinstance(cost, StringAttr):
        spelled = size(cost.data, body.signature.symbols.__getitem__)
        worth = f"{parenthesised(spelled, Prec.ADD)} >= {loop_cost.ENOUGH}"
    step, least = numbers.get("step", 1), numbers.get("least", 1)
    if "fewest" in numbers:
        count = " - ".join(f"({each})" if " " in each else each for each in (end, start))
        worth = f"{count} >= {numbers['fewest'] * step}"
    nests = "true" if "nests" in entries.data else "false"
    return f"split_loop({worth}, {start}, {end}, {step}, {least}, {nests})"
