"""ONNX's own backend tests: how many cases the importer, interpreter and compiled C get right.

    python test/unit/support/onnx_suite.py --light [--compile]
    python test/unit/support/onnx_suite.py [--compile] [--jobs N] [--every N] [--kinds node simple] [--only WORD] [--verbose]

A case that needs an input to be known when the model is imported is tried with inputs bound to their values,
and counted apart. What is not right is wrong (another result, or an error that is no refusal) or unsupported,
with the reason.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

import lowering
from relax_dialect import RelaxError, interpret
from relax_dialect.frontends.onnx import load

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")
RIGHT, BOUND, UNSUPPORTED, WRONG = "right", "right with bound inputs", "unsupported", "wrong"


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    name: str
    operator: str
    status: str
    reason: str = ""


@dataclass(frozen=True)
class Case:
    """A model with inputs and the outputs that are right for them; None for what is no tensor."""

    name: str
    operator: str
    model: Any
    inputs: dict[str, Any]
    outputs: list[Any]


def cases(kind: str) -> Iterator[Case]:
    """The cases of a kind: those of single nodes are made by ONNX, others lie in its files."""
    for case in load_model_tests(kind=kind):
        if case.model is not None and case.data_sets:
            given, wanted = case.data_sets[0]
            model, operator = case.model, case.model.graph.node[0].op_type
        else:
            folder = Path(case.model_dir or "")
            model, operator = onnx.load(folder / "model.onnx"), kind
            known = {t.name for t in model.graph.initializer}
            unknown = [v for v in model.graph.input if v.name not in known]
            del model.graph.input[:]
            model.graph.input.extend(unknown)
            given, wanted = (
                read(folder / "test_data_set_0", prefix, values)
                for prefix, values in (("input", unknown), ("output", model.graph.output))
            )
        inputs = {v.name: a for v, a in zip(model.graph.input, map(array, given))}
        yield Case(case.name, operator, model, inputs, list(map(array, wanted)))


def read(folder: Path, prefix: str, values: Sequence[Any]) -> list[Any]:
    """The tensors of a case that lie in files."""
    return [
        numpy_helper.to_array(
            onnx.TensorProto.FromString((folder / f"{prefix}_{i}.pb").read_bytes())
        )
        if value.type.WhichOneof("value") == "tensor_type"
        else None
        for i, value in enumerate(values)
    ]


def array(value: Any) -> Any:
    """A tensor as an array; None for what is none."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.ndarray | np.generic) else None


def close(ours: Any, theirs: Any) -> bool:
    """Whether a result is the expected one: its type, shape and numbers."""
    ours = np.asarray(ours)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    narrow = ours.dtype.name in ("float16", "bfloat16")
    a, b = (v.astype(np.float64) if v.dtype.kind in "fV" else v for v in (ours, theirs))
    return bool(
        np.allclose(a, b, 1e-2 if narrow else 1e-3, 1e-3 if narrow else 1e-5, equal_nan=True)
    )


def bindings(model: Any, inputs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What to bind: nothing, then small integers, then all inputs but the first."""
    yield {}
    small = {n: a for n, a in inputs.items() if a.dtype.kind in "iub" and a.size <= 64}
    if small and len(small) < len(inputs):
        yield small
    rest = dict(list(inputs.items())[1:])
    if rest and rest.keys() != small.keys():
        yield rest


def tried(case: Case, compiled: bool) -> Outcome:
    """Run a case."""
    name, operator, model = case.name, case.operator, case.model
    inputs, wanted = case.inputs, case.outputs
    if any(a is None for a in [*inputs.values(), *wanted]):
        return Outcome(name, operator, UNSUPPORTED, "inputs or outputs that are no tensors")
    reasons = []
    for bound in bindings(model, inputs):
        try:
            module = load(model, bind=bound)
            arguments = [a for n, a in inputs.items() if n not in bound]
            if compiled:
                with_c = lowering.compile(module, "tested", extra_flags=("-O0",))
                results = with_c.main(*arguments)
            else:
                results = interpret.run(module, "main", *arguments)
        except RelaxError as error:
            reasons.append(re.sub(r"^(.*?number \d+\)|[\w.]+): ", "", str(error))[:300])
            continue
        except Exception as error:
            return Outcome(name, operator, WRONG, f"{type(error).__name__}: {error}"[:300])
        results = results if isinstance(results, tuple) else (results,)
        if all(map(close, results, wanted)) and len(results) == len(wanted):
            return Outcome(name, operator, BOUND if bound else RIGHT)
        return Outcome(name, operator, WRONG, "another result")
    return Outcome(name, operator, UNSUPPORTED, reasons[0])


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs ONNX's backend tests.")
    parser.add_argument(
        "--compile", action="store_true", help="run compiled C, not the interpreter"
    )
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--only", default="", help="cases whose name has this word")
    parser.add_argument("--verbose", action="store_true", help="name each case that is not right")
    parser.add_argument("--every", type=int, default=1, help="only one case of so many")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run cases")
    parser.add_argument("--light", action="store_true", help="the light networks instead")
    options = parser.parse_args()
    if options.light:
        return light_networks(options.compile)
    found = [case for kind in options.kinds for case in cases(kind) if options.only in case.name]
    found = found[:: options.every]
    with Pool(options.jobs) as pool:
        outcomes = pool.starmap(tried, [(case, options.compile) for case in found], chunksize=20)
    report(outcomes, options.verbose)
    return 0


def light_networks(compiled: bool) -> int:
    """The light networks with random weights: how far their logits are from ONNX Runtime's."""
    import onnx_models

    worst = 0.0
    for name in onnx_models.LIGHT:
        network, inputs = onnx_models.light(name)
        module = load(network)
        if compiled:
            ours = lowering.compile(module, name).main(*inputs.values())
        else:
            ours = interpret.run(module, "main", *inputs.values())
        (theirs,) = onnx_models.expected(network, inputs)
        found = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
        print(f"{name}: {found:.1e} of the largest logit", flush=True)
        worst = max(worst, found)
    return 0 if worst <= 1e-4 else 1


def report(outcomes: Sequence[Outcome], verbose: bool) -> None:
    """The numbers, by operator where something is not right."""
    by_operator: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_operator[outcome.operator].append(outcome)
    for operator, found in sorted(by_operator.items()):
        counts = Counter(outcome.status for outcome in found)
        if counts[RIGHT] == len(found) and not verbose:
            continue
        print(f"{operator}: {', '.join(f'{n} {status}' for status, n in counts.items())}")
        reasons = Counter(
            f"{o.status}: {o.reason}" for o in found if o.status in (UNSUPPORTED, WRONG)
        )
        for reason, count in reasons.most_common(20 if verbose else 3):
            print(f"    {count} {reason}")
        if verbose:
            for o in found:
                if o.status in (UNSUPPORTED, WRONG):
                    print(f"    {o.name}: {o.status}")
    total = Counter(outcome.status for outcome in outcomes)
    print(f"{len(outcomes)} cases: {', '.join(f'{n} {status}' for status, n in total.items())}")


if __name__ == "__main__":
    sys.exit(main())
