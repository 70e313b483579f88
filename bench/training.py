"""Steps of training, each in a fresh process: forward, back and AdamW in one C function, next to PyTorch.

    python -m bench.training 0

prints the figures of the first step as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from bench.languages import PEERS, ours
from bench.measuring import Table, all_cores, side_by_side, use_one_core
from bench.works.training import DECAY, RATE, STEPS, Step
from relax_dialect import training
from relax_dialect.builder import BlockBuilder
from relax_dialect.gradient import gradient
from relax_dialect.ir.types import TensorType

MOST_DIFFERENCE = 1e-4
"""Of a loss, a gradient or its square from PyTorch's, in the greatest number of each."""
COMPILED = "torch.compile"

OPTIMIZER = training.AdamW(RATE, weight_decay=DECAY)

Arrays = tuple[np.ndarray, ...]

Make = Callable[[], Step]


def module(step: Step) -> ModuleOp:
    """Build `@loss`, its adjoint, and the step made of it, for these sizes."""
    builder = BlockBuilder()
    given = {**step.parameters, **step.states}
    types: dict[str, Any] = {n: TensorType(list(a.shape), "f32") for n, a in given.items()}
    types |= {n: TensorType(list(i.shape(step.sizes)), i.dtype) for n, i in step.inputs.items()}
    with builder.function("loss", types) as values:
        own = dict(zip(given, values))
        with builder.dataflow():
            language = ours.Relax(builder, step.sizes)
            loss, moved = step.loss(language, own, own, *values[len(given) :])
            results = [builder.emit_output(each) for each in (loss, *moved)]
        builder.emit_func_output(results if moved else results[0])
    made = builder.get()
    names = [*step.parameters]
    gradient(made, "loss", names)
    training.make_step(made, "loss", OPTIMIZER, parameters=names, states=[*step.states])
    return made


def copies(arrays: Any) -> Arrays:
    return tuple(array.copy() for array in arrays)


class Torch:
    """The same step by PyTorch, op by op or compiled."""

    def __init__(self, step: Step, *, is_compiled: bool):
        import torch

        from bench.languages.pytorch import Torch as Language

        language, self.step = Language(step.sizes), step
        self.parameters = {
            n: torch.from_numpy(a.copy()).requires_grad_() for n, a in step.parameters.items()
        }
        self.states = {n: torch.from_numpy(a.copy()) for n, a in step.states.items()}
        self.batch = [*map(torch.from_numpy, step.batch())]

        def loss(p: Any, s: Any, *batch: Any) -> Any:
            return step.loss(language, p, s, *batch)[0]

        self.loss = torch.compile(loss) if is_compiled else loss
        self.optimizer: Any = torch.optim.AdamW(
            self.parameters.values(), RATE, weight_decay=DECAY, fused=True
        )

    def __call__(self) -> Any:
        loss = self.loss(self.parameters, self.states, *self.batch)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def moments(self) -> Iterator[np.ndarray]:
        """Yield the means of the gradients and of their squares."""
        for slot in ("exp_avg", "exp_avg_sq"):
            for parameter in self.parameters.values():
                yield self.optimizer.state[parameter][slot].numpy()

    def peak(self) -> float:
        """Return the peak memory of PyTorch's allocator during a step, beyond its state before."""
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
            self()
        tree = recorded.profiler.kineto_results.experimental_event_tree()  # pyright: ignore
        found, most, waiting = 0, 0, list[Any](tree)
        events: list[tuple[int, int]] = []
        while waiting:
            event = waiting.pop()
            waiting += event.children
            if event.name == "[memory]":
                events.append((event.start_time_ns, event.extra_fields.alloc_size))
        for _, size in sorted(events, key=lambda e: e[0]):
            found += size
            most = max(most, found)
        return float(most)


def measured(step: Step) -> dict[str, float]:
    """Return the figures of a step, by the names of the columns: seconds, bytes, and the largest
    difference."""
    program = module(step)
    with all_cores():
        model = lowering.compile(program, opt_level=ours.LEVEL, cache=False)
    usage = lowering.estimate_memory_usage(program, {}, opt_level=ours.LEVEL)
    found = {"ours, peak": float(usage.peak("loss_step"))}
    batch, parameters = step.batch(), copies(step.parameters.values())
    state, states = OPTIMIZER.init(parameters), copies(step.states.values())
    given = (parameters, state, *([states] if states else []), *batch)
    runs: dict[str, Callable[[], Any]] = {"ours": partial(model.loss_step, *given)}
    expected: list[np.ndarray] | None = None
    if PEERS["torch"].installed:
        for name in ("torch", COMPILED):
            with all_cores():
                try:
                    peer = Torch(step, is_compiled=name == COMPILED)
                    loss = peer()
                except Exception as error:  # a peer's fault: its cell stays empty
                    print(f"note: {name}, {step.name}: {error}", file=sys.stderr)
                    continue
            if expected is None:
                expected = [loss.numpy(), *(each.copy() for each in peer.moments())]
            found[f"{name}, peak"] = peer.peak()
            runs[name] = peer
    _, new, *_, loss = model.loss_step(*given)
    _, means, squares = new
    if expected is not None:
        found["difference"] = max(map(difference, (loss, *means, *squares), expected))
    own = (*step.parameters.values(), *step.states.values(), *batch)
    runs["forward"] = partial(model.loss, *own)
    runs["adjoint"] = partial(model.loss_adjoint, *own)
    use_one_core()
    return found | dict(zip(runs, side_by_side([*runs.values()])))


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference, relative to the largest number."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def _in_a_process(number: int) -> dict[str, float]:
    """Measure a step in a separate process, which leaves no state behind."""
    command = [sys.executable, "-m", "bench.training", str(number)]
    with all_cores():
        done = subprocess.run(command, stdout=subprocess.PIPE, env=dict(os.environ), check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def table() -> Table:
    """Return the table of all steps, with their limits: no slower and no larger than PyTorch's."""
    made = Table(
        "Steps of training: forward, back, AdamW",
        ("step", "ours us", "PyTorch us", "compiled us", "ratio", "gradients / forward", "ours MB",
         "PyTorch MB", "compiled MB", "difference", "within limits"),
    )  # fmt: skip
    for number, make in enumerate(STEPS):
        step, found = make(), _in_a_process(number)
        name = step.name
        if not found:
            made.missed.append(f"{name}: expected its figures, found a process that failed")
            continue
        made.rows.append((name, *_cells(made, step, found)))
    return made


def _cells(made: Table, step: Step, found: dict[str, float]) -> Sequence[str | float]:
    """Return the figures of a step, and whether they are within the limits: time by the faster of
    PyTorch's, memory by that of its steps op by op."""
    name = step.name

    def shown(key: str, scale: float) -> str | float:
        return found[key] * scale if key in found else ""

    peers = [peer for peer in ("torch", COMPILED) if peer in found]
    ratio = min((found[p] for p in peers), default=found["ours"]) / found["ours"]
    limits = [made.limit(f"{name}, time of PyTorch by ours", ratio, at_least=1)]
    if "torch" in peers:
        most = found["torch, peak"] / 1e6
        limits.append(made.limit(f"{name}, MB", found["ours, peak"] / 1e6, at_most=most))
        limits.append(
            made.limit(f"{name}, difference", found["difference"], at_most=MOST_DIFFERENCE)
        )
    forwards = found["adjoint"] / found["forward"]
    if step.most_forwards is not None:
        limits.append(made.limit(f"{name}, forwards", forwards, at_most=step.most_forwards))
    return (
        *(shown(key, 1e6) for key in ("ours", "torch", COMPILED)),
        *(ratio, forwards),
        *(shown(f"{key}, peak", 1e-6) for key in ("ours", "torch", COMPILED)),
        *(f"{found['difference']:.1g}" if peers else "", "NO" if "NO" in limits else "yes"),
    )


if __name__ == "__main__":
    print(json.dumps(measured(STEPS[int(sys.argv[1])]())))
