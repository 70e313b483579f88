"""docs/torch-operators.md is what its generator writes, and leaves out few of the core operators."""

from __future__ import annotations

import re

from optional import package

package("torch")

from torch_page import LEFT, PAGE, page  # noqa: E402


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run: python test/unit/support/torch_page.py"


def test_nearly_all_core_operators_are_supported():
    left = re.findall(rf"\| `(\w+)\.\w+` \| {LEFT} \| (.+) \|", PAGE.read_text("utf-8"))
    assert len(left) <= 12 and all(reason for _, reason in left)
