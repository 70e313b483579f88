"""The C of a family's cases, the fixture `model`, is shortened; so are the tests that call it."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "model" in getattr(item, "fixturenames", ()) and item.path.parent.name == "ops":
            item.add_marker("shortened")
