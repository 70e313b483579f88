"""docs/embedding.md and the examples around compiled models: built and run as their readers would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from optional import CPP_COMPILERS, LONG, command, needs

import lowering
from relax_dialect import interpret, load, parse

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/embedding.md").read_text("utf-8")
ROWS = [[5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3], [0, 0, 0, 0]]
MAKE = command("make", "apt install make")
CMAKE = command("cmake", "apt install cmake")


def block(kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.M | re.S)
    return found


def run(folder: Path, *words: str | Path, given: str = "") -> str:
    """The output of a command that succeeds; it finds the tools of this environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=folder, env=own, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def expected(rows: list[list[float]]) -> np.ndarray:
    """The probabilities of the classes, by the interpreter."""
    module = load(ROOT / "examples/c/classifier.mlir")
    return interpret.run(module, "classify", np.array(rows, np.float32))


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT / "examples/c", tmp_path / "c", ignore=lambda *_: ["build"])


@pytest.mark.slow
@needs(MAKE)
def test_the_example_in_c(example: Path):
    printed = run(example, "make", "run", "CFLAGS=-std=c11 -Wall -Wextra -Werror -pedantic")
    found = re.findall(r"^row (\d): class (\d), probability (0\.\d{4})$", printed, re.M)
    for (row, best, probability), each in zip(found, expected(ROWS), strict=True):
        assert each[int(best)] == max(each), row
        assert abs(float(probability) - max(each)) < 1e-4
    program = example / "build/classify"
    weights = example / "build/classifier.weights"
    assert run(example, program, weights) == "", "an empty batch"
    rows = run(example, program, weights, given="1 2 3 4 " * 100)
    assert rows.count("row ") == 100 and len({line[7:] for line in rows.splitlines()[:9]}) == 1
    for rows in "1 2 3", "1 2 3 4 5", "a b c d":
        refused = subprocess.run([program, weights], input=rows, capture_output=True, text=True)
        assert (refused.returncode, refused.stderr) == (1, "expected rows of four numbers\n")
    missing = subprocess.run([program, "none"], capture_output=True, text=True)
    assert (missing.returncode, missing.stderr) == (
        1,
        "classifier_load: cannot open none: No such file or directory\n",
    )


@needs(LONG, MAKE)
def test_the_example_that_trains_in_c(example: Path):
    flags = "CFLAGS=-std=c11 -march=native -Wall -Wextra -Werror -pedantic -Wno-psabi"
    printed = run(example, "make", "train", f"PYTHON={sys.executable}", flags)
    losses = re.findall(r"^step (\d+): loss (\d\.\d{4})$", printed, re.M)
    assert [int(step) for step, _ in losses] == [1, 100, 200, 300]
    assert float(losses[0][1]) > 1 and float(losses[-1][1]) < 0.2
    for rows, row in {"": 0, "a b c d e": 0, "1 2 3 4 0\n1 2 3\n": 1}.items():
        program = subprocess.run(
            example / "build/train", input=rows, capture_output=True, text=True
        )
        assert program.returncode == 1
        assert program.stderr == f"row {row}: expected four numbers and a class\n"


@needs(LONG, MAKE)
def test_the_page_s_make(example: Path):
    (example / "Makefile").write_text(block("make"))
    run(example, "make")
    assert "class" in run(
        example, example / "classify", "build/classifier.weights", given="1 2 3 4"
    )


@needs(LONG, CMAKE)
def test_the_page_s_cmake_and_cpp(example: Path):
    (example / "CMakeLists.txt").write_text(block("cmake"))
    (example / "zeros.cpp").write_text(block("cpp"))
    run(example, "cmake", "-S", ".", "-B", "build")
    run(example, "cmake", "--build", "build")
    weights = example / "build/model/classifier.weights"
    assert "class" in run(example, example / "build/classify", weights, given="1 2 3 4")
    printed = run(example, example / "build/zeros", weights)
    assert printed == f"{expected([[0] * 4])[0, 2]:.4f}\n"


@pytest.mark.slow
def test_the_page_s_arena(tmp_path: Path):
    source = lowering.to_c(
        load(ROOT / "examples/c/classifier.mlir"), "classifier",
        arena=True, cpu="generic", sidecar_threshold=16,
    )  # fmt: skip
    source.write(tmp_path)
    (tmp_path / "main.c").write_text(block("c"))
    run(tmp_path, "cc", "-std=c11", "-O0", "main.c", "classifier.c", "-o", "main", "-lm")
    printed = run(tmp_path, tmp_path / "main", "classifier.weights")
    assert printed == f"{expected([[0] * 4])[0, 2]:.4f}\n"


WHEEL = """
import os, sys, zipfile
from setuptools import build_meta
out = sys.argv[1]
name = build_meta.build_wheel(out)
assert name.startswith("relax_classifier-1.0-py3-none-linux"), name
zipfile.ZipFile(os.path.join(out, name)).extractall(out)
os.environ["PATH"] = ""
sys.path.insert(0, out)
import numpy, relax_classifier
assert relax_classifier.__file__.startswith(out)
print(relax_classifier.probability(numpy.zeros((1, 4), "float32")).tolist())
"""


@needs(LONG)
def test_the_wheel(tmp_path: Path):
    """As pip builds it: by the function of its backend that pip calls, and no network."""
    folder = shutil.copytree(ROOT / "examples/pip", tmp_path / "pip")
    out = tmp_path / "out"
    out.mkdir()
    assert run(folder, sys.executable, "-c", WHEEL, out).splitlines()[-1] == "[0.5]"


EVERYTHING = """
relax.func @apply(%f: !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, %o: !relax.object, %x: !relax.tensor<[n], f32>)
    -> !relax.tensor<[n], f32> {
  %w = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %s = relax.sum %w : (!relax.tensor<[3], f32>) -> !relax.tensor<[], f32>
  %y = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %z = relax.call_packed "f"(%o, %y, %s) : (!relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
"""


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The headers of a model that has all that headers can have, and of one whose caller gives the memory."""
    folder = tmp_path_factory.mktemp("headers")
    lowering.to_c(parse(EVERYTHING), "all", sidecar_threshold=0, opt_level=0).write(folder)
    classifier = load(ROOT / "examples/c/classifier.mlir")
    lowering.to_c(classifier, "own", sidecar_threshold=0, arena=True).write(folder)
    return folder


@pytest.mark.parametrize("cc", CPP_COMPILERS)
def test_every_part_of_headers_in_cpp(headers: Path, cc: str):
    text = (headers / "all.h").read_text()
    parts = (
        "all_load",
        "all_unload",
        "all_register",
        "all_object_new",
        "all_call_closure",
        "all_trim",
    )
    assert all(f"{part}(" in text for part in parts)
    uses = "".join(f"auto *const use_{part} = &{part};\n" for part in (*parts, "own_use_arena"))
    (headers / "use.cpp").write_text(f'#include "all.h"\n#include "own.h"\n{uses}')
    flags = ("-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-variable")
    run(headers, cc, *flags, "use.cpp")
    assert text.index('extern "C" {') < text.index("all_load(")
