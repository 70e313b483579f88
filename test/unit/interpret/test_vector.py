"""The vector dialect interpreted: what the tests of vectors in C expect, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from optional import amount, shortened
from vector_programs import STATEMENTS, check_lanes, check_statements, programs, text_of
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import interpret, parse
from relax_dialect.errors import ExecutionError


@dataclass
class Interpreted:
    """The functions of a module."""

    module: ModuleOp

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(interpret.run, self.module, name, check_types=True)


@shortened
def test_every_op_is_that_of_scalars_in_each_lane():
    texts = dict([*programs().items()][:: amount(1, 7)])
    check_lanes(Interpreted(parse("\n".join(texts.values()))), texts)


def test_statements():
    check_statements(Interpreted(parse(STATEMENTS)))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "%c5 = arith.constant 5 : index\n"
            "%u = vector.load %x[%c5] : memref<8xf32>, vector<4xf32>",
            "vector.load (%u): expected an index from 0 to 7 in dimension 0 of size 8, found 8",
        ),
        (
            "%e = vector.extract %v[4] : f32 from vector<4xf32>",
            "vector.extract (%e): expected an index from 0 to 3",
        ),
        (
            "%e = vector.shuffle %v, %v [0, -1] : vector<4xf32>, vector<4xf32>",
            "vector.shuffle (%e): expected a lane for each element, found -1",
        ),
    ],
)
def test_what_is_refused(lines: str, message: str):
    memory = np.zeros(8, np.float32), np.zeros((8, 8), np.float32)
    with pytest.raises(ExecutionError) as error:
        interpret.run(parse(text_of(lines)), "f", *memory)
    assert message in str(error.value)


def test_results_are_written_to_memory_of_static_sizes_or_named_ones():
    text = """
func.func @f(%x: memref<4xf32>, %out: memref<SIZExf32> {relax.result}) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %v, %out[%c0] : memref<SIZExf32>, vector<4xf32>
  func.return
}"""
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(interpret.run(parse(text.replace("SIZE", "4")), "f", x), x)
    with pytest.raises(ExecutionError, match="result 'out': expected memory with sizes in terms"):
        interpret.run(parse(text.replace("SIZE", "?")), "f", x)
