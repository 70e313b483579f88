"""The terms of z3 are what the interpreter computes, on numbers where operators differ."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from optional import package
from proof_cases import DTYPES, made, vector

from relax_dialect.builder import op as ops
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype

z3 = package("z3", "prove")

from relax_dialect.prove.scalars.scalar_casts import cast  # noqa: E402
from relax_dialect.prove.scalars.scalar_ops import TABLES, apply  # noqa: E402
from relax_dialect.prove.scalars.scalar_types import array_of, number, scalar_type  # noqa: E402
from relax_dialect.prove.scalars.terms import Terms  # noqa: E402

SPECIAL = {
    "f": [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        -0.5,
        np.inf,
        -np.inf,
        np.nan,
        6.0,
        1e-45,
        6e4,
        -70000.5,
        3e38,
    ],
    "i": [0, 1, -1, 2, 3, -7, 31, 127, -128, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63)],
    "u": [0, 1, 2, 3, 7, 31, 127, 128, 255, 2**32 - 1, 2**53 + 1, 2**64 - 1],
    "b": [False, True],
}
UNKNOWN = {"power"}
"""Operators of which z3 knows a part alone."""
STEPS = {1: 1, 2: 3, 3: 31}
"""Of so many lists of operands one is tried; the counts of numbers have no factor in common with them."""
ARITIES = {"ewise_fma": 3, "lerp": 3}
ONE = {
    *(
        "negative",
        "abs",
        "sign",
        "square",
        "sqrt",
        "reciprocal",
        "floor",
        "ceil",
        "round",
        "trunc",
        "relu",
    ),
    *("relu6", "isnan", "isinf", "isfinite", "logical_not", "bitwise_not"),
}


def special(dtype: str) -> np.ndarray:
    """Numbers of a type, the special ones that it has."""
    kind = numpy_dtype(parse_dtype(dtype))
    letter = "f" if dtype == "bf16" else kind.kind
    with np.errstate(all="ignore"):
        if letter in "iu":
            limits = np.iinfo(kind)
            found = [x for x in SPECIAL[letter] if limits.min <= x <= limits.max]
            return np.array([*found, limits.min, limits.max], kind)
        return np.array(SPECIAL[letter]).astype(kind)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two numbers have the same bits; a NaN is a NaN."""
    return a.dtype == b.dtype and (a.tobytes() == b.tobytes() or bool(a != a and b != b))


@pytest.mark.parametrize("dtype", DTYPES)
def test_operators(dtype: str):
    type, numbers = scalar_type(parse_dtype(dtype)), special(dtype)
    tried = 0
    for name in sorted(TABLES[type.kind].keys() - UNKNOWN):
        arity = 1 if name in ONE else ARITIES.get(name, 2)
        module = made([vector(dtype)] * arity, getattr(ops, name))
        if module is None:
            continue
        tried += 1
        points = list(product(range(len(numbers)), repeat=arity))[:: STEPS[arity]]
        given = [np.array([numbers[p[i]] for p in points]) for i in range(arity)]
        with np.errstate(all="ignore"):
            wanted = run(module, "main", *given)
        result = scalar_type(module_result(module))
        terms = Terms(exact=True)
        for args, right in zip(zip(*given), wanted):
            term = z3.simplify(apply(terms, name, type, *(number(x, type) for x in args)))
            found = array_of(term, result)
            assert same(found[()], right), (name, dtype, args, found, right)
    assert tried > 10


def module_result(module):
    function = next(iter(module.ops))
    return function.function_type.output.dtype


@pytest.mark.parametrize("source", DTYPES)
def test_casts(source: str):
    kind = scalar_type(parse_dtype(source))
    for target in DTYPES:
        module = made([vector(source)], lambda x, target=target: x.astype(target))
        assert module is not None
        numbers, wide = special(source), scalar_type(parse_dtype(target))
        with np.errstate(all="ignore"):
            wanted = run(module, "main", numbers)
        for x, right in zip(numbers, wanted):
            found = array_of(z3.simplify(cast(number(x, kind), kind, wide)), wide)
            assert same(found[()], right), (source, target, x, found, right)
