"""ONNX's own backend tests: how many cases the importer, interpreter and compiled C get right.

    python test/unit/support/onnx_suite.py [--interpret] [--jobs N] [--kinds node simple] [--only WORD] [--every N]
    python test/unit/support/onnx_suite.py --light [--interpret]

A case that needs an input to be known when the model is imported is tried with inputs bound to their values,
and counted apart. What is not right is wrong (another result, an error that is no refusal, a crash, more time
or memory than a case may take) or unsupported, with the reason. Each case runs in a process that it may end;
what was compiled before comes from the cache of the compiler.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from isolated import each
from onnx_cases import KINDS, Case, cases

import lowering
from relax_dialect import RelaxError, interpret
from relax_dialect.frontends.onnx import load

RIGHT, BOUND, UNSUPPORTED, WRONG = "right", "right with bound inputs", "unsupported", "wrong"
STATUSES = (RIGHT, BOUND, UNSUPPORTED, WRONG)


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    status: str
    reason: str = ""


def bindings(inputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What to bind: nothing, then small integers, then all inputs but the first."""
    nothing = {n: None for n, a in inputs.items() if a is None}
    yield nothing
    tensors = {n: a for n, a in inputs.items() if isinstance(a, np.ndarray)}
    small = {n: a for n, a in tensors.items() if a.dtype.kind in "iub" and a.size <= 64}
    if small and len(small) < len(inputs):
        yield nothing | small
    rest = dict(list(tensors.items())[1:])
    if rest and rest.keys() != small.keys():
        yield nothing | rest


def lengths(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The shapes of what sequences hold: how many there are must be known when a model is imported."""
    return {n: [a.shape for a in found] for n, found in inputs.items() if isinstance(found, tuple)}


def compiled(case: Case) -> Outcome:
    """Run a case in compiled C."""
    return _tried(case, in_c=True)


def interpreted(case: Case) -> Outcome:
    """Run a case with the interpreter."""
    return _tried(case, in_c=False)


def _tried(case: Case, *, in_c: bool) -> Outcome:
    reasons = []
    for bound in bindings(case.inputs):
        try:
            module = load(case.model, bind=bound, dims=lengths(case.inputs))
            arguments = [a for n, a in case.inputs.items() if n not in bound]
            if in_c:
                with lowering.compile(module, "tested", extra_flags=("-O0",)) as model:
                    found = model.main(*arguments)
            else:
                found = interpret.run(module, "main", *arguments)
        except RelaxError as error:
            reasons.append(re.sub(r"^(.*?number \d+\)|[\w.]+): ", "", str(error))[:300])
            continue
        except Exception as error:
            return Outcome(WRONG, f"{type(error).__name__}: {error}"[:300])
        found = (found,) if len(case.outputs) == 1 else found
        what = case.difference(found)
        return Outcome(WRONG, what) if what else Outcome(BOUND if bound else RIGHT)
    return Outcome(UNSUPPORTED, reasons[0])


Outcomes = Sequence[tuple[Case, Outcome]]


def outcomes(found: Sequence[Case], *, in_c: bool, jobs: int, seconds: float) -> Outcomes:
    """What becomes of cases, in their order."""
    done: dict[int, Outcome] = {}
    for number, outcome, failure in each(compiled if in_c else interpreted, found, jobs, seconds):
        done[number] = outcome or Outcome(WRONG, failure)
        if sys.stderr.isatty():
            print(f"\r{len(done)} of {len(found)}", end="", file=sys.stderr, flush=True)
    return [(case, done[number]) for number, case in enumerate(found)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs ONNX's backend tests.")
    parser.add_argument("--interpret", action="store_true", help="run the interpreter, not C")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--only", default="", help="cases whose name has this word")
    parser.add_argument("--verbose", action="store_true", help="name each case that is not right")
    parser.add_argument("--every", type=int, default=1, help="only one case of so many")
    parser.add_argument("--jobs", type=int, default=2, help="processes that run cases")
    parser.add_argument("--seconds", type=float, default=120, help="how long a case may take")
    parser.add_argument("--light", action="store_true", help="the light networks instead")
    options = parser.parse_args()
    if options.light:
        return light_networks(in_c=not options.interpret)
    start = time.monotonic()
    found = [case for kind in options.kinds for case in cases(kind) if options.only in case.name]
    done = outcomes(
        found[:: options.every],
        in_c=not options.interpret,
        jobs=options.jobs,
        seconds=options.seconds,
    )
    report(done, options.verbose)
    print(f"{time.monotonic() - start:.0f} s")
    return 1 if any(outcome.status == WRONG for _, outcome in done) else 0


def light_networks(*, in_c: bool) -> int:
    """The light networks with random weights: how far their logits are from ONNX Runtime's."""
    from onnx_models import expected

    from bench.real_models import LIGHT, light

    worst = 0.0
    for name in LIGHT:
        network, inputs = light(name)
        module = load(network)
        if in_c:
            ours = lowering.compile(module, name).main(*inputs.values())
        else:
            ours = interpret.run(module, "main", *inputs.values())
        (theirs,) = expected(network, inputs)
        found = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
        print(f"{name}: {found:.1e} of the largest logit", flush=True)
        worst = max(worst, found)
    return 0 if worst <= 1e-4 else 1


def report(done: Outcomes, verbose: bool) -> None:
    """The numbers, by operator where something is not right, then by kind."""
    by_operator: dict[str, list[tuple[Case, Outcome]]] = defaultdict(list)
    for case, outcome in done:
        by_operator[case.operator].append((case, outcome))
    for operator, found in sorted(by_operator.items()):
        if not verbose and all(outcome.status == RIGHT for _, outcome in found):
            continue
        print(f"{operator}: {counted(outcome for _, outcome in found)}")
        reasons = Counter(f"{o.status}: {o.reason}" for _, o in found if o.reason)
        for reason, count in reasons.most_common(20 if verbose else 3):
            print(f"    {count} {reason}")
        for case, o in found:
            if o.status == WRONG or (verbose and o.status != RIGHT):
                print(f"    {case.name}: {o.status}")
    for kind in dict.fromkeys(case.kind for case, _ in done):
        of_kind = [outcome for case, outcome in done if case.kind == kind]
        good = sum(o.status in (RIGHT, BOUND) for o in of_kind)
        print(f"{kind}: {counted(of_kind)}; {good / len(of_kind):.1%} right in all")


def counted(found: Iterator[Outcome] | Sequence[Outcome]) -> str:
    """How many outcomes of each status there are."""
    counts = Counter(outcome.status for outcome in found)
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])


if __name__ == "__main__":
    sys.exit(main())
