"""TVM's answers to pattern cases: JSON cases on standard input, JSON answers on standard output.

Run by `test_against_tvm.py` with the Python that has TVM; it knows nothing of this project.
"""

from __future__ import annotations

import json
import sys
from functools import reduce
from operator import or_
from typing import Any

from tvm import relax
from tvm.relax import dpl
from tvm.script import relax as R


def build(program: list[list[Any]]) -> tuple[Any, list[Any]]:
    """A module of one dataflow block, and its values: two parameters, then one a row."""
    type = R.Tensor((4,), "float32")
    values = [relax.Var("x", type), relax.Var("y", type)]
    builder = relax.BlockBuilder()
    with builder.function("main", values[:2]):
        with builder.dataflow():
            used = {index for _, *operands in program for index in operands}
            for name, *operands in program:
                call = getattr(relax.op, name)(*(values[index] for index in operands))
                values.append(builder.emit(call))
            free = [v for i, v in enumerate(values) if i > 1 and i not in used]
            result = builder.emit_output(relax.Tuple(free))
        builder.emit_func_output(result)
    return builder.get(), values


def pattern(nodes: list[list[Any]]) -> list[Any]:
    """The nodes of a pattern, children before those that hold them."""
    made: list[Any] = []
    for kind, *rest in nodes:
        if kind == "any":
            made.append(dpl.wildcard())
        elif kind == "or":
            made.append(made[rest[0]] | made[rest[1]])
        elif kind == "and":
            made.append(made[rest[0]] & made[rest[1]])
        elif kind == "not":
            made.append(~made[rest[0]])
        else:
            made.append(dpl.is_op(f"relax.{kind}")(*(made[index] for index in rest)))
    return made


def number_of(values: list[Any], func: Any) -> dict[Any, int]:
    """The number of each variable of a function."""
    found = {param: i for i, param in enumerate(func.params)}
    for block in func.body.blocks:
        for binding in block.bindings:
            if isinstance(binding.value, relax.Call):
                found[binding.var] = len(found)
    return found


def extracted(nodes: list[list[Any]], func: Any) -> list[Any]:
    """For each value what the nodes of the pattern matched, or None."""
    numbers = number_of([], func)
    var2val = relax.analysis.get_var2val(func)
    calls = {var2val[var]: number for var, number in numbers.items() if var in var2val}
    answers: list[Any] = []
    for var, number in numbers.items():
        if number < 2:
            continue
        made = pattern(nodes)
        found = made[-1].extract_matched_expr(var2val[var], var2val)
        if found is None:
            answers.append(None)
            continue
        at = {i: found[node] for i, node in enumerate(made) if node in found}
        answers.append({str(i): numbers.get(e, calls.get(e)) for i, e in at.items()})
    return answers


def matched(nodes: list[list[Any]], edges: list[list[Any]], func: Any) -> Any:
    """The match of a context in the block."""
    numbers = number_of([], func)
    with dpl.PatternContext() as context:
        made = pattern(nodes)
        for first, second, only in edges:
            (made[first].only_used_by if only else made[first].used_by)(made[second])
        found = context.match_dfb(func.body.blocks[0])
    if found is None:
        return None
    return {str(i): numbers[found[node]] for i, node in enumerate(made) if node in found}


def results_of(func: Any) -> list[str]:
    """The expressions that a function gives."""
    texts: dict[Any, str] = dict(zip(func.params, "xy"))

    def text(value: Any) -> Any:
        if isinstance(value, relax.Tuple):
            return [text(field) for field in value.fields]
        if isinstance(value, relax.Call):
            inner = ", ".join(text(a) for a in value.args)
            return f"{value.op.name.removeprefix('relax.')}({inner})"
        if isinstance(value, relax.TupleGetItem):
            return text(value.tuple_value)[value.index]
        return texts[value]

    for block in func.body.blocks:
        for binding in block.bindings:
            texts[binding.var] = text(binding.value)
    return text(func.body.body)


def rewritten(nodes: list[list[Any]], func: Any) -> list[str]:
    """The program after each match, of a chain of unary ops, became `abs` of its input."""
    made = pattern(nodes)
    return results_of(
        dpl.rewrite_call(made[-1], lambda call, match: relax.op.abs(match[made[0]]), func)
    )


def declined(case: dict[str, Any]) -> dict[str, Any]:
    """The alternatives whose matches a rewriter was asked about, and the program afterwards."""
    module, _ = build(case["divided"])
    roots = [pattern(nodes)[-1] for nodes in case["alternatives"]]
    asked: list[int] = []

    def rewriter(call: Any, match: Any) -> Any:
        (number,) = (i for i, root in enumerate(roots) if root in match)
        asked.append(number)
        return call if case["declines"][number] else relax.op.sigmoid(module["main"].params[0])

    found = dpl.rewrite_call(reduce(or_, roots), rewriter, module["main"])
    return {"asked": asked, "results": results_of(found)}


def rebound(nodes: list[list[Any]], func: Any) -> list[str]:
    """The same by `rewrite_bindings`."""
    with dpl.PatternContext() as context:
        made = pattern(nodes)

    def rewriter(match: Any, bindings: Any) -> Any:
        return {match[made[-1]]: relax.op.abs(match[made[0]])}

    return results_of(dpl.rewrite_bindings(context, rewriter, func))


def fused(nodes: list[list[Any]], module: Any) -> list[list[str]]:
    """The operators of each function that is made of a match."""
    after = relax.transform.FuseOpsByPattern([("match", pattern(nodes)[-1])])(module)
    made = [f for f in after.functions.values() if f.attrs and "Composite" in f.attrs]
    return sorted(
        [
            binding.value.op.name.removeprefix("relax.")
            for block in f.body.blocks
            for binding in block.bindings
            if isinstance(binding.value, relax.Call)
        ]
        for f in made
    )


def answer(case: dict[str, Any]) -> dict[str, Any]:
    module, _ = build(case["program"])
    func = module["main"]
    found: dict[str, Any] = {"extracted": extracted(case["pattern"], func)}
    found["matched"] = matched(case["context"], case["edges"], func)
    found["rewritten"] = rewritten(case["chain"], func)
    found["rebound"] = rebound(case["chain"], func)
    found["fused"] = fused(case["chain"], module)
    found["declined"] = declined(case)
    return found


if __name__ == "__main__":
    json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
