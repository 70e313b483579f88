"""Every converter against PyTorch, on inputs whose size n is symbolic: interpreted, and in C."""

from __future__ import annotations

import numpy as np
import pytest
from optional import UNOPTIMISED, package
from torch_cases import FAMILIES

import lowering
from relax_dialect import interpret

package("torch")

from torch_programs import Expressions, differences, loaded  # noqa: E402

COMPILED = [*FAMILIES][::2]
"""The other families go through C in the tests of the operators."""


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_operators(family: str):
    texts = FAMILIES[family]
    program = loaded(texts)
    run = lambda *arrays: interpret.run(program.module, "main", *arrays)  # noqa: E731
    assert differences(texts, program.results, run, 3) == []
    if family in COMPILED:
        run = lowering.compile(program.module, "family", extra_flags=UNOPTIMISED).main
    for n in (4, 5):
        assert differences(texts, program.results, run, n) == []


def test_a_wrong_result_is_found():
    def doubled(x: np.ndarray) -> list[np.ndarray]:
        return [np.cos(x), 2 * np.sin(x)]

    assert differences(("x.cos()", "x.sin()"), ("0", "1"), doubled, 3) == ["x.sin() for n = 3"]
    assert Expressions(["1 + 1"])({"x": np.ones(2)}) == [2]
