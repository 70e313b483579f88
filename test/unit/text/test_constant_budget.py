"""Constants that are far larger than their text: within a budget, or an error that says what to write instead."""

from __future__ import annotations

import pytest
from fuzz.cases import limited_memory, time_limit

from relax_dialect import RelaxError, parse

PLACES = {
    "relax": "relax.func @fI() -> !relax.tensor<[N], T> {\n  %a = relax.constant dense<V> : tensor<NxT>\n"
    "  relax.return %a : !relax.tensor<[N], T>\n}\n",
    "attribute": "relax.func @fI(%a: !relax.object) -> !relax.object attributes {x = dense<V> : tensor<NxT>} {\n"
    "  relax.return %a : !relax.object\n}\n",
    "arith": "func.func private @fI() -> vector<NxT> {\n  %a = arith.constant dense<V> : vector<NxT>\n"
    "  func.return %a : vector<NxT>\n}\n",
}  # fmt: skip
NUMBERS = {
    "f32": ("0.0", '"0x00000000"', "0x7FC00001"),
    "i8": ("-1", '"0xFF"'),
    "i1": ("true", "false"),
    "f64": ("1.0e+300",),
}


def program(place: str, dtype: str, value: str, size: int, count: int = 1) -> str:
    text = PLACES[place].replace("T", dtype).replace("N", str(size)).replace("V", value)
    return "".join(text.replace("fI", f"f{i}") for i in range(count))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_one_number_for_many(place: str, dtype: str):
    for value in NUMBERS[dtype]:
        text = str(parse(program(place, dtype, value, 1 << 20)))
        assert len(text) < 400 and str(parse(text)) == text
        with limited_memory(200), time_limit(1):
            for size, count in ((100_000_000, 1), (1 << 23, 100), (1 << 62, 1)):
                with pytest.raises(
                    RelaxError, match=r"expected a constant of at most .* relax.full"
                ):
                    parse(program(place, dtype, value, size, count))


def test_what_is_written_out_has_no_such_limit():
    text = program("arith", "f32", f'"0x{"0000803F" * 5000}"', 5000)
    assert str(parse(text)).count("dense") == 1
