"""A few random programs of few names of variables through random passes; `make fuzz` tries more."""

from __future__ import annotations

from random import Random

import pytest
from fuzz import programs
from optional import amount, shortened


@pytest.mark.slow
@shortened
def test_scopes():
    count = amount(12, 4)
    assert programs.scopes(Random("scopes"), count) > count // 2
