"""Random programs through random sequences of passes: each result verifies and means what it meant."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from random_programs import Program, programs
from rewrites.random_functions import ARGUMENTS, random_module
from scoped_programs import SIZES, scoped_program
from scoped_programs import arguments as scoped_arguments
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
    "relax-to-mixed-precision",  # they round
    "relax-quantize-activations",
    "relax-decompose-ops-for-inference",  # they say what the program is for
    "relax-decompose-ops-for-training",
    "relax-gradient",
    "relax-lift-constants",
    "relax-quantize",
    "relax-split-call-tir-by-pattern",
    "relax-update-param-type",
    "relax-shard",
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

AFFINE = ("2 * {v}", "{v} + 1", "2 * {v} + 1", "{v} - 1", "3 - {v}")
"""What a variable is replaced by."""

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


def affine_sizes(text: str, sizes: Mapping[str, str]) -> str:
    """A program with expressions for variables everywhere but in the brackets that bind them."""
    name = rf"(?<![%@.\w])({'|'.join(sizes)})(?!\w)"
    bound = r"(?:closure |func<)\[[^\]]*\]"
    return re.sub(f"{bound}|{name}", lambda m: f"({sizes[m[1]]})" if m[1] else m[0], text)


def affine_scopes(rng: random.Random, count: int) -> int:
    """`scopes`, with affine expressions for some of the variables, which parameters are solved for."""
    accepted = 0
    for _ in range(count):
        each = random.Random(rng.getrandbits(32))
        sizes = {v: rng.choice(AFFINE).format(v=v) for v in rng.sample(SIZES, rng.choice((1, 2)))}
        text = affine_sizes(scoped_program(each), sizes)
        try:
            parse(text)
        except RelaxError:
            continue  # a match does not define such a variable
        accepted += check(text, scoped_arguments(each), rng)
    return accepted


def affine_case(program: Program, rng: random.Random) -> bool:
    """A program whose sizes are written as others times a number plus another: it returns what it
    returned."""
    sizes: dict[str, str] = {}
    for name, value in program.sizes.items():
        factor = rng.choice((1, 2, 3))
        solution = rng.randint(0, value // factor)
        sizes[name] = f"{factor} * {name} + {value - factor * solution}"
    before = str(program.module)
    text = affine_sizes(before, sizes)
    try:
        parse(text)
    except RelaxError:
        return False  # sizes that cannot be equal any more
    given = program.arguments
    expected, found = (outcome(_interpreted(parse(t)), given) for t in (before, text))
    if not same(found, expected):
        raise Fault(f"{found} instead of {expected} for {before}", text)
    return check(text, given, rng)


def affine_graphs(rng: random.Random, count: int) -> int:
    """`graphs` with affine sizes of parameters."""
    return _graphs(rng, count, affine_case)


def graphs(rng: random.Random, count: int) -> int:
    """Dataflow over symbolic sizes; how many run without an error."""
    return _graphs(rng, count, lambda p, own: check(str(p.module), p.arguments, own))


def _graphs(rng: random.Random, count: int, case: Callable[[Program, random.Random], bool]) -> int:
    """Cases of drawn programs; how many run without an error."""
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
        accepted.append(case(program, random.Random(f"{start} {text}")))

    each()
    return sum(accepted)
