"""The mutants of `fuzz/mutate.py`: what is changed, what is left alone, and that a test decides about each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.mutate import mutants_of

SOURCE = '''"""A 1."""
from x import y

@cache(1)
def f(a: int = 2, b=True) -> "int | 1":
    assert a < 3, f"{a + 1}"
    if not a and b:
        return g(a + 1, b)
    raise ValueError(a * 2)
'''


def test_what_is_changed():
    found = [mutant.text(SOURCE) for mutant in mutants_of("m.py", SOURCE)]
    changes = {(before, after) for _, before, after in found}
    assert changes == {
        ("2", "3"),
        ("2", "1"),
        ("True", "False"),
        ("if not a and b: return g(a + 1, b)", "if not (not a and b): return g(a + 1, b)"),
        ("not a and b", "not a or b"),
        ("not a", "not not a"),
        ("return g(a + 1, b)", "return None"),
        ("g(a + 1, b)", "g(a + 1)"),
        ("a + 1", "a - 1"),
        ("1", "2"),
        ("1", "0"),
    }
    assert all(compile(text, "m.py", "exec") for text, _, _ in found)
    assert len({text for text, _, _ in found}) == len(found)


DECIDE = """
import os, sys
sys.path[:0] = sys.argv[1:]
from fuzz.mutate import Tree
assert "relax_dialect" not in sys.modules, "a fork must import what was changed"
tree = Tree(os.getcwd(), "folder", {})
good, bad = "test_it.py::test_good", "test_it.py::test_bad"
print([tree.is_killed(tests) for tests in ([good], [good, bad], [])])
print([tree.is_killed([f"{name}.mlir::run"]) for name in ("good", "bad")])
"""


@pytest.mark.slow
def test_tests_decide(tmp_path: Path):
    """In a process of its own: a fork of one with threads may wait for a lock for ever."""
    (tmp_path / "test_it.py").write_text("def test_good(): pass\ndef test_bad(): assert 0\n")
    for name in ("good", "bad"):
        (tmp_path / f"{name}.mlir").write_text(f"// RUN: relax-opt %s | filecheck %s\n// CHECK: {name}\n"
                                               "func.func @good() {\n  func.return\n}\n")  # fmt: skip
    unit = Path(__file__).parents[1]
    paths = [unit.parents[1], unit, unit.parent / "filecheck" / "lit_format"]
    command = [sys.executable, "-c", DECIDE, *paths]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "[False, True, False]\n[False, True]\n", done.stderr
