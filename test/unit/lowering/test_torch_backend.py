"""`torch.compile(model, backend=relax)`: results, gradients, sizes, and graphs that run in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from logging.handlers import BufferingHandler
from typing import Any

import numpy as np
import pytest
from optional import package

from lowering import torch_backend

pytestmark = pytest.mark.usefixtures("unoptimised")

torch = package("torch")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def test_results_and_gradients_of_all_sizes_from_one_graph(monkeypatch: pytest.MonkeyPatch):
    graphs: list[Any] = []
    function = torch_backend._function
    monkeypatch.setattr(torch_backend, "_function", lambda g: graphs.append(g) or function(g))
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.LayerNorm(3), torch.nn.GELU())
    fast = torch.compile(model, backend=torch_backend.relax, dynamic=True)
    for n in (3, 5):
        x = torch.randn(n, 4)
        gradients = []
        for run in (model, fast):
            model.zero_grad()
            found = run(x)
            (found**2).sum().backward()
            gradients.append([found.detach(), *(p.grad.clone() for p in model.parameters())])
        for one, other in zip(*gradients):
            assert torch.allclose(one, other, atol=1e-5)
    assert len(graphs) == 2  # forward and backward, for both sizes


def test_an_unsupported_graph_runs_in_pytorch():
    handler = BufferingHandler(100)
    torch_backend.LOG.addHandler(handler)
    fast = torch.compile(lambda x: torch.histc(x, 4) + 1, backend=torch_backend.relax)
    x = torch.randn(9)
    try:
        assert torch.equal(fast(x), torch.histc(x, 4) + 1)
    finally:
        torch_backend.LOG.removeHandler(handler)
    (text,) = (record.getMessage() for record in handler.buffer)
    assert "runs in PyTorch" in text and "histc.default" in text


def test_tensors_are_read_in_place(monkeypatch: pytest.MonkeyPatch):
    x = torch.randn(5, 4)
    assert torch_backend._input(x).data_ptr() == x.data_ptr()
    array = np.ones(3, np.float32)
    assert torch_backend._output(array, None).data_ptr() == array.ctypes.data


def test_narrow_floats():
    fast = torch.compile(lambda x: x * 2, backend=torch_backend.relax)
    x = torch.randn(5).bfloat16()
    assert fast(x).dtype == torch.bfloat16 and torch.equal(fast(x), x * 2)
