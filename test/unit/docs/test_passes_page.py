"""The page of passes is up to date and names every pass once."""

import re

from passes_page import PAGE, page

from lowering.pipeline import ALL_PASSES, PASSES


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run python test/unit/support/passes_page.py"


def test_every_pass_once_and_the_pipeline_in_order():
    named = re.findall(r"^\| `(relax-[\w-]+)` \|", page(), re.M)
    assert sorted(named) == sorted(ALL_PASSES)
    assert named[: len(PASSES)] == list(PASSES)
