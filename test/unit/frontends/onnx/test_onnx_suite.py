"""A part of ONNX's own backend tests, and the page that says what becomes of all of them.

All of them run by `python test/unit/support/onnx_suite.py`, and `onnx_page.py` next to it writes the page.
"""

from __future__ import annotations

import os
import signal

from onnx_models import joined
from optional import amount, package, shortened

import lowering
from relax_dialect.frontends.onnx import load

package("onnx", "onnx")

import onnx_page  # noqa: E402
from isolated import each  # noqa: E402
from onnx_cases import Case, some_node_cases  # noqa: E402
from onnx_suite import BOUND, RIGHT, UNSUPPORTED, interpreted, lengths  # noqa: E402

MEND = "run `python test/unit/support/onnx_page.py`"


def written() -> dict[str, tuple[str, str]]:
    return onnx_page.on_page(onnx_page.PAGE.read_text("utf-8"))


def test_page_has_every_operator():
    """One that is not served has a reason, or counts as not served yet."""
    served = onnx_page.operators()
    assert {name: by for name, (by, _) in written().items()} == served, MEND
    assert not [name for name in onnx_page.OUT_OF_SCOPE if served[name]], "these are served"


@shortened
def test_a_part():
    """The first case of each file, of every other one in full, with the interpreter and in C: right, or refused where the page says so."""
    first = {
        case.operator: case for case in reversed([*some_node_cases(slice(3, None, amount(2, 12)))])
    }
    told = written()
    right = list[Case]()
    for operator, case in first.items():
        outcome = interpreted(case)
        if outcome.status == RIGHT:
            right.append(case)
        elif outcome.status == UNSUPPORTED:
            assert told[onnx_page.full_name(operator)][1], (case.name, outcome, MEND)
        else:
            assert outcome.status == BOUND, (case.name, outcome)
    assert len(right) > len(first) // 2
    in_c_at_once(right)


def in_c_at_once(cases: list[Case]):
    """Many models in one file of C."""
    module = joined([load(case.model, dims=lengths(case.inputs)) for case in cases])
    with lowering.compile(module, "suite", extra_flags=("-O0",)) as model:
        for number, case in enumerate(cases):
            found = model[f"f{number}"](*case.inputs.values())
            found = (found,) if len(case.outputs) == 1 else found
            assert not case.difference(found), case.name


def crash(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGTERM)
    while number == 2:
        pass
    return len(bytearray(number << 20))


def test_a_case_may_end_its_process():
    """Crashes, hangs and too much memory are told, and the other cases run."""
    found = {number: (result, why) for number, result, why in each(crash, [0, 1, 2, 3], 2, 0.5)}
    assert found[0] == (0, "") and found[3] == (3 << 20, "")
    assert found[1] == (None, "ends its process with SIGTERM")
    assert found[2] == (None, "takes more than 0.5 s")
