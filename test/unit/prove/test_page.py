"""docs/proofs.md has each rule of -O1, and each rule of the algebra of sizes."""

from __future__ import annotations

import re

from optional import package

package("z3", "prove")

from formula_cases import all_uses  # noqa: E402
from proof_cases import proved_rules  # noqa: E402
from proofs_page import (  # noqa: E402
    FORMULA_HEAD,
    FORMULAS,
    INTRODUCTION,
    LISTED,
    PAGE,
    listed_table,
    table,
)
from size_laws import LAWS as SIZE_LAWS  # noqa: E402
from size_laws import VALUES  # noqa: E402

from lowering.pipeline import optimizations  # noqa: E402
from relax_dialect.prove.scalars.lemmas import LAWS  # noqa: E402

TEXT = PAGE.read_text("utf-8")
RUN = "run python test/unit/support/proofs_page.py"


def first_cells(head: str) -> list[str]:
    """The first column of the table with this head."""
    body = TEXT.partition(f"| {head} |")[2].partition("\n\n")[0]
    lines = [line for line in body.splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\) \| ", line.strip("| "))[0] for line in lines]


def test_every_rule_is_on_the_page():
    found = first_cells("rule | element types | programs proved")
    assert found == [rule.name for rule in proved_rules()], RUN


def test_every_rule_is_proved():
    counts = re.findall(r"\| (\d+) of (\d+) \|$", TEXT.partition("## Formulas")[0], re.M)
    assert len(counts) == len(proved_rules()) and all(a == b for a, b in counts)


def test_every_recognised_operator_is_proved():
    names = [name.removeprefix("recognize ") for name in all_uses()]
    assert first_cells(FORMULA_HEAD) == names, RUN
    section = TEXT.partition("## Formulas")[2].partition("## ")[0]
    counts = re.findall(r"\| (\d+) of (\d+) \| (\d+) of \d+ \|$", section, re.M)
    assert len(counts) == len(names)
    assert all(a == b != "0" != used for a, b, used in counts)
    assert FORMULAS.strip() in TEXT, RUN


def test_what_is_listed():
    assert listed_table() in TEXT, RUN


def test_every_pass_of_the_level_is_there():
    for name in optimizations(1):
        plain = name.partition("{")[0]
        file = plain.removeprefix("relax-").replace("-", "_")
        assert file in LISTED or plain in TEXT, plain


def test_laws_and_sizes():
    assert len(first_cells("law | proved for")) == len(LAWS) + 1, RUN
    head = "rule of division, for all sizes and divisors | proved"
    assert first_cells(head) == [f"`{name}`" for name in SIZE_LAWS], RUN
    head = "interval of an operation, for all ends | claims proved"
    assert first_cells(head) == [f"`{name}`" for name in VALUES], RUN


def test_the_head():
    paragraphs = INTRODUCTION.partition("## ")[0].split("\n\n")
    assert all(each.replace("{{", "{").replace("}}", "}") in TEXT for each in paragraphs[2:]), RUN


def test_a_table():
    assert table("a | b", ["1 | 2"]) == "\n| a | b |\n|---|---|\n| 1 | 2 |\n"
