"""Damaged programs through every pass: each run ends in a verified module or in one clear error."""

from __future__ import annotations

import random
import tempfile
import traceback
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from mutations import mutant, other_type
from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c import emit
from lowering.pipeline import ALL_PASSES, PASSES, lower
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import deep_recursion, new_context, parse, verify
from relax_dialect.rewrites.params.update_param_type import update_param_type
from relax_dialect.transform.regions import functions

from .cases import Fault, HangError, time_limit
from .texts import PROGRAMS, REFUSED, mutate, printed, programs

MOST_SECONDS = 100
"""For one run of passes, each result printed and read again: a tenth of it for the longest program."""
LONG = 20_000
"""The length from which on a text is read again only at the end of a pipeline."""
REWRITES = programs("rewrites")
EVERY_PROGRAM = [*PROGRAMS, *REWRITES, *REWRITES, *programs("lowering", "emit_c")]
TO_C = "c"
"""Stands among the passes for the target that prints C."""
CONTEXT = new_context()


def damaged_text(rng: random.Random) -> ModuleOp | None:
    """A program with up to three mutations of its tokens, None if it is refused."""
    text = rng.choice(EVERY_PROGRAM if rng.random() < 0.85 else REFUSED)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        text = mutate(text, EVERY_PROGRAM, rng)
    try:
        return parse(text, context=CONTEXT)
    except RelaxError:
        return None  # what parsing may end in is the business of `test_fuzz`


@lru_cache(maxsize=256)
def halfway(text: str, count: int) -> str:
    """A program after some of the passes to loops; as it is where they refuse it."""
    try:
        return str(lower(parse(text), list(PASSES)[:count]))
    except RelaxError:
        return text


def damaged_ops(rng: random.Random) -> ModuleOp | None:
    """A program that is changed by meaning, None if it is refused."""
    text = rng.choice(EVERY_PROGRAM if rng.random() < 0.9 else REFUSED)
    if rng.random() < 0.3:
        text = halfway(text, rng.randrange(1, len(PASSES) + 1))
    module = mutant(text, rng)
    if module is None:
        return None
    try:
        verify(module)
    except RelaxError as error:
        assert "Traceback" not in str(error) and len(str(error)) < 5000, str(error)
        return None
    once = str(module)
    assert printed(once) == once or "0x7fc00000" in once  # xDSL reads that NaN as a number
    return module


def retyped(rng: random.Random) -> ModuleOp | None:
    """A program some of whose parameters got other types, None if it is refused."""
    module = parse(rng.choice(EVERY_PROGRAM), context=CONTEXT)
    params = [p for f in functions(module) for p in f.body.block.args]
    if not params:
        return None
    before = module.clone()
    chosen = {
        p: other_type(p.type, rng) for p in rng.sample(params, min(len(params), rng.randint(1, 2)))
    }
    try:
        update_param_type(module, chosen.get)
    except RelaxError as error:
        assert "Traceback" not in str(error) and len(str(error)) < 5000, str(error)
        return None
    except Exception as error:
        types = ", ".join(f"{p.name_hint}: {t}" for p, t in chosen.items())
        raise Fault(f"{types}: {type(error).__name__}: {error}", str(before)) from error
    return module


def pipelines(rng: random.Random, arrays: Path) -> list[tuple[str, ...]]:
    """Each pass alone, the ways to C, and two random pipelines."""
    options = {
        "relax-bind-params": f'file="{rng.choice(("none.npz", arrays))}" func={rng.choice(("f", "g", "main", "main"))}',
        "relax-bind-symbolic-vars": f"vars=n,{rng.choice('mkx')} sizes=4,{rng.choice('0127')}",
        "relax-gradient": f"func={rng.choice(('f', 'g', 'main', 'main'))} mode={rng.choice(('gradient', 'vjp', 'vjp', 'jvp'))}",
        "relax-lift-transform-params": f"shared={rng.choice(('true', 'false'))}",
        "relax-update-param-type": f'params={rng.choice(("x", "y"))} types="!relax.tensor<[{rng.choice("nk47")}, 4], f32>"',
        "relax-lift-constants": f'file="{arrays.with_name("lifted.npz")}" func={rng.choice(("f", "g", "main"))}',
        "relax-split-call-tir-by-pattern": 'file="none.mlir"',
        "relax-convert-layout": "op=conv2d data=NHWC kernel=OHWI",
        "relax-quantize": f'calibration="{rng.choice(("none.npz", arrays))}" entry={rng.choice(("f", "g", "main", "main"))}',
    }
    own = [f"{name}{{{options[name]}}}" if name in options else name for name in ALL_PASSES]
    shuffled = [tuple(rng.choices(own, k=rng.choice((2, 3, 4)))) for _ in range(2)]
    to_c = [(TO_C,), (*PASSES, TO_C), ("relax-lower-through-normal-forms", TO_C)]
    return [*((name,) for name in own), *to_c, *shuffled]


def fault(module: ModuleOp, names: Sequence[str]) -> str | None:
    """The fault of a run of passes on a verified module; None for a success or an error."""
    try:
        with time_limit(MOST_SECONDS):
            before = str(module)
            for place, name in enumerate(names, 1):
                try:
                    if name == TO_C:
                        emit(module, "model")
                    else:
                        lower(module, [name], context=CONTEXT)
                except RelaxError as error:
                    if "Traceback" in str(error) or len(str(error)) > 5000:
                        return f"{name}: an error that is no clear one: {error}"
                    return None
                try:
                    verify(module, f"after {name}")
                    with deep_recursion():
                        text = str(module)
                    if text != before and (place >= len(names) - 1 or len(text) < LONG):
                        printed(text)
                    before = text
                except RelaxError as error:
                    return f"{name}: its result is refused: {error}\n{module}"
    except HangError:
        return f"{', '.join(names)}: does not end in {MOST_SECONDS} s"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
        return f"{', '.join(names)}: {what}"
    return None


def save_arrays(folder: Path) -> Path:
    """A file of arrays that some programs have parameters for."""
    path = folder / "arrays.npz"
    np.savez(path, x=np.zeros(4, "f4"), y=np.ones((2, 3), "f4"), w=np.ones((4, 4), "f4"))
    return path


@cache
def _arrays() -> Path:
    return save_arrays(Path(tempfile.mkdtemp(prefix="relax-fuzz-")))


def case(rng: random.Random, damaged: Callable[[random.Random], ModuleOp | None]) -> bool:
    """Run all pipelines on one damaged program; False where it is refused. Raises `Fault`."""
    if (module := damaged(rng)) is None:
        return False
    for names in pipelines(rng, _arrays()):
        if (found := fault(module.clone(), names)) is not None:
            raise Fault(found, str(module))
    return True
