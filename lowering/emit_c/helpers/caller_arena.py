"""The C of models whose callers provide the memory (`--arena`): frames from its start, the rest from its
end.

size_t bytes = NAME_arena_size(7);
NAME_use_arena(memory, bytes);           /* for the calls of this thread */
NAME_main(&x, &y);                       /* allocates nothing */
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from lowering.emit_c.helpers.c_files import Helper, fill, helpers_of
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_signature import size
from lowering.emit_c.syntax.layout import wrap
from lowering.memory.in_place.memref_size_exprs import MOST_BYTES, magnitude
from lowering.memory.plan.call_memory import CallMemory
from relax_dialect import symbolic

SLACK = 63
"""The bytes before the first aligned one, wherever memory begins."""


@cache
def helpers() -> Mapping[str, Helper]:
    """Return the helpers that replace those that allocate."""
    own = helpers_of("caller_arena.c")
    slack = {"SLACK": str(SLACK)}
    return {name: helper._replace(text=fill(helper.text, slack)) for name, helper in own.items()}


ADDED = ("check_outside", "begin_call", "given_arena")
"""Names that other models do not have."""


def bytes_function(name: str, taken: CallMemory, symbols: Sequence[str]) -> str:
    """Return the C function that computes the bytes of a call from the values of symbolic variables."""
    names = CNames(local=True)
    spelled = {symbol: names.fresh(symbol) for symbol in symbols}
    frames, values = names.fresh("frames"), names.fresh("values")
    lines = [f"(void){spelled[s]};" for s in symbols if s not in taken.variables()]
    for part in (*taken.frames, taken.values):
        most = magnitude([part])
        if most.value is None:
            bound = symbolic.to_c(most, lambda symbol: f"(double){spelled[symbol]}")
            lines += [f"if (!({bound} <= 0x1p50))", "    return SIZE_MAX;"]
        elif most.value > MOST_BYTES:
            lines += ["return SIZE_MAX;"]
    first, *others = [size(str(part), spelled.__getitem__).text for part in taken.frames]
    lines += [f"{'' if others else 'const '}int64_t {frames} = {first};"]
    for other in others:
        lines += [f"if ({frames} < {other})", f"    {frames} = {other};"]
    lines += [f"const int64_t {values} = {size(str(taken.values), spelled.__getitem__).text};"]
    lines += [f"return (size_t)({frames} + {values});"]
    params = ", ".join(f"int64_t {each}" for each in spelled.values()) or "void"
    body = "".join(wrap(f"    {line}") + "\n" for line in lines)
    return f"static size_t {name}({params})\n{{\n{body}}}\n"


def size_parameters(variables: Sequence[str]) -> str:
    """Return the parameters of `NAME_arena_size`."""
    names = CNames(local=True)
    return ", ".join(f"int64_t {names.fresh(v)}" for v in variables) or "void"


def size_function(model: str, variables: Sequence[str], calls: Mapping[str, Sequence[str]]) -> str:
    """`NAME_arena_size`: the maximum of the results of some functions, each of which takes variables."""
    names = CNames(local=True)
    spelled = {v: names.fresh(v) for v in variables}
    lines = ["size_t most = 0;"]
    if spelled:
        lines += [f"if ({' || '.join(f'{name} < 0' for name in spelled.values())})"]
        lines += ["    return SIZE_MAX;"]
    for function, taken in calls.items():
        call = f"{function}({', '.join(spelled[v] for v in taken)})"
        lines += [f"most = {call} > most ? {call} : most;"]
    lines += [f"return most > SIZE_MAX - {SLACK} ? SIZE_MAX : most + {SLACK};"]
    body = "".join(f"    {line}\n" for line in lines)
    head = f"size_t {model}_arena_size({size_parameters(variables)})"
    return f"{head}\n{{\n{body}}}\n"
