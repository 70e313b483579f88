"""Conversions between element types against Python's."""

import math

import numpy as np
import pytest

from relax_dialect.ops.datatype import AstypeOp

from .programs import DTYPES, apply

VALUES = [0, 1, 2.75, -2.75, 100]


@pytest.mark.parametrize("target", ["f16", "f32", "f64", "i8", "i32", "i64"])
@pytest.mark.parametrize("source", ["f16", "f32", "f64"])
def test_from_floats(source, target):
    x = np.array(VALUES, DTYPES[source])
    expected = VALUES if target.startswith("f") else [math.trunc(v) for v in VALUES]
    assert apply(AstypeOp, x, dtype=target).tolist() == expected


def test_booleans():
    x = np.array([0.0, -0.0, 0.25, math.nan, -3], np.float32)
    assert apply(AstypeOp, x, dtype="i1").tolist() == [False, False, True, True, True]
    assert apply(AstypeOp, np.array([0, 256], np.int32), dtype="i1").tolist() == [False, True]
    assert apply(AstypeOp, np.array([True, False]), dtype="f32").tolist() == [1, 0]
    assert apply(AstypeOp, np.array([True, False]), dtype="i8").tolist() == [1, 0]


def test_integers_wrap_and_floats_round_to_nearest_even():
    assert apply(AstypeOp, np.array([300, -1], np.int32), dtype="ui8").tolist() == [44, 255]
    x = np.array([2**24 + 1, 2**24 + 3], np.int32)
    assert apply(AstypeOp, x, dtype="f32").tolist() == [2**24, 2**24 + 4]


def test_rank_zero_and_no_elements():
    assert apply(AstypeOp, np.array(2.5, np.float32), dtype="i32") == 2
    assert apply(AstypeOp, np.zeros((0, 2), np.float32), dtype="i32").shape == (0, 2)
