"""Random programs through random sequences of passes: each result verifies and means what it meant."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from random_programs import Program, programs
from rewrites.random_functions import ARGUMENTS, random_module
from scoped_programs import arguments as scoped_arguments
from scoped_programs import scoped_program
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.pipeline import ALL_PASSES, PASSES, lower, optimizations
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

from .cases import Fault

NOT_TRIED = (
    "relax-apply-pdl",  # these need a file or sizes
    "relax-bind-params",
    "relax-bind-symbolic-vars",
    "relax-prove",
    "relax-convert-layout",
    "relax-to-mixed-precision",  # it rounds
    "relax-decompose-ops-for-inference",  # they say what the program is for
    "relax-decompose-ops-for-training",
    "relax-gradient",
    "relax-lift-constants",
    "relax-quantize",
    "relax-split-call-tir-by-pattern",
    "relax-update-param-type",
    "relax-prove-accesses",  # it changes nothing
    "relax-check-basic-block-normal-form",  # it refuses what is in another form
    "relax-lower-functions",  # results become parameters, which the caller has to make
    "relax-lower-through-normal-forms",
    "relax-to-loops",
)
GRAPH = [name for name in ALL_PASSES if name not in (*NOT_TRIED, *list(PASSES)[3:])]
LOWERING = [name for name in PASSES if name not in NOT_TRIED]
COMPILED = 0.1
"""How many of the programs are compiled too."""

Outcome = tuple[np.ndarray, ...] | None


def outcome(run: Callable[..., Any], arguments: Sequence[Any]) -> Outcome:
    """The results of a program; None for an error, as where sizes do not fit."""
    try:
        result = run(*arguments)
    except RelaxError:
        return None
    return result if isinstance(result, tuple) else (result,)


def same(found: Outcome, expected: Outcome) -> bool:
    """Equal up to rounding: the values of these programs are below 1, infinite or NaN."""
    if found is None or expected is None:
        return found is expected
    return len(found) == len(expected) and all(
        f.shape == e.shape and f.dtype == e.dtype and np.allclose(f, e, 2e-4, 2e-5, equal_nan=True)
        for f, e in zip(map(np.asarray, found), map(np.asarray, expected))
    )


def sequence(rng: random.Random) -> list[str]:
    """Some passes on the graph, then often the first ones of the lowering, with such passes between."""
    names = rng.choices(GRAPH, k=rng.randrange(1, 6))
    if rng.random() < 0.3:
        names = [*names, *optimizations(rng.choice((1, 2)))]
    lowering = LOWERING[: rng.choice((0, 0, len(LOWERING) - 3, len(LOWERING)))]
    if lowering and rng.random() < 0.3:
        between = rng.randrange(1, LOWERING.index("relax-bufferize"))
        return [*names, *lowering[:between], rng.choice(GRAPH), *lowering[between:]]
    return [*names, *lowering]


def check(text: str, arguments: Sequence[Any], rng: random.Random) -> bool:
    """Whether a program runs at all; what passes make of it does the same. Raises `Fault`."""
    expected = outcome(lambda *a: interpret.run(parse(text), "main", *a), arguments)
    names = sequence(rng)
    try:
        module = passed(text, names)
        if rng.random() < COMPILED:
            level = rng.choice((0, 1, 2))
            names = [*names[: len(names) - len(LOWERING)], f"-O{level}", "C"]
            graph = lower(parse(text), names[:-2])
            run = lowering.compile(graph, opt_level=level, extra_flags=["-O1"]).main
        else:
            run = _interpreted(module)
    except RelaxError as error:
        raise Fault(f"{', '.join(names)}: a program is refused: {error}", text) from None
    found = outcome(run, arguments)
    if not same(found, expected):
        raise Fault(f"{', '.join(names)}: {found} instead of {expected}", text)
    return expected is not None


def passed(text: str, names: Sequence[str]) -> ModuleOp:
    """A program after some passes; the result of each is verified, printed and read again."""
    module = parse(text)
    for name in names:
        try:
            lower(module, [name], verify_each=True)
            printed = str(module)
            module = parse(printed)
        except RelaxError as error:
            raise Fault(f"{', '.join(names)}: {name}: refused: {error}", text) from None
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise Fault(f"{', '.join(names)}: {name}: {what}", text) from error
        if str(module) != printed:
            raise Fault(f"{', '.join(names)}: {name}: it is read as another program", text)
    return module


def _interpreted(module: ModuleOp) -> Callable[..., Any]:
    return lambda *arguments: interpret.run(module, "main", *arguments)


def functions(rng: random.Random, count: int) -> int:
    """Functions with branches, loops, closures and effects; how many run without an error."""
    accepted = 0
    for _ in range(count):
        kind = rng.choice(({}, {"graph": True}, {"effects": True}))
        text = str(random_module(random.Random(rng.getrandbits(32)), **kind))
        accepted += check(text, ARGUMENTS, rng)
    return accepted


def scopes(rng: random.Random, count: int) -> int:
    """Functions and closures whose variables have few names; how many run without an error."""
    accepted = 0
    for _ in range(count):
        each = random.Random(rng.getrandbits(32))
        text = scoped_program(each)
        try:
            parse(text)
        except RelaxError:
            continue  # a name is taken
        accepted += check(text, scoped_arguments(each), rng)
    return accepted


def graphs(rng: random.Random, count: int) -> int:
    """Dataflow over symbolic sizes; how many run without an error."""
    accepted: list[bool] = []
    start = rng.getrandbits(32)

    @seed(start)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def each(program: Program) -> None:
        text = str(program.module)  # a program that is tried again gets the same passes
        accepted.append(check(text, program.arguments, random.Random(f"{start} {text}")))

    each()
    return sum(accepted)
