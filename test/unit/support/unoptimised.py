"""A fixture for files of tests whose C is called for an instant, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lowering.runtime import shared_object


@pytest.fixture(scope="module")
def unoptimised() -> Iterator[None]:
    """C is not optimised, in full too, where no test says otherwise: in this process alone."""
    _, *others = shared_object.FLAGS["speed"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(shared_object.FLAGS, "speed", ("-O0", *others))
        yield
