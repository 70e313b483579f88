"""The main job: the committed model reads held-out digits through C, and `make run` shows it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from optional import LONG, OCR, needs
from xdsl.dialects.builtin import ModuleOp

import lowering
import relax_dialect
from lowering.runtime.loading import CompiledModule
from relax_dialect import interpret

ROOT = Path(__file__).parents[3]
DIGITS = ROOT / "examples" / "digits"


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    return relax_dialect.load(DIGITS / "digits.mlir")


@pytest.fixture(scope="module")
def held_out() -> tuple[np.ndarray, np.ndarray]:
    with np.load(DIGITS / "held_out.npz") as data:
        return data["images"], data["labels"]


@pytest.fixture(scope="module")
def model(module: ModuleOp, tmp_path_factory: pytest.TempPathFactory) -> CompiledModule:
    return lowering.compile(module, "digits", directory=tmp_path_factory.mktemp("digits"))


def test_the_held_out_images_are_images(held_out: tuple[np.ndarray, np.ndarray]):
    images, labels = held_out
    assert len(images) >= 360
    assert images.shape == (len(labels), 64)
    assert images.dtype == np.uint8
    assert images.max() == 16
    assert len(np.unique(images, axis=0)) == len(images), "no image stands there twice"
    assert np.bincount(labels, minlength=10).min() >= 30, "every digit is there"


@pytest.mark.slow
def test_it_reads_digits_through_c(model: CompiledModule, held_out: tuple[np.ndarray, np.ndarray]):
    images, labels = held_out
    p = model.main(images.astype(np.float32))
    assert (p.argmax(axis=1) == labels).mean() >= 0.95
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [0, 1, 7, None])
def test_every_batch_goes_through_one_shared_object(
    model: CompiledModule,
    module: ModuleOp,
    held_out: tuple[np.ndarray, np.ndarray],
    batch: int | None,
):
    x = held_out[0].astype(np.float32)
    p = model.main(x[:batch])
    np.testing.assert_allclose(p, model.main(x)[:batch], atol=1e-6)
    np.testing.assert_allclose(p, interpret.run(module, "main", x[:batch]), atol=1e-4)


@pytest.mark.slow
def test_the_weights_as_numpy_reads_them(
    model: CompiledModule, held_out: tuple[np.ndarray, np.ndarray]
):
    """The hexadecimal text, read here without the parser, gives the same network in numpy."""
    text = (DIGITS / "digits.mlir").read_text(encoding="utf-8")
    found = re.findall(r'^#\w+ = dense<"0x([0-9A-F]+)"> : tensor<([\dx]+)xf32>$', text, re.M)
    weights = [
        np.frombuffer(bytes.fromhex(digits), "<f4").reshape([int(d) for d in shape.split("x")])
        for digits, shape in found
    ]
    assert [w.shape for w in weights] == [(64, 128), (128,), (128, 64), (64,), (64, 10), (10,)]
    x = held_out[0].astype(np.float32)
    y = x
    for w, b in zip(weights[::2], weights[1::2]):
        y = np.maximum(y, 0) @ w + b  # the pixels are not negative: their relu is no change
    powers = np.exp(y - y.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.main(x), expected, atol=1e-5)


def run_script(
    folder: Path, *arguments: str, example: Path = DIGITS
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(example / "run.py"), "--output", str(folder), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.slow
def test_the_script_shows_every_step(tmp_path: Path):
    done = run_script(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    for promised in (
        r"relax\.func @main\(%x: !relax\.tensor<\[n, 64\], f32>\)",
        r"%h1 = relax\.call_tir @matmul_add_relu\w*\(%x, %w1, %b1\)",
        r"scf\.for %\w+ = %c0 to %\w+ step %c\d+ \{",
        r"^DIGITS_LOCAL void matmul_add_relu\w*\(int64_t n, const float \*restrict x",
        r"passes: +relax-lower-affine, relax-",
        r"compile time: +\d+ ms Relax to C in Python, \d+ ms C to machine code",
        r"the C: +digits\.c",
        r"Read rightly \(3\d\d of 364\)",
        r"[ ░▒▓█]{20}",
        r"^   0 ✓ ",
        r"^   \d ✗ is \d ",
        r"^accuracy: 0\.9[5-9]\d$",
        r"^largest difference to the interpreter: \d\.\de-0[5-9]$",
        r"^  batch +1: +[\d.]+ µs; numpy +[\d.]+ µs",
        r"^  batch +7: ",
        r"^  batch +364: ",
    ):
        assert any(re.search(promised, line) for line in lines), promised
    for suffix in (".c", ".h", ".so", ".weights"):
        assert (tmp_path / f"digits{suffix}").stat().st_size > 0


@pytest.mark.slow
def test_without_a_c_compiler_the_script_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    done = run_script(tmp_path, "--quiet")
    assert done.returncode == 1
    assert done.stderr.startswith("error: C compiler: $CC names 'no-such-compiler'")
    assert "Traceback" not in done.stderr


SCRIPTS = {
    "digits/run.py": "--output", "digits/train.py": "--output", "digits/quantize.py": "--output",
    "models/run.py": "--output", "models/train.py": "--output", "lm/run.py": "--output",
    "ocr/run.py": "--folder",
}  # fmt: skip
"""The scripts that write, each with the option that names the folder."""
EACH = """
import os, runpy, sys, lowering, relax_dialect
file, *words = sys.argv[1:]
for script, option in zip(words[::2], words[1::2]):
    if (child := os.fork()) == 0:
        for stream in (1, 2):
            os.dup2(os.open(f"{script.replace('/', '_')}.{stream}", os.O_WRONLY | os.O_CREAT), stream)
        sys.argv, sys.path[0] = [script, option, file], os.path.dirname(script)
        runpy.run_path(script, run_name="__main__")
        sys.exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs each script in a fork of one process, which has imported what all of them import."""


@pytest.fixture(scope="module")
def without_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """A file in the place of a folder, and of each script the code, the output and the errors."""
    folder = tmp_path_factory.mktemp("scripts")
    (file := folder / "file").touch()
    paths = {str(DIGITS.parent / script): option for script, option in SCRIPTS.items()}
    words = [word for pair in paths.items() for word in pair]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", EACH, str(file), *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, timeout=120
    )
    said = {
        script: [code, *((folder / f"{path.replace('/', '_')}.{n}").read_text() for n in (1, 2))]
        for (script, path), code in zip(
            zip(SCRIPTS, paths, strict=True), done.stdout.split(), strict=True
        )
    }
    return file, said


@pytest.mark.slow
@pytest.mark.parametrize(
    "script", [pytest.param(s, marks=needs(OCR)) if "ocr" in s else s for s in SCRIPTS]
)
def test_scripts_say_at_once_that_they_cannot_write(
    script: str, without_folder: tuple[Path, dict[str, list[str]]]
):
    """None of what takes long is done before."""
    file, said = without_folder
    assert said[script] == [
        "1",
        "",
        f"error: {SCRIPTS[script]} {file}: expected a directory that can be written to, found none: File exists; "
        "name another one\n",
    ]


@pytest.mark.long
@pytest.mark.usefixtures("quick_cc")
def test_a_script_whose_output_nobody_reads_says_nothing(tmp_path: Path):
    command = [sys.executable, str(DIGITS / "run.py"), "--quiet", "--output", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@needs(LONG)
@pytest.mark.usefixtures("quick_cc")
def test_a_model_that_misreads_fails(tmp_path: Path, held_out: tuple[np.ndarray, np.ndarray]):
    """With the labels of other images the accuracy is that of guessing; a quiet run shows no stage."""
    example = tmp_path / "digits"
    shutil.copytree(DIGITS, example)
    images, labels = held_out
    np.savez(example / "held_out.npz", images=images, labels=np.roll(labels, 1))
    done = run_script(tmp_path, "--quiet", example=example)
    assert done.returncode == 1
    assert "accuracy: 0." in done.stdout
    assert "scf.for" not in done.stdout
    assert re.fullmatch(
        r"error: accuracy: expected at least 0\.95, found 0\.[0-4]\d\d\n", done.stderr
    )


def training_run(
    folder: Path, images: np.ndarray, labels: np.ndarray
) -> subprocess.CompletedProcess[str]:
    """A few epochs of train.py, with some images in the place of scikit-learn's."""
    package = folder / "sklearn"
    package.mkdir()
    np.savez(folder / "images.npz", images=images, labels=labels)
    (package / "__init__.py").write_text("")
    (package / "datasets.py").write_text(
        "import numpy\n"
        f"data = numpy.load({str(folder / 'images.npz')!r})\n"
        "def load_digits(return_X_y): return data['images'], data['labels']\n"
    )
    script = [sys.executable, str(DIGITS / "train.py"), "--epochs", "12", "--output", str(folder)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONIOENCODING": "ascii",
    }
    return subprocess.run(
        script, env=environment, capture_output=True, encoding="utf-8", check=False
    )


@needs(LONG)
@pytest.mark.usefixtures("quick_cc")
def test_it_is_trained_by_compiled_c(tmp_path: Path, held_out: tuple[np.ndarray, np.ndarray]):
    done = training_run(tmp_path, *held_out)
    assert (done.returncode, done.stderr) == (0, "")
    for promised in (
        r"^compiled in [\d.]+ s: loss, gradients and AdamW in one step$",
        r"^ +1 ┤",
        r"^ +epoch 1 +to 12$",
        r"^least validation loss 0\.\d{4} after (9|1\d) epochs$",
        r"^accuracy on \d\d held-out images: 0\.[89]\d\d\d$",
    ):
        assert re.search(promised, done.stdout, re.M), promised
    assert (tmp_path / "loss.svg").read_text("utf-8").count("<polyline") == 2
    trained = relax_dialect.load(tmp_path / "digits.mlir")
    with np.load(tmp_path / "held_out.npz") as data:
        p = interpret.run(trained, "main", data["images"].astype(np.float32))
        share = (p.argmax(axis=1) == data["labels"]).mean()
    assert f"held-out images: {share:.4f}" in done.stdout
