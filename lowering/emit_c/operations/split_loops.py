"""Calls over ranges of iterations, which threads share (`relax-parallelize-loops`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr

from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.syntax.c_expressions import Prec, parenthesised
from lowering.emit_c.syntax.c_signature import CSignature, size
from lowering.emit_c.syntax.layout import wrap
from lowering.parallel import loop_cost
from relax_dialect.prim.signature import PARALLEL


def may_split(body: FunctionBody, call: func.CallOp) -> bool:
    """Return whether threads may share a call: not in memory from the caller, of which each would need its
    own."""
    return PARALLEL in call.attributes and not body.file.has_arena


def emit_split(
    body: FunctionBody, call: func.CallOp, callee: CSignature, arguments: Sequence[str]
) -> None:
    """Emit a call over a range: one call, or one for each part on several threads.

    struct split split = split_loop(4200 * n >= 36000, 0, n, 1, 1, false);
    if (split.threads > 1) {
        const struct softmax_loop_arguments arguments = {n, x, out};
        run_parts(&split, softmax_loop_parts, &arguments);
    } else {
        softmax_loop(0, n, n, x, out);
    }
    """
    start, end, *rest = arguments
    body.file.helpers.use_runtime("run_parts")
    if callee.fails:
        body.file.helpers.use_runtime("note_failure")
    function, struct = _parts_function(body, callee)
    split = body.names.fresh("split")
    with body.names.scope():
        body.line(f"struct split {split} = {_splitting(body, call, start, end)};")
        with body.braces(f"if ({split}.threads > 1)", "} else {"):
            given = "NULL"
            if rest:
                given = body.names.fresh("arguments")
                body.line(f"const struct {struct} {given} = {{{', '.join(rest)}}};")
                given = f"&{given}"
            body.line(f"run_parts(&{split}, {function}, {given});")
            if callee.fails:
                body.line_if(f"has_failed(&{split})", body.fail())
        with body.rest("}"):
            _part(body, callee, ", ".join(arguments), body.fail() if callee.fails else "")


def _parts_function(body: FunctionBody, callee: CSignature) -> tuple[str, str]:
    """Add the function that a thread calls to run parts before this one; return its name, and the name of
    the struct of its arguments.

    struct softmax_loop_arguments {
        int64_t n;
        const float *x;
        float *out;
    };

    static void softmax_loop_parts(struct split *s, const void *arguments)
    {
        const struct softmax_loop_arguments *const a = arguments;
        for (int64_t first, last; next_part(s, &first, &last);)
            softmax_loop(first, last, a->n, a->x, a->out);
    }
    """
    function, struct = (
        body.file.names.fresh(f"{callee.c_name}_{kind}") for kind in ("parts", "arguments")
    )
    fields = [each.replace("restrict ", "") for each in callee.declarations()[2:]]
    names = [re.split(r"\W+", each)[-1] for each in fields]
    call = f"{callee.c_name}({', '.join(['first', 'last', *(f'a->{name}' for name in names)])})"
    lines = [f"struct {struct} {{", *(f"    {field};" for field in fields), "};", ""] * bool(fields)
    lines += [f"static void {function}(struct split *s, const void *arguments)", "{"]
    lines += [
        f"    const struct {struct} *const a = arguments;" if fields else "    (void)arguments;"
    ]
    lines += ["    for (int64_t first, last; next_part(s, &first, &last);)"]
    if callee.fails:
        lines += [f"        if ({call} != 0)", "            note_failure(s, first);"]
    else:
        lines += [f"        {call};"]
    body.before += [*map(wrap, lines), "}", ""]
    return function, struct


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
