"""What the passes over memory make of random programs: buffers, copies, functions in place, views, frames.

That they are right is tested with each pass; here, that they do no less than when they were last improved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import pytest
import test_append_in_place
import test_concat_in_place
import test_loop_states_random
import test_view_slices
from test_buffer_results_to_out_params import MIX, Program
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from lowering.pipeline import PASSES, lower
from relax_dialect import parse, symbolic
from relax_dialect.prim.signature import FRAME, OFFSET

SLOW = ("relax-schedule", "relax-block-sums", "relax-split-reductions", "relax-expand-math")
"""Passes that change no buffer of a function."""

TEXTS: Mapping[str, Callable[[], Iterable[str]]] = {
    "slices": lambda: (test_view_slices.Function(seed).text for seed in range(40, 46)),
    "joins": lambda: map(test_concat_in_place.function, range(40, 47)),
    "states": lambda: (test_loop_states_random.Loop(seed).text for seed in range(40, 52)),
    "calls": lambda: (MIX, *(Program(seed).text() for seed in range(40, 48))),
    "grows": lambda: (test_append_in_place.PROGRAM,),
}
EXPECTED: Mapping[str, Mapping[str, int]] = {
    "slices": {
        "allocated": 18,
        "called": 14,
        "in_place": 2,
        "memref.copy": 1,
        "memref.dealloc": 12,
        "memref.reinterpret_cast": 8,
        "placed": 12,
        "relax.frame": 38400,
        "relax.offset": 64832,
        "strided": 7,
    },
    "joins": {
        "allocated": 14,
        "called": 37,
        "in_place": 6,
        "memref.copy": 3,
        "memref.dealloc": 22,
        "memref.dim": 2,
        "memref.view": 10,
        "placed": 22,
        "relax.frame": 107456,
        "relax.offset": 275840,
    },
    "states": {
        "allocated": 38,
        "called": 34,
        "in_place": 22,
        "memref.copy": 52,
        "memref.dealloc": 41,
        "memref.dim": 17,
        "memref.get_global": 36,
        "memref.load": 12,
        "placed": 41,
        "relax.frame": 9408,
        "relax.offset": 25216,
        "scf.condition": 12,
        "scf.while": 12,
        "scf.yield": 12,
    },
    "calls": {
        "allocated": 26,
        "called": 74,
        "in_place": 43,
        "memref.copy": 133,
        "memref.dealloc": 146,
        "memref.dim": 22,
        "memref.get_global": 16,
        "memref.load": 41,
        "placed": 146,
        "relax.frame": 64768,
        "relax.offset": 478976,
        "scf.condition": 36,
        "scf.if": 5,
        "scf.while": 36,
        "scf.yield": 46,
    },
    "grows": {
        "allocated": 10,
        "called": 8,
        "in_place": 3,
        "memref.copy": 15,
        "memref.dealloc": 13,
        "memref.dim": 18,
        "memref.get_global": 7,
        "memref.load": 3,
        "memref.view": 25,
        "placed": 8,
        "relax.frame": 448,
        "relax.offset": 384,
        "scf.condition": 3,
        "scf.if": 3,
        "scf.while": 3,
        "scf.yield": 9,
    },
}


def _is_loop(op: Operation) -> bool:
    """Whether this is a call of a loop that threads share."""
    return isinstance(op, func.CallOp) and "_loop" in op.callee.string_value()


def counts(module: ModuleOp) -> dict[str, int]:
    """What the functions hold that call others: buffers with a place and without, copies, frees, views, calls by what
    they write over or look through; and the bytes of all frames and all offsets in them."""
    found = Counter[str]()
    for function in (f for f in module.ops if isinstance(f, func.FuncOp)):
        ops = [op for op in function.walk() if not _is_loop(op)]
        if not any(isinstance(op, func.CallOp) for op in ops):
            continue
        for op in ops:
            for attribute in (FRAME, OFFSET):
                if isinstance(text := op.attributes.get(attribute), StringAttr):
                    size = symbolic.parse(text.data)
                    found[attribute] += size.evaluate(dict.fromkeys(size.free_variables, 100))
            if isinstance(op, memref.AllocOp):
                found["placed" if OFFSET in op.attributes else "allocated"] += 1
            elif isinstance(op, func.CallOp):
                name = op.callee.string_value()
                found[next((k for k in ("in_place", "strided") if k in name), "called")] += 1
            elif op.name.startswith(("memref", "scf")):
                found[op.name] += 1
    return dict(sorted(found.items()))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_random_programs(name: str):
    names = [name for name in PASSES if name not in SLOW]
    module = lower(parse("\n".join(TEXTS[name]())), names, cpu="generic")
    module.verify()
    assert counts(module) == EXPECTED[name]
