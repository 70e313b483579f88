"""Relax programs as C under the sanitizers: right and failing calls touch, leak and overflow nothing.

One C program makes all calls and prints what they give; numpy says what that must be.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from called_from_c import array, check, driver, program
from optional import SANITIZED
from sanitizers import run_sanitized

import lowering
from relax_dialect.parsing import parse


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_nothing_is_reported_and_every_call_is_right(tmp_path: Path, cc: str):
    source = program()
    source.write(tmp_path)
    check(run_sanitized(cc, tmp_path, driver(source)))


@pytest.mark.parametrize(
    "text",
    [
        """relax.func @wider(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[?], f32> {
          %y = relax.negative %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
          relax.return %y : !relax.tensor<[4], f32>
        }""",
        """relax.func @narrowed(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[4], f32> {
          %y = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
          %z = relax.match_cast %y : !relax.tensor<[n], f32> -> !relax.tensor<[4], f32>
          relax.return %z : !relax.tensor<[4], f32>
        }""",
    ],
    ids=["wider", "narrowed"],
)
def test_a_result_under_another_type(text: str):
    (function,) = lowering.compile(parse(text)).functions.values()
    np.testing.assert_array_equal(function(array(4)), -array(4))
