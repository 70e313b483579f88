"""examples/lm: a tiny language model is trained and sampled from, interpreted, compiled and by PyTorch."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import LONG, UNOPTIMISED, needs, package
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect import RelaxError, interpret, training
from relax_dialect.interpret.tensor_files import write_tensors

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "lm"
sys.path.append(str(EXAMPLE))

# ruff: noqa: E402
from characters import Alphabet, batches
from model import WEIGHTS, Model
from network import Config, build

TEXT = "What is the use of a book, thought Alice, without pictures or conversation? " * 2
ALPHABET = Alphabet.of(TEXT)
CONFIG = Config(len(ALPHABET.characters), width=8, layers=2, heads=2, inner=12, window=5)
RATE = 1e-2
OPTIMIZER = training.AdamW(RATE, betas=(0.9, 0.99), weight_decay=0.1)
STEPS = 20
BATCHES = list(islice(batches(ALPHABET.numbers(TEXT), 3, 11, seed=1), STEPS))

Step = Callable[..., Any]


@cache
def module() -> ModuleOp:
    return build(CONFIG, OPTIMIZER)


def interpreted(name: str) -> Step:
    return lambda *arguments: interpret.run(module(), name, *arguments)


@cache
def interpreted_losses() -> tuple[list[float], tuple[np.ndarray, ...]]:
    return losses(interpreted("loss_step"))


def losses(step: Step, count: int = STEPS) -> tuple[list[float], tuple[np.ndarray, ...]]:
    """The loss of every step, and the weights after them."""
    weights = tuple(CONFIG.start().values())
    state, found = OPTIMIZER.init(weights), list[float]()
    for batch in BATCHES[:count]:
        weights, state, loss = step(weights, state, *batch)
        found.append(float(loss))
    return found, weights


def drawn(sample: Step, read: np.ndarray, counts: list[int], best: int = 3) -> list[int]:
    """Characters that go on with others, by calls that draw so many each."""
    key, caches, found = np.array(7), CONFIG.no_caches(), list[int]()
    weights = CONFIG.start(seed=3).values()
    for count in counts:
        asked = np.array(count), key, np.float32(0.7), np.array(best)
        read, key, *caches = sample(*weights, read, *caches, *asked)
        found += read.tolist()
        read = read[-1:]
    return found


def test_a_text_is_what_its_numbers_say():
    assert ALPHABET.text(ALPHABET.numbers(TEXT)) == TEXT
    for text, following in BATCHES[:2]:
        assert text.shape == following.shape == (3, 11)
        np.testing.assert_array_equal(text[:, 1:], following[:, :-1])
        assert all(ALPHABET.text(row) in TEXT for row in text)
    with pytest.raises(RelaxError, match=r"expected characters .* trained on, found 'é'; write it"):
        ALPHABET.numbers("caf\u00e9")
    with pytest.raises(
        RelaxError, match=r"expected more than 9 characters .* found 3; take a longer"
    ):
        next(batches(np.arange(3), 1, 9, 0))


@pytest.mark.slow
def test_it_learns():
    found, _ = losses(interpreted("loss_step"), 5)
    assert abs(found[0] - np.log(CONFIG.characters)) < 0.1  # nothing is known at first
    assert found[4] < found[0] - 0.05


def test_caches_change_nothing():
    """Drawn in one call, in several, and, where the best is taken, by reading all anew for each character."""
    sample, read = interpreted("sample"), ALPHABET.numbers("Alice")
    at_once = drawn(sample, read, [7])
    assert drawn(sample, read, [1, 4, 2]) == at_once
    best, anew = drawn(sample, read, [7], best=1), list[int]()
    for _ in best:
        anew += drawn(sample, np.concatenate([read, anew]).astype(np.int64), [1], best=1)
    assert best == anew


def test_losses_are_those_of_torch():
    torch = package("torch")
    import twin

    torch.set_num_threads(1)
    found, _ = interpreted_losses()
    expected = list(twin.losses(CONFIG, CONFIG.start(), RATE, BATCHES))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert found[-1] < found[0] - 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "wrong", "expected"),
    [
        ("temperature", "1e-50", "a number from 1e-6 to 1e6"),
        ("temperature", "warm", "a number from 1e-6 to 1e6"),
        ("seed", str(2**63), r"a whole number, 0 or more and below 2\^63"),
        ("best", "0", r"a whole number, 1 or more and below 2\^63"),
        ("sample", "", "a text to go on with, found an empty one"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    option: str,
    wrong: str,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(sys, "argv", ["run.py", f"--{option}={wrong}"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(EXAMPLE / "run.py"), run_name="__main__")
    assert stop.value.code == 2
    assert re.search(f"error: argument --{option}: expected {expected}", capsys.readouterr().err)


def test_other_weights_are_no_model(tmp_path: Path):
    write_tensors(tmp_path / WEIGHTS, {"norm": np.zeros(3, "f4")})
    with pytest.raises(RelaxError, match=r"expected the weights of a model.*, found norm; train"):
        Model.load(tmp_path)


SMALL = f"""
import runpy, sys
sys.path.insert(0, {str(EXAMPLE)!r})
import network
network.Config.__init__.__defaults__ = 8, 1, 2, 12, 5
runpy.run_path({str(EXAMPLE / "run.py")!r}, run_name="__main__")
"""
"""The script for a model of one layer, as most of its time goes by layer."""


@needs(LONG)
@pytest.mark.usefixtures("quick_cc")
def test_it_learns_from_a_text_with_other_letters(tmp_path: Path):
    """And goes on with a beginning of that."""
    (text := tmp_path / "text").write_text("é" * 2000, "utf-8")
    options = ["--text", text, "--output", tmp_path, "--steps", "1", "--characters", "9"]
    command = [sys.executable, "-c", SMALL, *map(str, options)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"characters held out\n\n{'é' * 10}\n")


@needs(LONG)
def test_compiled_it_does_the_same(tmp_path: Path):
    """Also when program and weights are read again."""
    with pytest.raises(RelaxError, match=r"weights.* of a model, found none; train one first"):
        Model.load(tmp_path)
    program = lowering.compile(module(), "lm", extra_flags=UNOPTIMISED, directory=tmp_path)
    expected, weights = interpreted_losses()
    found, others = losses(program.loss_step)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    for array, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(other, array, atol=1e-4)
    read = ALPHABET.numbers("Alice")
    assert drawn(program.sample, read, [3, 40]) == drawn(interpreted("sample"), read, [3, 40])
    model = Model(program, CONFIG, ALPHABET, others)
    model.save(tmp_path)
    again = Model.load(tmp_path)
    asked = "Alice", 20, 0.5, 4, 9
    assert list(again.sample(*asked)) == list(model.sample(*asked))
    long = ALPHABET.numbers(TEXT)
    assert again.loss(long) == model.loss(long)
