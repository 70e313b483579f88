"""The page of the language is up to date and complete, and true of compiled programs too."""

from __future__ import annotations

import re

import pytest
from language import Reader, read
from language_programs import session
from language_rules import ERRORS, OPS, STRUCTURAL, general_rules, refusals
from operators import documented

from relax_dialect import symbolic
from relax_dialect.dialect import Relax
from relax_dialect.ir import types
from relax_dialect.ir.lattice import is_subtype, join
from relax_dialect.parsing import parse
from relax_dialect.symbolic import caps

SIZES = re.compile(r"^\| `([^`]*)` \| `([^`]*)` \|$", re.M)
TYPES = re.compile(r"^\| `([^`]*)` \| `([^`]*)` \| `([^`]*)` \|$", re.M)


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page() -> Reader:
    """The page, read and filled in."""
    return read()


def type_of(text: str) -> types.Attribute:
    """A type by its spelling."""
    module = parse(f'%0 = "builtin.unrealized_conversion_cast"() : () -> ({text})')
    (op,) = module.ops
    return op.results[0].type


def section(page: Reader, title: str) -> str:
    """The text under a heading."""
    _, heading, rest = page.text.partition(f"\n### {title}\n")
    assert heading
    return re.split(r"^##", rest, maxsplit=1, flags=re.M)[0]


def test_the_page_is_up_to_date(page: Reader):
    assert page.text == page.filled, "run python test/unit/support/language.py"


def test_compiled_programs_give_the_same(page: Reader):
    names = page.setup | page.programs.functions(page.programs.compiled())
    assert [session(code, names) for code in page.sessions] == page.sessions


def test_every_op_that_is_no_operator_has_a_section(page: Reader):
    assert set(re.findall(r"^## (relax\.\w+)$", page.text, re.M)) == STRUCTURAL


def test_the_grammar_has_every_op_and_the_page_every_type(page: Reader):
    grammar = "\n".join(re.findall(r"^```ebnf\n(.*?)^```$", page.text, re.M | re.S))
    assert {name for name in STRUCTURAL if f'"{name}"' not in grammar} == set()
    assert {
        a.name for a in Relax.attributes if not re.search(rf"[!#]{a.name}\b", page.text)
    } == set()


def test_every_numbered_rule_stands_there_with_its_error(page: Reader):
    for name in STRUCTURAL:
        _, _, rest = page.text.partition(f"\n## {name}\n")
        text = rest.partition("\n## ")[0]
        for number, rule in documented(OPS[name])[1]:
            assert f"- **({number})** {rule}\n    - [" in text, f"{name} ({number})"
    assert {"E1", "F1", "S1", "T1", "V1"} <= set(general_rules())
    for number, rule in general_rules().items():
        assert f"- **({number})** {rule}\n    - [" in page.text, number


def test_every_error_stands_there_or_belongs_to_an_operator(page: Reader):
    of_language = {name for name, refusal in refusals().items() if not refusal.is_of_operator}
    assert of_language - page.files == set()
    assert {f"{name}.mlir" for name in page.files} <= {path.name for path in ERRORS.iterdir()}


def test_every_program_is_called(page: Reader):
    calls = "\n".join(page.sessions)
    uncalled = {
        n for n in page.programs.functions(page.programs.interpreted) if f"{n}(" not in calls
    }
    assert uncalled == set()


def test_the_canonical_forms_are_those_of_the_algebra(page: Reader):
    rows = SIZES.findall(section(page, "Canonical form"))
    assert len(rows) > 5
    for written, kept in rows:
        assert str(symbolic.parse(written)) == kept


def test_the_joins_are_those_of_the_types(page: Reader):
    rows = TYPES.findall(section(page, "Equality, subtypes, joins"))
    assert len(rows) > 5
    for a, b, both in rows:
        left, right = type_of(a), type_of(b)
        assert str(join(left, right)) == both
        assert is_subtype(left, type_of(both))


def test_the_limits_are_those_of_the_algebra(page: Reader):
    text = " ".join(section(page, "Limits").split())
    for number, what in (
        (caps.MAX_TERMS, "terms"),
        (caps.MAX_SIZE, "variables"),
        (caps.MAX_DEPTH, "deep"),
        (symbolic.MAX_NESTING, "deep"),
    ):
        assert re.search(rf"\b{number} {what}", text)
    assert caps.MAX_EXTENT == 2**48
    assert "2^48" in page.text
