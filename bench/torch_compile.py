"""Models under `torch.compile` with our backend, with PyTorch's inductor, and op by op, in fresh processes.

    python -m bench.torch_compile "MLP, 32 rows"

prints the seconds of a call of each, and the difference of our results from those op by op, as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from bench import THREADS
from bench.comparing import geometric_mean
from bench.languages import PEERS
from bench.measuring import Table, all_cores, side_by_side, use_one_core

MOST_DIFFERENCE = 1e-4
"""Of a result from PyTorch's, relative to the largest number."""

LEAST_EAGER, LEAST_INDUCTOR = 1.2, 1.0
"""The limits of the geometric means."""


def measured(name: str) -> dict[str, float]:
    """Return the seconds of a call op by op, by inductor and by ours, and the largest difference."""
    import torch

    from bench.works.torch_models import MODELS

    torch.set_num_threads(THREADS)
    torch._dynamo.config.allow_rnn = True  # else graphs end at an LSTM, which runs op by op
    torch.manual_seed(0)
    model, arguments = MODELS[name]()
    model.eval()
    runs: dict[str, Callable[[], Any]] = {}
    with torch.no_grad(), all_cores():
        for kind, made in (
            ("eager", model),
            ("inductor", torch.compile(model)),
            ("ours", torch.compile(model, backend="relax")),
        ):
            runs[kind] = lambda made=made: made(*arguments)
            torch._dynamo.reset()
            runs[kind]()
        pairs = zip(_tensors(runs["ours"]()), _tensors(runs["eager"]()), strict=True)
        found = {"difference": max(_difference(a, b) for a, b in pairs)}
        use_one_core()
        return found | dict(zip(runs, side_by_side([*runs.values()])))


def _tensors(result: Any) -> Iterator[Any]:
    from torch.utils import _pytree

    return (leaf for leaf in _pytree.tree_leaves(result) if hasattr(leaf, "detach"))


def _difference(found: Any, expected: Any) -> float:
    return float((found - expected).abs().max() / expected.abs().max())


def table() -> Table:
    """Return the table of all models, with limits for the geometric means of the ratios."""
    made = Table(
        "torch.compile",
        ("model", "ours us", "eager us", "inductor us", "eager / ours", "inductor / ours", "difference"),
    )  # fmt: skip
    if not PEERS["torch"].installed:
        return made
    from bench.works.torch_models import MODELS

    ratios: dict[str, list[float]] = {"eager": [], "inductor": []}
    for name in MODELS:
        found = _in_a_process(name)
        if not found:
            made.missed.append(f"{name}: expected its figures, found a process that failed")
            continue
        made.limit(f"{name}, difference", found["difference"], at_most=MOST_DIFFERENCE)
        for peer, taken in ratios.items():
            taken.append(found[peer] / found["ours"])
        times = (found[kind] * 1e6 for kind in ("ours", *ratios))
        row = (*times, *(taken[-1] for taken in ratios.values()), f"{found['difference']:.1g}")
        made.rows.append((name, *row))
    if made.rows:
        means = {peer: geometric_mean(taken) for peer, taken in ratios.items()}
        made.rows.append(("geometric mean", "", "", "", *means.values(), ""))
        made.limit("eager / ours", means["eager"], at_least=LEAST_EAGER)
        made.limit("inductor / ours", means["inductor"], at_least=LEAST_INDUCTOR)
    return made


def _in_a_process(name: str) -> dict[str, float]:
    """Measure a model in a separate process."""
    command = [sys.executable, "-m", "bench.torch_compile", name]
    with all_cores():
        done = subprocess.run(command, stdout=subprocess.PIPE, env=dict(os.environ), check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
