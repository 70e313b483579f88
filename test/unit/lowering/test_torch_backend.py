"""`torch.compile(model, backend=relax)`: results, gradients, sizes, and graphs that run in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from logging.handlers import BufferingHandler
from typing import Any

import numpy as np
import pytest
from optional import package

from lowering import torch_backend, torch_calls
from lowering.runtime.compiled_function import CompiledFunction
from lowering.runtime.dlpack import DLTensor

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


@contextmanager
def logged() -> Iterator[list[str]]:
    """The messages of the backend's log."""
    handler, texts, level = BufferingHandler(100), [], torch_backend.LOG.level
    torch_backend.LOG.addHandler(handler)
    torch_backend.LOG.setLevel("INFO")
    try:
        yield texts
    finally:
        torch_backend.LOG.removeHandler(handler)
        torch_backend.LOG.setLevel(level)
        texts += [record.getMessage() for record in handler.buffer]


@pytest.mark.slow
@pytest.mark.parametrize("bias", [True, False])
def test_lstms_that_are_traced(bias: bool):
    """PyTorch makes its own operator of each layer and direction."""
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(3, 4, 2, bias=bias, batch_first=True, bidirectional=True).eval()
    x = torch.randn(2, 5, 3)
    with torch.no_grad(), logged() as texts, torch._dynamo.config.patch(allow_rnn=True):
        found, states = torch.compile(lstm, backend=torch_backend.relax)(x)
    expected, expected_states = lstm(x)
    for one, other in ((found, expected), *zip(states, expected_states)):
        assert torch.allclose(one, other, atol=1e-6)
    assert texts == []


def test_an_unsupported_graph_runs_in_pytorch():
    fast = torch.compile(lambda x: torch.geqrf(x)[0] + 1, backend=torch_backend.relax)
    x = torch.randn(3, 3)
    with logged() as texts:
        assert torch.equal(fast(x), torch.geqrf(x)[0] + 1)
    assert "runs in PyTorch" in texts[0] and "geqrf.default" in texts[0]


def test_tensors_are_passed_without_a_copy(monkeypatch: pytest.MonkeyPatch):
    array = np.ones(3, np.float32)
    assert torch_calls.as_tensor(array).data_ptr() == array.ctypes.data
    calls = recorded_calls(monkeypatch)
    fast = torch.compile(lambda x: x + 1, backend=torch_backend.relax)
    x = torch.randn(5, 4)
    assert torch.equal(fast(x), x + 1) and torch.equal(fast(x), x + 1)
    assert [call[0] for call in calls] == [x.data_ptr()] * 2


def recorded_calls(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The addresses of the tensors that each call passes to C; C allocates results of first calls."""
    calls: list[list[int]] = []
    writing = CompiledFunction.writing

    def record(self: CompiledFunction, c_args: Any) -> None:
        calls.append([DLTensor.from_address(a).data for a in c_args if isinstance(a, int)])
        writing(self, c_args)

    monkeypatch.setattr(CompiledFunction, "writing", record)
    return calls


def test_weights_are_constants_until_one_changes():
    model = torch.nn.Linear(4, 3)
    fast = torch.compile(model, backend=torch_backend.relax)
    changes = (
        lambda: None,
        lambda: model.weight.mul_(2),
        lambda: setattr(model.weight, "data", torch.ones(3, 4)),
        lambda: setattr(model, "bias", torch.nn.Parameter(torch.zeros(3))),
    )
    x = torch.randn(2, 4)
    with logged() as texts, torch.no_grad():
        for change in changes:
            change()
            assert torch.allclose(fast(x), model(x), atol=1e-6)
    assert [text for text in texts if "weights are arguments" in text] == texts and len(texts) == 1


def test_weights_are_no_arguments_of_c(monkeypatch: pytest.MonkeyPatch):
    model = torch.nn.Linear(4, 3)
    fast = torch.compile(model, backend=torch_backend.relax)
    calls = recorded_calls(monkeypatch)
    with torch.no_grad():
        fast(torch.randn(2, 4))
    assert [len(call) for call in calls] == [1]


def test_strides_of_results_are_those_of_pytorch():
    model = torch.nn.Conv2d(2, 3, 3).eval()
    x = torch.randn(2, 2, 5, 4).to(memory_format=torch.channels_last)
    fast = torch.compile(model, backend=torch_backend.relax)
    with torch.no_grad():
        found, expected = fast(x), model(x)
    assert torch.allclose(found, expected, atol=1e-5) and found.stride() == expected.stride()


def changed(x: Any) -> Any:
    x.add_(1)
    return x, x.view(-1), x * 2, 3


def branched(x: Any) -> Any:
    y = x.sin()
    return y * 2 if y.sum() > 0 else y - 1


@pytest.mark.parametrize("function", [changed, branched])
@pytest.mark.parametrize("context", [torch.inference_mode, torch.no_grad, torch.enable_grad])
def test_writes_views_and_graph_breaks(function: Any, context: Any):
    fast = torch.compile(function, backend=torch_backend.relax)
    with context():
        for x in (torch.ones(3, 4), -torch.ones(3, 4)[:, ::2]):
            mine, own = x.clone(), x.clone()
            found, expected = fast(mine), function(own)
            torch.testing.assert_close((mine, found), (own, expected))


def test_threads_share_a_compiled_graph():
    model = torch.nn.Linear(4, 3)
    fast = torch.compile(model, backend=torch_backend.relax)
    inputs = [torch.randn(2, 4) for _ in range(2)]

    def run(x: Any) -> bool:
        with torch.no_grad():
            return all(torch.allclose(fast(x), model(x), atol=1e-6) for _ in range(50))

    with torch.no_grad():
        fast(inputs[0])
    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(run, inputs))


def test_narrow_floats():
    fast = torch.compile(lambda x: x * 2, backend=torch_backend.relax)
    x = torch.randn(5).bfloat16()
    assert fast(x).dtype == torch.bfloat16 and torch.equal(fast(x), x * 2)
