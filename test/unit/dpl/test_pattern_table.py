"""The page of patterns is up to date, and the tests that it names exist."""

import inspect

import pytest
from kinds import CASES
from pattern_table import PAGE, ROOT, SECTIONS, page

from relax_dialect import dpl
from relax_dialect.dpl.syntax import language

ROWS = [row for _, rows in SECTIONS for row in rows]
MATCHING = {"extract", "find_all", "match", "apply_rules", "rewrite", "rule"}


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "run python test/unit/dpl/pattern_table.py"


@pytest.mark.parametrize("proof", sorted({row[-1] for row in ROWS}))
def test_what_proves_a_kind_exists(proof: str):
    file, _, test = proof.partition("::")
    if test:
        assert f"def {test}(" in (ROOT / file).read_text()
    else:
        assert proof in {case.name for case in CASES}


def test_every_function_that_makes_a_pattern_is_on_the_page():
    makers = {name for name in dpl.__all__ if inspect.isfunction(getattr(language, name, None))}
    named = " ".join(row[3] for row in ROWS)
    assert [name for name in sorted(makers - MATCHING) if name not in named] == []
    assert {"wildcard", "dominates", "is_op"} <= makers
