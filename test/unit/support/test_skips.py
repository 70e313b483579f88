"""No test is skipped unnoticed: what `skips.py` allows, refuses, writes down and runs again."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sampling
from optional import LONG, needs

HERE = Path(__file__).parent

MISSING_TOOL = """
import pytest
from optional import FULL, Tool, needs

PRESENT, ABSENT = Tool("sh", "", lambda: True), Tool("a hammer", "the shop", lambda: {found})

@needs(PRESENT)
def test_that_runs(): pass

@needs(PRESENT, ABSENT)
def test_with_a_hammer(): pass

@pytest.mark.shortened
def test_in_short(): assert FULL is {found}

@pytest.mark.parametrize("cc", ["a", pytest.param("b", marks=needs(ABSENT))])
def test_both(cc): pass
"""
MISSING_PACKAGE = """
from optional import package

{name} = package("{name}")

def test_with_it(): pass
"""
COMPILING = """
import lowering, pytest, relax_dialect
from lowering.runtime import shared_object
from optional import FULL

@pytest.fixture(scope="module")
def model():
    text = "relax.func @main(%x: !relax.shape<[n]>) -> !relax.shape<[n]> { relax.return %x : !relax.shape<[n]> }"
    return lowering.compile(relax_dialect.parse(text))

def test_which_compiles(model):
    assert shared_object.FLAGS["speed"][0] == ("-O3" if FULL else "-O0")

def test_next_to_it(): pass

def test_which_calls(model):
    assert model.main((3,)) == (3,)
"""
COMPILING_FOR_ALL = """
import lowering, pytest, relax_dialect

@pytest.fixture(scope="module")
def found():
    text = "relax.func @main(%x: !relax.shape<[n]>) -> !relax.shape<[n]> { relax.return %x : !relax.shape<[n]> }"
    return lowering.compile(relax_dialect.parse(text)).main((3,))

def test_first(found): pass

def test_second(found):
    assert found == (3,)
"""
COMPILING_TO_FILES = """
import relax_dialect
from lowering.tools.relax_compile import main

def test_which_compiles(tmp_path):
    text = "relax.func @main(%x: !relax.shape<[n]>) -> !relax.shape<[n]> { relax.return %x : !relax.shape<[n]> }"
    (tmp_path / "p.mlir").write_text(text)
    assert main([str(tmp_path / "p.mlir"), "-o", str(tmp_path)]) == 0

def test_next_to_it(): pass
"""
COMPILING_ALIKE = """
import lowering, relax_dialect

def test_which_compiles_alike():
    text = "relax.func @main(%x: !relax.shape<[n]>) -> !relax.shape<[n]> { relax.return %x : !relax.shape<[n]> }"
    model = lowering.compile(relax_dialect.parse(text), extra_flags=["-O1"])
    assert model.main((3,)) == (3,)
"""
ALLOWED = {
    "test_c.py": COMPILING,
    "test_c_fixture.py": COMPILING_FOR_ALL,
    "test_c_files.py": COMPILING_TO_FILES,
    "test_c_alike.py": COMPILING_ALIKE,
    "test_tool.py": MISSING_TOOL.format(found=False),
    "test_package.py": MISSING_PACKAGE.format(name="no_such_package"),
    "test_another.py": MISSING_PACKAGE.format(name="no_such_package"),
}
INSTALLED = {
    "test_c.py": COMPILING,
    "test_c_fixture.py": COMPILING_FOR_ALL,
    "test_c_files.py": COMPILING_TO_FILES,
    "test_c_alike.py": COMPILING_ALIKE,
    "test_tool.py": MISSING_TOOL.format(found=True),
    "test_package.py": MISSING_PACKAGE.format(name="json"),
    "test_another.py": MISSING_PACKAGE.format(name="json"),
    "test_not_skipped_before.py": "raise RuntimeError",
}
LEFT_OUT = ["test_another.py", "test_c.py::test_which_calls", "test_c.py::test_which_compiles"]
LEFT_OUT += ["test_c_files.py", "test_c_fixture.py", "test_c_fixture.py::test_first"]
LEFT_OUT += ["test_package.py", "test_tool.py::test_both[b]"]
LEFT_OUT += ["test_tool.py::test_in_short", "test_tool.py::test_with_a_hammer"]
FORMS = {"FULL", "amount"}
"""The names that tell a test whether it runs in full; flags of the C compiler tell themselves."""


def names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def changed(node: ast.AST) -> set[str]:
    """The names that are assigned in a statement, or whose items are."""
    found: set[str] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Name(ctx=ast.Store()):
                found.add(inner.id)
            case ast.Subscript(ctx=ast.Store()):
                found |= names(inner.value)
            case _:
                pass
    return found


def unmarked(text: str) -> Iterator[str]:
    """The tests of a file that are not the same in full, and do not say so; or that have other names then."""
    body = ast.parse(text).body
    tells = set(FORMS)
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) and tells & names(node):
            tells |= changed(node)
    marked = any(isinstance(node, ast.Assign) and "pytestmark" in names(node) and "shortened" in names(node)
                 for node in body)  # fmt: skip
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            decorators = [ast.unparse(each) for each in node.decorator_list]
            marks = ("shortened", "given", "needs(LONG")
            if (
                tells & names(node)
                and not marked
                and not any(m in d for d in decorators for m in marks)
            ):
                yield node.name
            for each in node.decorator_list:
                if "parametrize" in ast.unparse(each) and tells & names(each):
                    yield f"{node.name}: {ast.unparse(each)}"


@pytest.mark.parametrize("line", ["amount(2, 1)", "FULL", "COUNT"])
def test_what_is_not_marked_is_found(line: str):
    made = f"COUNT = amount(3, 2)\ndef test_a():\n    {line}\n"
    assert list(unmarked(made)) == ["test_a"]
    assert list(unmarked(made.replace("def", "@shortened\ndef"))) == []
    assert list(unmarked(made.replace("def", "pytestmark = shortened\ndef"))) == []
    named = f"COUNT = 1 if FULL else 2\n@shortened\n@parametrize('x', {line})\ndef test_a(x): pass"
    assert list(unmarked(named)) == [f"test_a: parametrize('x', {line})"]
    added = f"COUNT = amount(3, 2)\nCASES = {{}}\nfor n in range({line}): CASES[n] = n\n"
    added += "@shortened\n@parametrize('x', CASES)\ndef test_a(x): pass"
    assert list(unmarked(added)) == ["test_a: parametrize('x', CASES)"]


@pytest.mark.slow
def test_what_differs_in_full_is_marked():
    """Only then does CI's second step run it."""
    files = {path: path.read_text("utf-8") for path in HERE.parent.rglob("test_*.py")}
    own = {
        path: text
        for path, text in files.items()
        if "optional" in text and path.name != "test_skips.py"
    }
    assert len(own) > 50
    found = {str(path): list(unmarked(text)) for path, text in own.items()}
    assert {path: tests for path, tests in found.items() if tests} == {}


REFUSED = """
import pytest

def test_skip(): pytest.skip("no time")

def test_import(): pytest.importorskip("no_such_package")

@pytest.mark.skip(reason="later")
def test_mark(): pass

@pytest.mark.xfail(reason="known")
def test_that_fails(): raise ValueError

@pytest.mark.xfail(reason="mended")
def test_that_passes(): pass
"""


def outcomes(folder: Path, files: dict[str, str], *options: str, **environment: str) -> str:
    """The output of pytest for some files; its exit code is 1 if it tells of a failure."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "skips",
        "-p",
        "no:cacheprovider",
        "-rs",
        *options,
    ]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "RELAX"))}
    root = f"{HERE}{os.pathsep}{HERE.parents[2]}"
    environment = {**inherited, "PYTHONPATH": root, **environment}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    wrong = any(word in done.stdout for word in ("failed", "error", "not found again"))
    assert done.returncode == int(wrong), done.stdout + done.stderr
    return done.stdout


def in_full(folder: Path, files: dict[str, str], *options: str) -> str:
    return outcomes(folder, files, *options, RELAX_REQUIRE_ALL="1")


@needs(LONG)
@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="alone"),
        pytest.param(("-n", "1"), id="worker", marks=pytest.mark.long),
    ],
)
def test_what_was_left_out_runs_later(tmp_path: Path, options: tuple[str, ...]):
    file = tmp_path / "left_out.json"
    text = outcomes(tmp_path, ALLOWED, f"--write-left-out={file}", *options)
    assert "11 passed, 4 skipped" in text
    assert "this machine has no a hammer (the shop)" in text
    assert json.loads(file.read_text()) == LEFT_OUT
    file.write_text(json.dumps([*LEFT_OUT, "test_tool.py::test_gone", "test_gone.py"]))
    text = in_full(tmp_path, INSTALLED, f"--only-left-out={file}", *options)
    assert "11 passed" in text
    gone = re.findall("left out before and not found again: (.*)", text)
    assert gone == ["test_gone.py", "test_tool.py::test_gone"]


SAMPLED = """
import pytest

@pytest.mark.parametrize("n", range(9))
def test_many(n): pass

@pytest.mark.parametrize("n", range(9))
def test_more(n): pass

@pytest.mark.long
def test_growth(): pass

def test_one(): pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "worker"])
def test_what_a_sample_leaves_out_runs_later(tmp_path: Path, options: tuple[str, ...]):
    file, files = tmp_path / "left_out.json", {"test_sampled.py": SAMPLED}
    text = outcomes(tmp_path, files, "--sample", f"--write-left-out={file}", *options)
    assert "5 passed" in text
    left_out = json.loads(file.read_text())
    assert len(left_out) == 15 and "test_sampled.py::test_growth" in left_out
    numbers = {name: [n for n in range(9) if f"test_sampled.py::test_{name}[{n}]" not in left_out]
               for name in ("many", "more")}  # fmt: skip
    assert all(n[0] == 0 and len(n) == 2 for n in numbers.values()), "the first and another one"
    assert numbers["many"] != numbers["more"]
    assert "15 passed" in outcomes(tmp_path, files, f"--only-left-out={file}", *options)


def test_a_sample_compiles_the_cases_that_tests_of_its_own_file_name(monkeypatch):
    names = ["plain", "grouped", "masked"]
    monkeypatch.setattr(sampling, "_KEPT", {"test_a.py": {"plain", "masked"}, "test_b.py": set()})
    for file, expected in (("test_a.py", ["plain", "masked"]), ("test_b.py", [])):
        monkeypatch.setenv("PYTEST_CURRENT_TEST", f"{file}::test_one[plain] (setup)")
        assert sampling.sampled(names) == expected
    monkeypatch.setattr(sampling, "_KEPT", {})
    assert sampling.sampled(names) == names, "without a sample"


@needs(LONG)
def test_every_skip_is_a_failure_where_all_is_required(tmp_path: Path):
    text = in_full(tmp_path, ALLOWED, "--continue-on-collection-errors")
    assert "1 failed, 10 passed, 4 errors" in text
    assert "RELAX_REQUIRE_ALL=1 wants every test to run: this machine has no a hammer" in text


@pytest.mark.slow
def test_other_skips_are_failures(tmp_path: Path):
    text = outcomes(tmp_path, {"test_refused.py": REFUSED})
    assert "4 failed, 1 error" in text
    assert "not for a tool that test/unit/support/optional.py looks for: no time" in text
