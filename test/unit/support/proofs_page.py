"""Generator of the proofs page: each rule of -O1 and of the algebra of sizes, or why it is only tested.

`python test/unit/support/proofs_page.py [HEADING...]` proves everything again, or the sections of some headings, in
ten minutes, and writes docs/proofs.md;
`test/unit/prove/test_page.py` checks that the page has every rule, and `test/unit/prove` proves most of it each time.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "proofs.md"
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "unit" / "support"), str(ROOT / "test" / "unit")]

from expanded_forms import ACTIVATIONS  # noqa: E402
from formula_cases import all_uses, forms  # noqa: E402
from operators import entries  # noqa: E402
from proof_cases import DTYPES, FLOATS, Case, cases, proved_rules  # noqa: E402
from size_laws import LAWS as SIZE_LAWS  # noqa: E402
from size_laws import VALUES, interval_holds, law_holds  # noqa: E402
from size_trees import drawn, known  # noqa: E402
from xdsl.dialects.builtin import ModuleOp  # noqa: E402

import lowering  # noqa: E402
from relax_dialect.dpl import PatternRule  # noqa: E402
from relax_dialect.errors import RelaxError  # noqa: E402
from relax_dialect.ir.spelling import parse_dtype  # noqa: E402
from relax_dialect.prove import Limits, VerdictKind, prove, prove_accesses  # noqa: E402
from relax_dialect.prove.queries import holds  # noqa: E402
from relax_dialect.prove.scalars.lemmas import LAWS, widening  # noqa: E402
from relax_dialect.prove.scalars.scalar_types import scalar_type  # noqa: E402
from relax_dialect.prove.size_terms import integer  # noqa: E402
from relax_dialect.prove.z3_package import z3  # noqa: E402
from relax_dialect.rewrites.algebra import fold_zero_points  # noqa: E402
from relax_dialect.rewrites.recognition import recognize_operators  # noqa: E402

INTRODUCTION = """\
# Proofs

`python test/unit/support/proofs_page.py` writes the tables and proves everything with z3 {version}. `test/unit/prove`
proves most of it in every run of the tests, and checks that each rule of -O1 is on this page.

```bash
pip install 'relax-xdsl[prove]'
relax-opt model.mlir --prove -p relax-simplify-algebra,relax-legalize,relax-fuse-elementwise
relax-opt after.mlir -p 'relax-prove{{before="before.mlir"}}'
relax-opt model.mlir --prove --prove-over reals -p relax-recognize-operators
relax-opt after.mlir -p 'relax-prove{{before="before.mlir" over=reals}}'
relax-opt model.mlir -p relax-legalize,relax-prove-accesses
```

`--prove` compares each `relax.func` before and after each pass, the pass `relax-prove` a program with a file, and
`relax_dialect.prove.prove(before, after)` two modules. Results are compared bit for bit, but for the bits of a NaN.
The verdict on a function goes to standard error:

| verdict | meaning |
|---|---|
| proved | for all inputs, and for all sizes for which neither program stops at a check |
| equal over the reals | with `--prove-over reals` and `over=reals` only: rounding differs. A program of constants follows, whose floats differ |
| refuted | a program of constants follows, for which the interpreter computes both results; the exit code is 1 |
| unknown | no answer within `--prove-limit` milliseconds for a query (3,000), or values that the interpreter does not confirm |
| outside of the fragment | the unsupported operators are named |

How it works:

- One element represents all: a tensor is the term of its element at an index. Floats are IEEE 754's, integers wrap, with
  [the same values](limits.md#special-values) as everywhere; views, broadcasts and slices are maps of indices, and
  sizes are integers, at least 0.
- Sums, products of tensors and other reductions are equal if their terms are; rounding is not modelled, since
  their order is unspecified. Any other operator is an uninterpreted function, and so is a function that z3 lacks (`exp`), and at the
  first attempt every product and quotient of floats.
- Calls of prim funcs are evaluated if all loops of their structured ops are parallel. `relax.if`, loops,
  closures, effects, calls of functions, and overwritten parameters are outside. Checks at run time are not compared.
- Over the reals (`prove(before, after, over=Over.REALS)`) results that are not equal bit for bit are compared as real numbers, by the
  laws of the [formulas](#formulas): for sizes above 0, divisors other than 0, roots of numbers above 0, finite numbers, and integers that do
  not wrap. Numbers in programs are equal if they differ by less than 2^-20. First the interpreter runs both functions on
  numbers near 1: a difference above 1 % (f16: 3 %, bf16: 25 %) is no rounding, and refutes. z3 alone refutes nothing over the reals.
- `relax-prove-accesses` walks a `func.func` on tensors or memrefs: it proves each map of a structured op, load, store and
  slice to be in bounds, under the loops, branches and checks around it. An index that is read from memory is outside.
"""

RULES = """\
Each rule of `relax-simplify-algebra`, proved by z3 on programs of all its element types (`any`: of one, since the rule
only moves elements), and the rules on `einsum` and `matmul`, which sum the same terms:
"""
FORMULAS = """\
Each rule of `relax-recognize-operators`: forms of its operator, written at random (`test/unit/support/expanded_forms.py`), and what
the rule makes of them are equal for all real numbers and all sizes, up to numbers of a formula that differ by less than 2^-20.
`exp`, `log`, `erf`, `tanh` and roots are symbols with their laws; sums are linear. A form selects alternatives of the pattern of
its rule, such as `square(x)` for `x * x`: the last column counts those that some form has.

- `softplus` and `mish`: below the threshold. Above it x replaces `log(1 + exp(x))`, which differs by less than `exp(-threshold)`.
- `attention`: for queries with a score that is not hidden; a score of -1e4 or lower has no share. Constant masks are
  compared element by element instead, and casts around the softmax are identities over the real numbers.
"""
OPERATORS = """\
The first three cases of [the operators](operators.md): in how many the prim func is proved equivalent to the operator, and in
how many prim funcs all accesses are proved in bounds. No entry: outside.
"""
ROUNDS = "the formulas are proved below; the operator rounds once, its form after every step"
LISTED = {
    "recognize_operators": (
        "recognised operators",
        ROUNDS,
        "random forms, operator and form within 2e-6 in f64, 2e-5 in f32, 2e-2 in f16 "
        "(`test_recognize_operators.py`)",
    ),
    "fold_zero_points": (
        "folded zero points",
        "sums of products are outside; each term, `(x - zx) * v = x * v - zx * v`, is a law of integers that wrap",
        "bit for bit on random products, convolutions and scales (`test_fold_zero_points.py`)",
    ),
}
OTHERS = (
    (
        "relax-fold-constant",
        "runs the interpreter on constants",
        "folding uses the interpreter itself",
    ),
    ("relax-dce", "removes unused ops", "`relax-opt --prove` compares the result"),
)
LIMITS = Limits(milliseconds=60_000)
QUOTIENTS = {("f64", "-x / y = -(x / y)"), ("f64", "x / -y = -(x / y)")}
LONG = Limits(milliseconds=1_200_000)
"""The time for the signs of quotients of f64, which take z3 some minutes."""
SHORT = Limits(milliseconds=1_000)
EXPRESSIONS = 1_000
COUNTS = {**dict.fromkeys(ACTIVATIONS, 40), "norm": 300, "attention": 200}
"""The number of forms that each writer makes."""
FORMULA_HEAD = "rule | forms proved | alternatives in them"
CASES = 3
"""The cases of an operator that are tried, of those that its tests have."""


def table(head: str, lines: Iterable[str]) -> str:
    """A table of Markdown."""
    columns = head.count("|") + 1
    return f"\n| {head} |\n|{'---|' * columns}\n" + "".join(f"| {line} |\n" for line in lines)


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def rules_table() -> str:
    """The rules with their element types, and how many programs are proved."""
    found: dict[str, list[tuple[Case, bool]]] = defaultdict(list)
    for case in cases():
        (verdict,) = prove(case.before, case.after, LIMITS)
        found[case.rule.name].append((case, verdict.kind is VerdictKind.PROVED))
    lines = []
    for rule in proved_rules():
        each = found[rule.name]
        words = {word for case, _ in each for word in case.label.split() if word in DTYPES}
        types = " ".join(dtype for dtype in DTYPES if dtype in words) or "any"
        count = sum(is_proved for _, is_proved in each)
        lines.append(f"{rule.name} | {types} | {count} of {len(each)}")
    return table("rule | element types | programs proved", lines)


def listed_table() -> str:
    """The other passes of -O1, with the reason why their rules are tested only."""
    lines = []
    for module in (recognize_operators, fold_zero_points):
        file = module.__name__.rpartition(".")[2]
        name, reason, bound = LISTED[file]
        names = list(dict.fromkeys(short_name(rule) for rule in module.rules()))
        proved = {rule.name for rule in proved_rules()}
        lines.append(
            f"{name}: {', '.join(n for n in names if n not in proved)} | {reason} | {bound}"
        )
    return table("rules | why not proved | tested", [*lines, *map(" | ".join, OTHERS)])


def short_name(rule: PatternRule) -> str:
    return rule.name.removeprefix("recognize ")


def formulas_table() -> str:
    """The rules of the recognisers, with the number of forms that are proved over the reals."""
    counts: dict[str, list[bool]] = defaultdict(list)
    used: dict[str, set[str]] = defaultdict(set)
    for proof in forms(COUNTS):
        is_proved = proof.verdict().kind is VerdictKind.PROVED
        for name in proof.names:
            counts[name].append(is_proved)
        for use in proof.seen if is_proved else ():
            used[use.rule].add(use.text)
    return table(
        FORMULA_HEAD,
        (
            f"{name.removeprefix('recognize ')} | {sum(counts[name])} of {len(counts[name])} | "
            f"{len(used[name] & texts)} of {len(texts)}"
            for name, texts in all_uses().items()
        ),
    )


def laws_table() -> str:
    """The laws of floats that proofs use."""
    lines = []
    for name, law in LAWS.items():
        proved = []
        for dtype in FLOATS:
            type = scalar_type(parse_dtype(dtype))
            x, y = z3.Consts("x y", type.sort)
            limits = LONG if (dtype, name) in QUOTIENTS else LIMITS
            if holds(law(type, x, y), [], limits).kind is VerdictKind.PROVED:
                proved.append(dtype)
        lines.append(f"`{escaped(name)}` | {' '.join(proved)}")
    types = {dtype: scalar_type(parse_dtype(dtype)) for dtype in FLOATS}
    triples = [
        (source, middle, target)
        for middle in ("f32", "f64")
        for source in FLOATS[: FLOATS.index(middle)]
        for target in FLOATS
    ]
    count = sum(
        holds(
            widening(*(types[t] for t in triple), z3.Const("x", types[triple[0]].sort)), [], LIMITS
        ).kind
        is VerdictKind.PROVED
        for triple in triples
    )
    lines.append(
        f"a cast to a wider float before another cast may be dropped | {count} of {len(triples)} casts"
    )
    return table("law | proved for", lines)


def sizes_table() -> str:
    """The rules of division and the table of intervals."""
    division = [f"`{name}` | {_yes(law_holds(name))}" for name in SIZE_LAWS]
    intervals = [f"`{name}` | {interval_holds(name)}" for name in VALUES]
    return table("rule of division, for all sizes and divisors | proved", division) + table(
        "interval of an operation, for all ends | claims proved", intervals
    )


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def expressions_line() -> str:
    """Random expressions, their canonical form and their bounds."""
    source, counts = random.Random(0), defaultdict(int)
    for _ in range(EXPRESSIONS):
        if (found := known(drawn(source, source.choice((2, 3, 4))))) is None:
            continue
        expr, term, facts = found
        low, high = expr.bounds()
        bounds = [] if low is None else [term >= low]
        bounds += [] if high is None else [term <= high]
        for claim in (integer(expr) == term, *bounds):
            counts[holds(claim, facts, SHORT, "default").kind] += 1
    return (
        f"\nOf {EXPRESSIONS:,} random expressions (seed 0) the canonical form and the bounds agree with the operations: "
        f"{counts[VerdictKind.PROVED]:,} claims proved, {counts[VerdictKind.UNKNOWN]} unknown (products of variables), "
        f"{counts[VerdictKind.REFUTED]} refuted.\n"
    )


def operators_table() -> str:
    """Prove the legalisation of operators, and the accesses of their prim funcs."""
    lines = []
    for entry in entries():
        same, inside = [0, 0], [0, 0]
        for case in entry.cases[:CASES]:
            before = ModuleOp([case.function("main")])
            after = before.clone()
            try:
                lowering.lower(after, ["relax-legalize"])
            except RelaxError:
                continue
            same[1] += 1
            same[0] += all(v.kind is VerdictKind.PROVED for v in prove(before, after, SHORT))
            kinds = [v.kind for v in prove_accesses(after, SHORT)]
            inside[1] += len(kinds)
            inside[0] += kinds.count(VerdictKind.PROVED)
        if same[1]:
            lines.append(
                f"[{entry.name}](operators.md#{entry.name}) | {_share(same)} | {_share(inside)}"
            )
    return table("operator | legalised: cases proved | prim funcs within bounds", lines)


def _share(counts: list[int]) -> str:
    return f"{counts[0]} of {counts[1]}" if counts[0] else ""


def sections() -> dict[str, Callable[[], str]]:
    """The parts of the page after its head, by their headings."""
    return {
        "Rules of -O1": lambda: (
            f"{RULES}\n{rules_table()}\nThe rules of the other passes are tested:\n{listed_table()}"
        ),
        "Formulas": lambda: f"{FORMULAS}\n{formulas_table()}",
        "Laws of floats": lambda: (
            f"These laws normalise terms; each is proved bit by bit:\n{laws_table()}"
        ),
        "Sizes": lambda: f"{expressions_line()}{sizes_table()}",
        "Operators": lambda: f"{OPERATORS}\n{operators_table()}",
    }


def old_sections() -> dict[str, str]:
    """The parts that the page has, by their headings."""
    text = PAGE.read_text("utf-8") if PAGE.exists() else ""
    return {head: body for head, _, body in (p.partition("\n\n") for p in text.split("\n## ")[1:])}


def write(asked: Sequence[str]) -> None:
    """Prove the requested sections, or all, and write the page."""
    new = {head: make() for head, make in sections().items() if not asked or head in asked}
    known = {**old_sections(), **{head: text.strip() + "\n" for head, text in new.items()}}
    parts = [INTRODUCTION.format(version=z3.get_version_string())]
    parts += [f"\n## {head}\n\n{known[head].strip()}\n" for head in sections() if head in known]
    PAGE.write_text(re.sub(r"\n{3,}", "\n\n", "".join(parts)), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    write(sys.argv[1:])
