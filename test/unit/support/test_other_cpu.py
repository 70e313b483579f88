"""No test holds the CPU of its author: `--cpu` hides what this machine has, and assertions about emitted text name a CPU."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import other_cpu
import pytest

from lowering.support import target
from lowering.support.target import CPUS

UNIT = Path(__file__).parents[1]

EMITTING = {"to_c"}
"""The functions whose result is text made for a CPU, which they take as `cpu=`."""


@pytest.mark.slow
@pytest.mark.parametrize("name", other_cpu.CHOICES)
def test_native_is_the_cpu_that_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Here, and in processes that are started here."""
    other_cpu.write_compilers(tmp_path, name)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CC", raising=False)
    found = target.native.__wrapped__()
    assert (found.features, found.vector_bytes) == (CPUS[name].features, CPUS[name].vector_bytes)
    asked = "from lowering.support.target import native; print(*sorted(native().features))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(found.features)


def test_what_is_left_out_exists():
    assert all((other_cpu.LOWERING / name).exists() for name in other_cpu.UNCHANGED)
    assert all(path.exists() for path in other_cpu.OPERATORS)


def test_each_cpu_has_its_share(monkeypatch: pytest.MonkeyPatch):
    names = ["a", "b", "c"]
    monkeypatch.delenv(other_cpu.USED, raising=False)
    assert other_cpu.share(names) == names
    shares: list[list[str]] = []
    for name in other_cpu.CHOICES[:2]:
        monkeypatch.setenv(other_cpu.USED, name)
        shares.append(other_cpu.share(names))
    assert shares == [["a", "c"], ["b"]]


def _is_emission(node: ast.AST) -> bool:
    """Whether a node is a call that makes text for this machine's CPU."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    known = {keyword.arg for keyword in node.keywords}
    return name in EMITTING and not known & {"cpu", None}


def _reads(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression reads one of some variables, or makes such text itself."""
    return any(
        _is_emission(inner) or (isinstance(inner, ast.Name) and inner.id in names)
        for inner in ast.walk(node)
    )


def _is_about_text(test: ast.expr) -> bool:
    """Whether a condition looks for a text, or counts or matches it."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            return True
        if isinstance(node, ast.Attribute) and node.attr in ("count", "search", "findall", "match"):
            return True
    return False


def for_native(tree: ast.AST) -> Iterator[str]:
    """The functions that assert something of text that is emitted for this machine's CPU."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        names: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and _reads(node.value, names):
                names |= {
                    n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)
                }
        asserted = (node.test for node in ast.walk(function) if isinstance(node, ast.Assert))
        if any(_is_about_text(test) and _reads(test, names) for test in asserted):
            yield function.name


@pytest.mark.long
def test_what_is_asserted_of_text_names_a_cpu():
    files = {path: ast.parse(path.read_text("utf-8")) for path in UNIT.rglob("test_*.py")}
    found = {str(path.relative_to(UNIT)): list(for_native(tree)) for path, tree in files.items()}
    assert {path: names for path, names in found.items() if names} == {}, "pass cpu= to to_c"


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("c = to_c(module).c\n    assert 'vector' in c", True),
        ("assert lowering.to_c(module).c.count('x') == 2", True),
        ("source = to_c(module)\n    text = source.c\n    assert re.search('x', text)", True),
        ("c = to_c(module, cpu='generic').c\n    assert 'vector' in c", False),
        ("c = to_c(module, **options).c\n    assert 'vector' in c", False),
        ("source = to_c(module)\n    assert source.weights is None", False),
    ],
)
def test_what_is_found(body: str, is_found: bool):
    assert bool(list(for_native(ast.parse(f"def f():\n    {body}")))) is is_found
