"""Generator of the page of ONNX's operators, from the converters and ONNX's own backend tests.

`python test/unit/support/onnx_page.py` runs all of the tests in compiled C (`--interpret`: with the interpreter, in
seconds) and writes docs/onnx-operators.md; `test_onnx_suite.py` checks that the page has every operator and its
implementation.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from onnx import defs
from onnx_cases import KINDS, cases
from onnx_suite import BOUND, RIGHT, STATUSES, UNSUPPORTED, Outcome, Outcomes, counted, outcomes

from relax_dialect.frontends.onnx import registry
from relax_dialect.frontends.onnx.evaluation import evaluators
from relax_dialect.frontends.onnx.model.missing import LEFT_OUT
from relax_dialect.frontends.onnx.model_functions import has_body

PAGE = Path(__file__).resolve().parents[3] / "docs" / "onnx-operators.md"
CONVERTED, KNOWN, BODY = "converter", "sizes", "body"
STRINGS = "works on strings, which tensors do not support"
TRAINING = "a training step; imported models are trained"

OUT_OF_SCOPE = {
    "ImageDecoder": "reads picture files; decode them before the model is called",
    "RegexFullMatch": STRINGS,
    "StringConcat": STRINGS,
    "StringNormalizer": STRINGS,
    "StringSplit": STRINGS,
    "TfIdfVectorizer": "counts n-grams of tables of words; vectorise text before the model is called",
    "ai.onnx.preview.FlexAttention": "a preview whose definition still changes",
    "ai.onnx.preview.training.Gradient": TRAINING,
    **LEFT_OUT,
}

WHY = {
    "If": "whether the optional result is empty is known only at run time, and programs have no such "
    "values"
}
"""Explanations for operators with unsupported cases."""

INTRODUCTION = """\
# ONNX: operators

Written by `python test/unit/support/onnx_page.py`, which runs the backend tests that ONNX {version} carries {how};
`test/unit/frontends/onnx/test_onnx_suite.py` checks that the page has every operator.
[relax_dialect/frontends/onnx](../relax_dialect/frontends/onnx/__init__.py) describes the import of models and how to write converters.

| cases | right | right with bound inputs | unsupported | wrong | right in all |
|---|---|---|---|---|---|
{totals}

A case is *right with bound inputs* if an input must be known at import time: `--bind axes=0` of the tools,
`bind={{"axes": 0}}` in Python. In models such inputs are mostly constants and need no binding.

## Supported operators

A *converter* translates the operator as a whole; operators of *sizes* are evaluated during import; an operator without a
converter is expanded to the function *body* that ONNX defines. The cases are those of the operator alone, and those of its
body; the reasons for unsupported ones follow the table. All are compared with ONNX Runtime too, over random attributes,
sizes, opsets and element types: `python test/unit/fuzz --kinds onnx`.

"""
HEAD = (
    "| operator | implemented by | right | bound | unsupported | wrong |",
    "|---|---|---|---|---|---|",
)


def operators() -> dict[str, str]:
    """All operators that ONNX defines, or that have converters, with their implementations; "" if none."""
    newest: dict[tuple[str, str], object] = {
        (registry.normal_domain(schema.domain), schema.name): schema
        for schema in defs.get_all_schemas()
        if not schema.deprecated
    }
    newest |= {key: None for key in registry.table() if key not in newest}
    return {
        f"{domain}.{name}" if domain else name: _served_by(domain, name, schema)
        for (domain, name), schema in sorted(newest.items())
    }


def _served_by(domain: str, name: str, schema: object) -> str:
    if (domain, name) in registry.table():
        return CONVERTED
    if not domain and name in evaluators.table():
        return KNOWN
    full = f"{domain}.{name}" if domain else name
    return BODY if has_body(schema) and full not in OUT_OF_SCOPE else ""


def reason_out_of_scope(operator: str) -> str:
    """Return why an operator is out of scope, or "" if it is not."""
    return OUT_OF_SCOPE.get(operator, "")


def page(done: Outcomes, how: str) -> str:
    """The text of the page."""
    import onnx

    by_kind, by_operator = (
        defaultdict[str, list[Outcome]](list),
        defaultdict[str, list[Outcome]](list),
    )
    for case, outcome in done:
        by_kind[case.kind].append(outcome)
        by_operator[full_name(case.operator)].append(outcome)
    totals = "\n".join(_total(kind, found) for kind, found in by_kind.items())
    served = operators()
    rest = [operator for operator, by in served.items() if not by]
    missing = [operator for operator in rest if not reason_out_of_scope(operator)]

    def rows(of: Iterable[str]) -> list[str]:
        return [f"| `{o}` | {served[o]} | {_cells(by_operator[o])} |" for o in of]

    text = INTRODUCTION.format(version=onnx.__version__, how=how, totals=totals)
    text += "\n".join([*HEAD, *rows(operator for operator, by in served.items() if by), ""])
    text += "\n".join(["\n## Unsupported cases\n", *_reasons(served, by_operator), ""])
    if missing:
        text += "\n".join(["\n## Operators not supported yet\n", *HEAD, *rows(missing), ""])
    left = [f"| `{o}` | {reason_out_of_scope(o)} |" for o in rest if o not in missing]
    head = ("\n## Operators out of scope\n", "| operator | reason |", "|---|---|")
    return text + "\n".join([*head, *left, ""])


def full_name(operator: str) -> str:
    """The operator of a case, with its domain."""
    found = [o for o in operators() if o.rsplit(".", 1)[-1] == operator]
    return found[0] if found else operator


def _total(kind: str, found: Sequence[Outcome]) -> str:
    good = sum(outcome.status in (RIGHT, BOUND) for outcome in found)
    return f"| `{kind}`: {len(found)} | {_cells(found)} | {good / len(found):.1%} |"


def _cells(found: Sequence[Outcome]) -> str:
    counts = Counter(outcome.status for outcome in found)
    return " | ".join(str(counts[status] or "") for status in STATUSES)


def _reasons(served: Iterable[str], found: dict[str, list[Outcome]]) -> Iterator[str]:
    """Yield a line for each supported operator with failing cases, with their reasons."""
    for operator in served:
        bad = [o for o in found[operator] if o.status not in (RIGHT, BOUND)]
        if bad:
            counts = Counter(_short(o) for o in bad)
            texts = (f"{text} ({n})" if n > 1 else text for text, n in counts.most_common())
            why = f": {WHY[operator]}" if operator in WHY else ""
            yield f"* `{operator}`: {'; '.join(texts)}{why}"


def _short(outcome: Outcome) -> str:
    """Return the unsupported feature that an error names."""
    if outcome.status != UNSUPPORTED:
        return f"wrong: {outcome.reason}"
    what = re.search(r"found (.*?)(?:;|$)", outcome.reason)
    text = what[1] if what else outcome.reason
    missing = re.sub(r"^\d+ that we have not: (.*)", r"\1", text)
    if missing != text:
        return re.sub(r" \(\d+ nodes?: [^)]*\)", "", missing) + ", which is not supported"
    return f"the element type {text}" if "an element type among" in outcome.reason else text


def on_page(text: str) -> dict[str, tuple[str, str]]:
    """Return the implementation and the number of unsupported cases of each operator on the page."""
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", text, re.M)
    cells = {name: row.split(" | ") for name, row in rows}
    return {name: (row[0], row[3]) if len(row) > 3 else ("", "all") for name, row in cells.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes docs/onnx-operators.md.")
    parser.add_argument("--interpret", action="store_true", help="run the interpreter, not C")
    parser.add_argument("--jobs", type=int, default=2, help="processes that run cases")
    options = parser.parse_args()
    found = [case for kind in KINDS for case in cases(kind)]
    done = outcomes(found, in_c=not options.interpret, jobs=options.jobs, seconds=120)
    how = "with the interpreter" if options.interpret else "in compiled C"
    PAGE.write_text(page(done, how), encoding="utf-8")
    print(counted([outcome for _, outcome in done]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
