"""`docs/shapes.md` shows what we and TVM infer, and what happens at run time."""

from __future__ import annotations

import json
import subprocess

import pytest
from optional import TVM, TVM_PYTHON, needs

from shapes import cases


@pytest.mark.parametrize("name", cases.CASES)
def test_interpreter_and_compiled_c_agree(name: str):
    """The same result shapes and the same refusals."""
    module = cases.build(name)
    expected = cases.interpreted(name, module)
    assert cases.compiled(name, module) == expected
    assert len(expected) == len(cases.RUNS[name])


def test_the_page_is_up_to_date():
    assert cases.split_page()[1] == cases.table(), "run python test/unit/shapes/cases.py"


def test_all_have_the_same_cases():
    assert set(cases.CASES) == set(cases.RUNS) == set(cases.TVM["cases"])


@pytest.mark.slow
@needs(TVM)
def test_tvm_still_says_so():
    script = cases.HERE / "tvm_shapes.py"
    done = subprocess.run([TVM_PYTHON, str(script)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == cases.TVM
