"""Arguments from Python: taken alike, or refused in the same words, by interpreter and C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lowering
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError

PROGRAM = """
relax.func @tensor(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %0 = relax.add %x, %x : (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %0 : !relax.tensor<[n, 2], f32>
}
relax.func @number(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %0 = relax.add %x, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %0 : !relax.tensor<[], f32>
}
relax.func @mixed(%x: !relax.tensor<[n, 2], f32>, %s: !relax.shape<[n]>, %k: f32, %i: index) -> !relax.shape<[n]> {
  %0 = relax.shape [n]
  relax.return %0 : !relax.shape<[n]>
}
relax.func @tuple(%x: tuple<!relax.tensor<[n], f32>, !relax.shape<[n]>>, %s: !relax.shape<[m, m]>) -> !relax.shape<[m]> {
  %0 = relax.shape [m]
  relax.return %0 : !relax.shape<[m]>
}
relax.func @size(%s: !relax.shape<[n]>) -> !relax.shape<[n]> {
  relax.return %s : !relax.shape<[n]>
}
"""

X = np.arange(6, dtype=np.float32).reshape(3, 2)
ROW = np.ones(3, np.float32)
ONE = np.float32(1)


def unaligned() -> np.ndarray:
    moved = np.zeros(X.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(X.shape)
    moved[:] = X
    assert not moved.flags.aligned
    return moved


def read_only() -> np.ndarray:
    copy = X.copy()
    copy.flags.writeable = False
    return copy


class Subclass(np.ndarray):
    """An array with an arithmetic of its own, as numpy's matrix."""

    __array_ufunc__ = None


class Foreign:
    """A tensor of another library, as numpy meets it."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return X


TAKEN = {
    "tensor": [
        X,
        unaligned(),
        read_only(),
        X[::-1],
        np.ones((3, 4), "f4")[:, ::2],
        Foreign(),
        np.asfortranarray(X),
        X[:0],
        X.view(Subclass),
    ],
    "number": [np.array(2, np.float32), np.float32(2)],
    "mixed": [(X, (3,), k, i) for k in (ONE, 1.0, 1, np.float64(1)) for i in (1, np.int32(1))],
    "tuple": [((ROW, (3,)), (2, 2))],
    "size": [((5,),)],
}
REFUSED = {
    "tensor": [
        None,
        "abc",
        [[1.0, 2.0]],
        [[1.0], [1.0, 2.0]],
        1.0,
        X.astype(np.longdouble),
        X.astype(">f4"),
        X.astype("f8"),
        X.astype("c8"),
        X.astype(object),
        X.astype(bool),
        np.array([["a", "b"]]),
        np.zeros((3, 2), "M8[s]"),
        ROW,
        np.ones((3, 3), "f4"),
        object(),
        ONE,
        np.ma.ones((3, 2), "f4"),
        np.ma.masked_equal(X, 1),
        np.ma.masked,
        np.zeros((3, 2), [("a", "f4")]),
    ],
    "number": [2.0, 2, np.ones(1, np.float32)],
    "mixed": [(X, s, ONE, 1) for s in (3, [3], (4,), (3, 3), (-3,), (3.0,), None, np.array([3]))]
    + [(X, (3,), k, 1) for k in ("a", None, True, X)]
    + [(X, (3,), ONE, i) for i in (1.5, True, 2**70, "1", None)]
    + [(X,), (), (X, (3,), ONE, 1, 2)],
    "tuple": [
        ((ROW, (3,)), (2, 3)),
        ([ROW, (3,)], (2, 2)),
        ((ROW,), (2, 2)),
        (None, (2, 2)),
        ((ROW, (4,)), (2, 2)),
        (ROW, 2),
        (ROW, 3, 2, 2),
        ((np.ma.ones(3, "f4"), (3,)), (2, 2)),
    ],
    "size": [(5,), (np.int64(5),), ((2**60,),)],
}


@pytest.fixture(scope="module")
def module():
    return parse(PROGRAM)


@pytest.fixture(scope="module")
def compiled(module):
    return lowering.compile(module, extra_flags=["-O0"])


def both(module: Any, compiled: Any, name: str, args: Any) -> list[Any]:
    args = args if isinstance(args, tuple) else (args,)
    found: list[Any] = []
    for run in (lambda: interpret.run(module, name, *args), lambda: compiled[name](*args)):
        try:
            found.append(run())
        except RelaxError as error:
            found.append((type(error), str(error)))
    return found


@pytest.mark.parametrize("name", TAKEN)
def test_taken_alike(module, compiled, name: str):
    for args in TAKEN[name]:
        expected, actual = both(module, compiled, name, args)
        np.testing.assert_array_equal(actual, expected, err_msg=str(args))
        assert not isinstance(actual, tuple) or actual[0] not in RelaxError.__subclasses__()


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_the_same_words(module, compiled, name: str):
    for args in REFUSED[name]:
        expected, actual = both(module, compiled, name, args)
        assert actual == expected and issubclass(actual[0], RelaxError), args
        assert actual[1].startswith(f"@{name}: ") and "expected" in actual[1]


def test_what_is_no_module_is_named(module):
    for use in (lowering.compile, lowering.to_c, lowering.lower):
        with pytest.raises(RelaxError, match=r"expected a module, found 'p\.mlir'; read one with"):
            use("p.mlir")
    with pytest.raises(RelaxError, match=r"expected a module, found 'p\.mlir'"):
        interpret.run("p.mlir", "main")
    with pytest.raises(RelaxError, match=r"found one text; pass \['relax-dce', 'relax-cse'\]"):
        lowering.lower(module, "relax-dce,relax-cse")
