"""Loops, branches, tensors and memory of other dialects in Relax functions: C gives what the interpreter gives."""

from pathlib import Path

import numpy as np
import pytest

import lowering
from lowering.runtime import CompiledModule
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError

PROGRAM = Path(__file__).with_name("mixed_dialects.mlir").read_text()


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return lowering.compile(parse(PROGRAM), extra_flags=("-Wall", "-Wextra", "-Werror"))


def vector(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


X = vector(1, -2, 0.5, 4)
CALLS = [
    *(("power", (X, k)) for k in (0, 3, -1)),
    # the last turn is the one before an i8 would overflow; steps of 0 and below are errors
    *(("grow", (X[:2], *map(np.int8, b))) for b in ((0, 3, 1), (120, 127, 5), (3, 3, 2))),
    *(("grow", (X[:2], *map(np.int8, b))) for b in ((0, 3, 0), (0, 3, -1))),
    *(("branches", (X[:n], c)) for n in (0, 3) for c in (True, False)),
    *(("halve", (X, k)) for k in (0, 1, 20)),
    *(("swapped", (X, k)) for k in (1, 20)),
    *(("renamed", (X[:3], k)) for k in (0, 2)),
    *(("carried", (X[:n], k)) for n in (0, 4) for k in (0, 2)),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_c_and_interpreter_agree(
    model: CompiledModule, name: str, arguments: tuple[object, ...]
) -> None:
    try:
        expected = interpret.run(parse(PROGRAM), name, *arguments)
    except RelaxError:
        with pytest.raises(RelaxError):
            model[name](*arguments)
        return
    found = model[name](*arguments)
    pairs = (
        zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    )
    for mine, reference in pairs:
        np.testing.assert_allclose(mine, reference, rtol=1e-6)
