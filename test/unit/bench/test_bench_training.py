"""The steps of training of the benchmark: the same in Relax as in PyTorch."""

from __future__ import annotations

import pytest
from optional import package

from bench import training
from bench.works.training import digits, encoder, residual
from relax_dialect import interpret

torch = package("torch")


@pytest.mark.parametrize("make", [digits, lambda: encoder(8, 2, 12), lambda: residual(2, 9, 5, 2)])
def test_a_step_is_that_of_pytorch(make: training.Make):
    step = make()
    batch, parameters = step.batch(), training.copies(step.parameters.values())
    states = training.copies(step.states.values())
    given = parameters, training.OPTIMIZER.init(parameters), *([states] if states else [])
    _, (_, *moments), *_, loss = interpret.run(training.module(step), "loss_step", *given, *batch)
    peer = training.Torch(step, is_compiled=False)
    expected = peer().numpy(), *peer.moments()
    found = loss, *moments[0], *moments[1]
    assert max(map(training.difference, found, expected)) <= training.MOST_DIFFERENCE
    assert peer.peak() > sum(array.nbytes for array in parameters)
