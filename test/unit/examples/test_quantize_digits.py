"""The digits model in 8-bit integers: its accuracy on images that did not calibrate it, and its script."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from optional import LONG, needs
from xdsl.dialects.builtin import ModuleOp

import lowering
import relax_dialect
from relax_dialect import interpret
from relax_dialect.ops.core import ConstantOp
from relax_dialect.rewrites.quantization.quantize import quantize

ROOT = Path(__file__).parents[3]
DIGITS = ROOT / "examples" / "digits"
CALIBRATION = 64


@pytest.fixture(scope="module")
def held_out() -> tuple[np.ndarray, np.ndarray]:
    with np.load(DIGITS / "held_out.npz") as data:
        return data["images"].astype(np.float32), data["labels"]


def model() -> ModuleOp:
    return relax_dialect.load(DIGITS / "digits.mlir")


def constant_bytes(module: ModuleOp) -> int:
    return sum(len(op.value.data.data) for op in module.walk() if isinstance(op, ConstantOp))


@pytest.mark.parametrize("activations", ["ui8", "i8"])
@pytest.mark.parametrize("first", [0, 100, 300])
def test_at_most_one_point_of_accuracy_is_lost(
    first: int, activations: str, held_out: tuple[np.ndarray, np.ndarray]
):
    images, labels = held_out
    seen = np.arange(first, first + CALIBRATION)
    others = np.setdiff1d(np.arange(len(images)), seen)
    floats, integers = model(), model()
    report = quantize(integers, {"x": images[seen]}, activations=activations)
    assert len(report.quantized) == 3 and not report.kept
    x, right = images[others], labels[others]
    accuracy = [
        (interpret.run(module, "main", x).argmax(axis=1) == right).mean()
        for module in (floats, integers)
    ]
    assert accuracy[0] >= 0.95
    assert accuracy[1] >= accuracy[0] - 0.01


@pytest.mark.slow
def test_c_computes_the_same_from_a_quarter_of_the_weights(
    held_out: tuple[np.ndarray, np.ndarray], tmp_path: Path
):
    x, _ = held_out
    floats, integers = model(), model()
    quantize(integers, {"x": x[:CALIBRATION]})
    assert constant_bytes(integers) < 0.3 * constant_bytes(floats)
    compiled = lowering.compile(integers, "digits", directory=tmp_path)
    for batch in (x, x[:1], x[:7]):
        expected = interpret.run(integers, "main", batch)
        np.testing.assert_allclose(compiled.main(batch), expected, atol=1e-6)


def run_script(example: Path, output: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(example / "quantize.py"), "--output", str(output)]
    return subprocess.run(
        command, cwd=output, env=environment(), capture_output=True, encoding="utf-8", check=False
    )


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


@pytest.mark.long
@pytest.mark.usefixtures("quick_cc")
def test_the_script_says_what_is_lost(tmp_path: Path):
    done = run_script(DIGITS, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for promised in (
        r"^calibrated on 64 images: 3 regions quantised$",
        r"^on the 300 held-out images that did not calibrate:$",
        r"^  float  accuracy 0\.9[5-9]\d, constants 68\.9 kB$",
        r"^  int8   accuracy 0\.9[5-9]\d, constants 1\d\.\d kB$",
        r"^largest difference of the int8 model to the interpreter: \d\.\de-(0[6-9]|\d\d)$",
        r"^  batch +1: float [\d.]+ µs, int8 [\d.]+ µs$",
        r"^  batch 300: ",
    ):
        assert re.search(promised, done.stdout, re.M), promised
    found = re.findall(r"accuracy ([\d.]+), constants ([\d.]+) kB", done.stdout)
    (accuracy, size), (integer_accuracy, integer_size) = found
    page = (ROOT / "docs" / "quantization.md").read_text("utf-8")
    assert f"| {accuracy} | {integer_accuracy} |" in page
    assert f"| {size} kB | {integer_size} kB |" in page
    lines = (DIGITS / "README.md").read_text("utf-8").split()
    words = f"{accuracy} in floats, {integer_accuracy} in integers, whose constants take {integer_size} kB"
    assert f"{words} instead of {size}." in " ".join(lines)


@needs(LONG)
@pytest.mark.usefixtures("quick_cc")
def test_a_loss_fails(tmp_path: Path):
    """Calibrated on images that are nearly blank, the model cuts off all ink."""
    example = tmp_path / "digits"
    shutil.copytree(DIGITS, example)
    with np.load(example / "held_out.npz") as data:
        images, labels = data["images"], data["labels"]
    images[:CALIBRATION] = np.minimum(images[:CALIBRATION], 1)
    np.savez(example / "held_out.npz", images=images, labels=labels)
    done = run_script(example, tmp_path)
    assert done.returncode == 1
    assert re.fullmatch(
        r"error: accuracy: expected at most 0\.01 less than in floats, found 0\.\d+\n", done.stderr
    )
