"""What tests of the documentation share."""

from __future__ import annotations

import pytest

from lowering.runtime import shared_object


@pytest.fixture
def unoptimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """C is not optimised, for lessons whose output alone is looked at."""
    _, *others = shared_object.FLAGS["speed"]
    monkeypatch.setitem(shared_object.FLAGS, "speed", ("-O0", *others))
