"""Comparisons, choices and conversions on vectors and tensors: read, verified and printed as MLIR does it."""

from __future__ import annotations

import pytest
from mlir_oracle import check_accepted
from optional import MLIR, needs

from relax_dialect import RelaxError, parse

PROGRAM = """
func.func @f(%a: vector<4xf32>, %b: vector<4xf32>, %c: i1, %n: vector<4xi8>) {
  %m = arith.cmpf olt, %a, %b : vector<4xf32>
  %x = arith.select %m, %a, %b : vector<4xi1>, vector<4xf32>
  %y = arith.select %c, %x, %b : vector<4xf32>
  %i = arith.fptosi %y : vector<4xf32> to vector<4xi32>
  %j = arith.extsi %n : vector<4xi8> to vector<4xi32>
  %k = arith.cmpi slt, %i, %j : vector<4xi32>
  %l = arith.select %k, %i, %j {mark} : vector<4xi1>, vector<4xi32>
  %o = arith.sitofp %l : vector<4xi32> to vector<4xf32>
  %p = arith.trunci %l : vector<4xi32> to vector<4xi8>
  %q = arith.index_cast %l : vector<4xi32> to vector<4xindex>
  func.return
}
"""


def test_what_is_printed_is_read_again():
    text = str(parse(PROGRAM))
    assert str(parse(text)) == text
    for line in PROGRAM.splitlines():
        assert line.strip() in text


@needs(MLIR)
def test_mlir_reads_it():
    check_accepted(parse(PROGRAM))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%r = arith.select %w, %a, %b : vector<8xi1>, vector<4xf32>", "one for each element"),
        ("%r = arith.fptosi %a : vector<4xf32> to vector<8xi32>", "a result of one shape"),
        ("%r = arith.fptosi %a : vector<4xf32> to i32", "a result of one shape"),
        ("%r = arith.extsi %n : vector<4xi8> to vector<4xi8>", "must be larger"),
        ("%r = arith.trunci %n : vector<4xi8> to vector<4xi8>", "must be smaller"),
        (
            '%r = "arith.cmpf"(%a, %b) {predicate = 1 : i64} : (vector<4xf32>, vector<4xf32>) -> i1',
            "4xi1",
        ),
    ],
)
def test_what_is_refused(line: str, message: str):
    text = PROGRAM.replace("%c: i1", "%c: i1, %w: vector<8xi1>")
    with pytest.raises(RelaxError, match=message):
        parse(text.replace("func.return", f"{line}\n  func.return"))


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_scalars_of_arith_are_signless(sign: str):
    """As in MLIR, which refuses them too."""
    text = f"func.func @f() {{\n %c = arith.constant 3 : {sign[0]}i8\n func.return\n}}"
    with pytest.raises(RelaxError, match=f"signless integer type, found {sign}; write i8"):
        parse(text)
