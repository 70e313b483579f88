"""The page of constructs is up to date, and everything it names exists."""

from importlib import import_module

import pytest
from constructs import PAGE, ROOT, ROWS, page

from lowering.pipeline import ALL_PASSES
from relax_dialect.dialect import Relax

OPS = {op.name for op in Relax.operations}


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "run python test/unit/support/constructs.py"


@pytest.mark.parametrize("carrier", sorted({c for _, _, carriers, _ in ROWS for c in carriers}))
def test_what_carries_a_construct_exists(carrier: str):
    if carrier.startswith("relax_dialect."):
        module, _, name = carrier.rpartition(".")
        assert hasattr(import_module(module), name)
    else:
        assert carrier in OPS or carrier in ALL_PASSES


@pytest.mark.parametrize("proof", sorted({proof for *_, proof in ROWS}))
def test_what_proves_a_construct_exists(proof: str):
    file, _, test = proof.partition("::")
    assert (ROOT / file).exists()
    assert not test or f"\ndef {test}(" in (ROOT / file).read_text()
