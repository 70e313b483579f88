"""The networks of examples/models: one artifact for all sizes, which agrees with the interpreter, with
PyTorch, and with what MLIR makes of the loops."""

from __future__ import annotations

import re
import runpy
import sys
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from mlir_oracle import lower_and_load
from optional import LONG, MLIR, needs, package
from xdsl.dialects.builtin import ModuleOp

import lowering
from examples.models.models import MODELS, WIDTH, Weights
from lowering.runtime.loading import CompiledModule
from relax_dialect import interpret
from relax_dialect.parsing import parse

ROOT = Path(__file__).parents[3]
SIZES = {
    "encoder_block": [*MODELS["encoder_block"].sizes, (0, 4)],
    "residual_block": [*MODELS["residual_block"].sizes, (0, 9, 9)],
    "tagger": [*MODELS["tagger"].sizes, (0, 2), (4, 0)],
}
RUNS = [(name, sizes) for name in MODELS for sizes in SIZES[name]]
SLOW = {"encoder_block": pytest.mark.slow}
STEPS = 10
SIGNATURES = {
    "encoder_block": "(%x: !relax.tensor<[n, l, 32], f32>, %mask: !relax.tensor<[n, l], i1>) -> "
    "!relax.tensor<[n, l, 32], f32>",
    "residual_block": "(%x: !relax.tensor<[n, 8, h, w], f32>) -> !relax.tensor<[n, 16], f32>",
    "tagger": "(%x: !relax.tensor<[l, n, 12], f32>) -> !relax.tensor<[l, n, 5], f32>",
}


@cache
def weights(name: str) -> Weights:
    return MODELS[name].weights(seed=2)


@cache
def module(name: str) -> ModuleOp:
    return MODELS[name].build(weights(name))


@cache
def compiled(name: str) -> CompiledModule:
    return lowering.compile(module(name), name, extra_flags=("-Wall", "-Wextra", "-Werror"))


def inputs(name: str, sizes: tuple[int, ...]) -> list[np.ndarray]:
    return MODELS[name].inputs(np.random.default_rng(3), *sizes)


@pytest.mark.parametrize("name", MODELS)
def test_the_sizes_are_symbolic_to_the_end(name: str):
    assert f"relax.func @main{SIGNATURES[name]} {{" in str(module(name))


@pytest.mark.parametrize("name", MODELS)
def test_the_text_means_the_same(name: str):
    arguments = inputs(name, SIZES[name][0])
    again = interpret.run(parse(str(module(name))), "main", *arguments)
    np.testing.assert_array_equal(again, interpret.run(module(name), "main", *arguments))


@pytest.mark.parametrize(
    ("name", "sizes"), [pytest.param(*run, marks=SLOW.get(run[0], ())) for run in RUNS], ids=str
)
def test_agrees_with_the_interpreter(name: str, sizes: tuple[int, ...]):
    arguments = inputs(name, sizes)
    expected = interpret.run(module(name), "main", *arguments, check_types=True)
    np.testing.assert_allclose(compiled(name).main(*arguments), expected, 1e-5, 1e-5)


@pytest.mark.parametrize(("name", "sizes"), [run for run in RUNS if 0 not in run[1]], ids=str)
def test_agrees_with_torch(name: str, sizes: tuple[int, ...]):
    package("torch")
    from examples.models.twins import TWINS, twin

    arguments = inputs(name, sizes)
    expected = twin(TWINS[name](), weights(name))(*arguments)
    for result in (
        compiled(name).main(*arguments),
        interpret.run(module(name), "main", *arguments),
    ):
        np.testing.assert_allclose(result, expected, 1e-5, 1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_a_state_dict_of_torch_fits(name: str):
    torch = package("torch")
    from examples.models.twins import TWINS, twin

    torch.manual_seed(4)
    state = {key: tensor.numpy() for key, tensor in TWINS[name]().state_dict().items()}
    arguments = inputs(name, SIZES[name][0])
    expected = twin(TWINS[name](), state)(*arguments)
    result = interpret.run(MODELS[name].build(state), "main", *arguments)
    np.testing.assert_allclose(result, expected, 1e-5, 1e-5)


@pytest.mark.long
@needs(MLIR)
@pytest.mark.parametrize("name", MODELS)
def test_mlir_makes_the_same_of_the_loops(name: str):
    oracle = lower_and_load(lowering.lower(module(name).clone()))
    for sizes in MODELS[name].sizes:
        arguments = inputs(name, sizes)
        (result,) = oracle.call_entry("main", *arguments)
        np.testing.assert_allclose(compiled(name).main(*arguments), result, 1e-5, 1e-5)


@pytest.mark.slow
def test_the_encoder_does_not_see_what_is_masked():
    x, mask = inputs("encoder_block", (4, 9))
    changed = np.where(mask[..., None], x, np.float32(7))
    assert not mask.all()
    y, other = (compiled("encoder_block").main(each, mask) for each in (x, changed))
    np.testing.assert_array_equal(y[mask], other[mask])
    unmasked = compiled("encoder_block").main(changed, np.ones_like(mask))
    assert (np.abs(unmasked - other).reshape(-1, WIDTH).max(1) > 1e-3).any()


def test_the_tagger_reads_in_both_directions():
    """A change at one step changes the scores of all steps, before and after it."""
    (x,) = inputs("tagger", (6, 2))
    changed = x.copy()
    changed[3, 0] += 1
    before, after = (compiled("tagger").main(each) for each in (x, changed))
    assert (np.abs(after - before)[:, 0].max(-1) > 0).all()
    np.testing.assert_array_equal(after[:, 1], before[:, 1])


@pytest.mark.parametrize("name", MODELS)
def test_training_is_that_of_torch(name: str):
    """Forward, back and optimizer, batch norm by the batch; compiled in `examples/models/train.py`."""
    torch = package("torch")
    sys.path.append(str(ROOT / "examples" / "models"))
    import learning
    import twins

    torch.set_num_threads(1)
    start = learning.MODELS[name].weights()
    given = list(learning.batches(learning.MODELS[name], learning.SIZES[name], STEPS))
    _, kind, arguments = learning.OPTIMIZERS[name]
    expected = list(
        twins.losses(name, start, partial(getattr(torch.optim, kind), **arguments), given)
    )
    found = learning.losses(name, start, given, lambda m: partial(interpret.run, m, "loss_step"))
    np.testing.assert_allclose(list(found), expected, atol=1e-4)


@needs(LONG)
@pytest.mark.usefixtures("quick_cc")
def test_the_script_compares_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """All of one network, which goes through the same code as three."""
    monkeypatch.syspath_prepend(str(ROOT / "examples/models"))
    import models

    monkeypatch.setattr(models, "MODELS", {"tagger": models.MODELS["tagger"]})
    monkeypatch.setattr(sys, "argv", ["run.py", "--output", str(tmp_path)])
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(ROOT / "examples/models/run.py"), run_name="__main__")
    told = capsys.readouterr()
    assert (stop.value.code, told.err) == (0, "")
    assert re.findall(r"^  largest difference to (.*): \d\.\de-0[5-9]$", told.out, re.M) == [
        "the interpreter",
        "PyTorch",
    ]
    assert re.findall(r"^(\w+): built", told.out, re.M) == ["tagger"]
    assert (tmp_path / "tagger.c").stat().st_size > 0
