"""Operators as prim funcs in both directions: ours scheduled, built and run by TVM, TVM's read and compiled by us.

    python test/unit/support/tvm_prim_funcs.py [--trials N] [--only WORD] [--seed S] [--way ours|theirs] [--verbose]

The trials are those of the peers' table, with random types, sizes (0 and 1 too) and attributes.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import tvm  # pyright: ignore[reportMissingImports]
from isolated import each
from peers import table
from peers.checking import Results, differs, interpreted, results
from peers.registry import Trial, all_peers
from tvm import relax, s_tir  # pyright: ignore[reportMissingImports]
from tvm.s_tir import dlight  # pyright: ignore[reportMissingImports]
from tvm_corpus import general
from tvm_scripts import script
from tvm_target import unoptimised
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.pipeline import lower
from relax_dialect import interpret
from relax_dialect.frontends import tvmscript

AGREE = "agree"
TARGET = tvm.target.Target("llvm")


def trials(count: int, seed: object, only: str = "") -> list[Trial]:
    """So many trials of each peer whose operator has a word in its name, but those of unknown sizes."""
    assert table.FAMILIES, "importing them fills the table"
    peers = sorted(all_peers(), key=lambda peer: (peer.operator, peer.draw.__name__))
    drawn = (
        peer.trial(f"{seed} {peer.operator} {i}", f"{seed} {i}")
        for peer in peers
        if only in peer.operator
        for i in range(count)
    )
    return [trial for trial in drawn if trial and not any("?" in str(t) for t in trial.types)]


def ours(trial: Trial) -> str:
    """Whether TVM takes our prim funcs for an operator, schedules them and computes what the interpreter does."""
    try:
        wanted = interpreted(trial)
        text = tvmscript.dump(lower(ModuleOp([trial.function("main")]), ["relax-legalize"]))
    except Exception as error:
        return f"not written: {general(error)}"
    stage = "not read by TVM"
    try:
        module = tvm.script.from_source(text)
        stage = "not well formed"
        relax.analysis.well_formed(module)
        stage = "not scheduled by TVM"
        module = scheduled(module)
        stage = "not run by TVM"
        found = run(module, trial)
    except Exception as error:
        return f"{stage}: {general(error)}"
    return differs("TVM", found, "the interpreter", wanted, trial) or AGREE


def theirs(trial: Trial) -> str:
    """Whether we read what TVM's `LegalizeOps` makes of an operator, and compute what TVM does."""
    try:
        text = tvmscript.dump(ModuleOp([trial.function("main")]))
    except Exception as error:
        return f"no operator of TVM: {general(error)}"
    try:
        with TARGET:
            legalized = relax.transform.LegalizeOps()(tvm.script.from_source(text))
        wanted = run(legalized, trial)
    except Exception as error:
        return f"TVM does not legalize or run it: {general(error)}"
    try:
        module = tvmscript.loads(script(legalized))
    except Exception as error:
        return f"not read: {general(error)}"
    try:
        found = results(interpret.run(module, "main", *trial.arguments))
        with lowering.compile(module, "tested", extra_flags=("-O0",)) as model:
            compiled = results(model.main(*trial.arguments))
    except Exception as error:
        return f"not run by us: {general(error)}"
    return (
        differs("the interpreter", found, "TVM", wanted, trial)
        or differs("the C", compiled, "TVM", wanted, trial)
        or AGREE
    )


def scheduled(module: Any) -> Any:
    """The module with a loop of each block split, unrolled and run in parallel, then TVM's default schedule."""
    for variable, function in module.functions_items():
        if isinstance(function, relax.Function):
            continue
        schedule = s_tir.Schedule(tvm.IRModule({"main": function}))
        for block in blocks(schedule, schedule.mod["main"].body.block):
            loops = schedule.get_loops(block)
            if not loops:
                continue
            _, inner = schedule.split(loops[-1], [None, 4])
            schedule.unroll(inner)
            with suppress(s_tir.ScheduleError):  # a reduction
                schedule.parallel(schedule.get_loops(block)[0])
        module[variable] = schedule.mod["main"]
    with TARGET:
        return dlight.ApplyDefaultSchedule(dlight.cpu.GEMV())(module)


def blocks(schedule: Any, around: Any) -> Iterator[Any]:
    """The blocks inside of one that have axes."""
    for block in schedule.get_child_blocks(schedule.get_sblock(around.name_hint)):
        if schedule.get(block).iter_vars:
            yield block


def run(module: Any, trial: Trial) -> Results:
    """What TVM computes."""
    machine = relax.VirtualMachine(tvm.compile(module, unoptimised()), tvm.cpu())
    given = [
        tvm.runtime.tensor(a) if isinstance(a, np.ndarray) else tvm.runtime.ShapeTuple(a)
        for a in trial.arguments
    ]
    found = machine["main"](*given)
    return tuple(a.numpy() for a in ([found] if hasattr(found, "numpy") else found))


def main() -> None:
    ways: dict[str, Callable[[Trial], str]] = {"ours": ours, "theirs": theirs}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1, help="so many trials of each peer")
    parser.add_argument("--only", default="", help="operators whose name has this word")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--way", choices=ways, help="one direction alone")
    parser.add_argument("--verbose", action="store_true", help="all that is told of differences")
    args = parser.parse_args()
    drawn = trials(args.trials, args.seed, args.only)
    for way, outcome in ways.items():
        if args.way not in (None, way):
            continue
        told, passed, tried = defaultdict[str, Counter[str]](Counter), set[str](), set[str]()
        for i, result, why in each(outcome, drawn):
            operator, text = drawn[i].peer.operator, result or f"ends the process: {why}"
            tried.add(operator)
            passed |= {operator} if text == AGREE else set()
            told[text if args.verbose else re.sub(r"\\d+", "N", text.splitlines()[0])[:150]][
                operator
            ] += 1
        print(
            f"{way}: {len(passed)} of {len(tried)} operators, {told[AGREE].total()} of {len(drawn)} trials"
        )
        for text, operators in sorted(told.items(), key=lambda item: -item[1].total()):
            if text != AGREE:
                print(f"    {operators.total()} {text}: {' '.join(sorted(operators))}")
        print(f"    never: {' '.join(sorted(tried - passed))}")


if __name__ == "__main__":
    main()
