"""Every kind of pattern in Relay, in Relax and here, and the test that proves ours.

`python test/unit/dpl/pattern_table.py` writes docs/patterns.md; `test_pattern_table.py` checks that the
page is up to date, and that every test it names exists.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "patterns.md"

KINDS = "test/unit/dpl/test_kinds_of_patterns.py"
SEARCH = "test/unit/dpl/test_search.py"
EXPRESSIONS = "test/unit/dpl/test_expressions.py"
DRIVERS = "test/unit/dpl/test_drivers.py"
REWRITING = "test/unit/dpl/test_rewriting.py"
TVM = "test/unit/dpl/test_against_tvm.py"
DOCUMENT = "test/unit/documents/test_004_pattern_language.py"

Row = tuple[str, str, str, str, str]
"""Its matches, Relay's spelling, Relax's, ours, and the proof: the name of a case in `kinds.py`, or
`file::test`. A spelling is left out where there is none, and in brackets where it says less or more."""

SECTIONS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "Values",
        (
            ("anything", "`wildcard()`", "`wildcard()`", "`wildcard()`", "wildcard"),
            ("this value", "`is_expr(e)`", "`is_expr(e)`", "`is_expr(v)`, or `v` itself", "expr"),
            (
                "an expression that is not emitted",
                "`is_expr(e)`",
                "`is_expr(e)`",
                "`is_expr(x + 1)`, operands in this order",
                f"{EXPRESSIONS}::test_expressions_that_are_not_emitted",
            ),
            ("a variable", "`is_var()`", "`is_var()`", "`is_var()`", "var"),
            (
                "a variable of a name",
                "`is_var(name)`",
                "`is_var(name)`",
                "`is_var(name)`",
                "var_name",
            ),
            (
                "a variable bound to a value",
                "`is_var()`",
                "`is_var()`",
                "`is_var(name)`",
                "var_let",
            ),
            ("a parameter: it has no parents", "", "", "`is_input()`", "input"),
            (
                "a constant",
                "`is_constant()`",
                "`is_const()`",
                "`is_constant()`, `is_const()`",
                "constant",
            ),
            (
                "a constant of a number",
                "(`is_expr(const(2))`)",
                "(`is_expr(const(2))`)",
                "`is_const(2)`, or `2` itself",
                "number",
            ),
            ("a shape", "", "`is_shape(sizes)`", "`is_shape(sizes)`", "shape"),
            (
                "a variable of a dataflow block",
                "",
                "`is_dfv()`",
                "`is_dfv()`, `is_dfv(name)`",
                "dfv",
            ),
        ),
    ),
    (
        "Operators and calls",
        (
            ("an operator", "`is_op(name)`", "`is_op(name)`", "`is_op(name)`", "op"),
            (
                "an operator given itself",
                "`is_expr(op)`",
                "`is_expr(op)`",
                "`is_expr(Op)`",
                "expr_operator",
            ),
            ("a call", "`p(a, b)`", "`p(a, b)`", "`p(a, b)`", "call"),
            (
                "a call with further arguments",
                "",
                "`p(a, varg_default_wildcard=True)`",
                "`p(a, varg_default_wildcard=True)`",
                "varg_default_wildcard",
            ),
            (
                "a call of any operator",
                "`wildcard()(a)`",
                "`wildcard()(a)`",
                "`wildcard()(a)`",
                "call_of_any",
            ),
            (
                "a call with any arguments",
                "`p(None)`",
                "",
                "`p(None)`, or `p` alone",
                "call_of_any_arguments",
            ),
            (
                "a call of one of several",
                "`(p \\| q)(a)`",
                "`(p \\| q)(a)`",
                "`(p \\| q)(a)`",
                "call_of_either",
            ),
            (
                "arguments in either order",
                "(add and multiply)",
                "(add and multiply)",
                "every commutative operator",
                "commutative",
            ),
            ("arguments in this order", "", "", "`p(a, b, in_order=True)`", "in_order"),
            (
                "arithmetic",
                "`p + q - r * s / t`",
                "",
                "`p + q - r * s / t`, with numbers",
                "arithmetic",
            ),
            (
                "`x * (y / z)`, also as `(x * y) / z`",
                "`x * (y / z)`",
                "`x * (y / z)`",
                "`x * (y / z)`; not `in_order=True`",
                "quotient_of_product",
            ),
            (
                "`(x * y) / z`, also as `x * (y / z)`",
                "`(x * y) / z`",
                "`(x * y) / z`",
                "`(x * y) / z`; not `in_order=True`",
                "product_with_quotient",
            ),
            (
                "a function value",
                "`FunctionPattern(params, body)`",
                "`FunctionPattern(params, body)`",
                "`is_function(params, body)`",
                "function",
            ),
            (
                "a call of a function, seen inside",
                "`FunctionPattern(params, body)(a)`",
                "",
                "`is_function(params, body)(a)`",
                "function_called",
            ),
            (
                "a call by name",
                "(`is_expr(global_var)(a)`)",
                "`is_gv(name)(a)`",
                "`is_gv(name)(a)`, `is_call(name, args)`",
                "call_by_name",
            ),
            (
                "a prim func",
                "",
                "`is_call_tir(name, args)`",
                "`is_call_tir(name, args)`",
                "call_tir",
            ),
            (
                "a function from outside",
                "",
                "`is_call_packed(name, args)`",
                "`is_call_packed(name, args)`",
                "call_packed",
            ),
            (
                "one that writes its result",
                "",
                "`is_call_dps_packed(name, args)`",
                "`is_call_dps_packed(name, args)`",
                "call_dps_packed",
            ),
        ),
    ),
    (
        "Types and attributes",
        (
            (
                "a type",
                "`has_type(type, p)`",
                "`p.has_struct_info(info)`",
                "`has_type(p, type)`, and narrower ones",
                "has_type",
            ),
            (
                "their order of arguments",
                "`has_dtype(dtype, p)`",
                "`has_dtype(dtype, p)`",
                "understood too, and without p",
                "order_of_relay",
            ),
            (
                "an element type",
                "`has_dtype(dtype, p)`",
                "`has_dtype(dtype, p)`",
                "`has_dtype(p, dtype)`",
                "has_dtype",
            ),
            (
                "a shape",
                "`has_shape(sizes, p)`",
                "`p.has_shape(sizes)`",
                "`has_shape(p, sizes)`, None for any",
                "has_shape",
            ),
            (
                "the shape of another node",
                "",
                "`p.same_shape_as(q)`",
                "`p.same_shape_as(q)`",
                "same_shape_as",
            ),
            (
                "an attribute of a call",
                "`p.has_attr({name: v})`",
                "`p.has_attr({name: v})`",
                "`p.has_attr(name, v)`, `({name: v})`",
                "has_attr",
            ),
            (
                "an attribute left to its default",
                "`p.has_attr({name: v})`",
                "`p.has_attr({name: v})`",
                "`p.has_attr(name, v)`",
                "has_attr_default",
            ),
            (
                "an attribute of the operator",
                '`p.has_attr({"TOpPattern": K})`',
                "",
                '`p.has_attr("TOpPattern", K)`',
                "has_attr_of_operator",
            ),
        ),
    ),
    (
        "Alternatives",
        (
            ("one or the other", "`p \\| q`", "`p \\| q`", "`p \\| q`", "either"),
            ("both", "", "`p & q`", "`p & q`", "both"),
            ("not", "", "`~p`", "`~p`", "not"),
            (
                "wrapped or not",
                "`p.optional(wrap)`",
                "(`wrap(p) \\| p`)",
                "`p.optional(wrap)`",
                "optional",
            ),
            ("found by name", "", "", "`named(name, p)`", "named"),
            ("another value of the same form", "", "`p.dup()`", "`p.dup()`", "dup"),
        ),
    ),
    (
        "Structure",
        (
            ("a tuple", "`is_tuple(fields)`", "`is_tuple(fields)`", "`is_tuple(fields)`", "tuple"),
            (
                "a tuple in any order",
                "",
                "`is_tuple(fields, unordered=True)`",
                "`is_tuple(fields, unordered=True)`",
                "tuple_unordered",
            ),
            (
                "a tuple where ours has operands, as of concat",
                "`p(is_tuple(fields))`",
                "`p(is_tuple(fields))`",
                "the same, or `p(*fields)`; the tuple itself matches no value",
                "tuple_of_operands",
            ),
            (
                "any tuple where ours has operands, as of stack",
                "`p(wildcard())`",
                "`p(wildcard())`",
                "the same, or `p(None)`, `p(is_tuple(None))`",
                "any_tuple_of_operands",
            ),
            ("any tuple", "`is_tuple(None)`", "", "`is_tuple()`", "tuple_of_any"),
            (
                "a field of a tuple",
                "`is_tuple_get_item(p, i)`",
                "`is_tuple_get_item(p, i)`",
                "`is_tuple_get_item(p, i)`, `p[i]`",
                "tuple_get_item",
            ),
            ("a result of an op with several", "(a field)", "(a field)", "`p[i]`", "output"),
            ("a branch", "`is_if(c, p, q)`", "", "`is_if(c, p, q)`", "if"),
            (
                "a binding",
                "`is_let(var, value, body)`",
                "",
                "`is_let(var, value, body)`",
                "let_body",
            ),
            ("a node used twice is one value", "the same", "the same", "the same", "diamond"),
        ),
    ),
    (
        "Ways and users",
        (
            ("any depth", "", "", "`repeat(base, wrap, at_least, at_most)`", "repeat"),
            (
                "all ways from parent to child",
                "`dominates(parent, path, child)`",
                "",
                "`dominates(parent, path, child)`",
                "dominates",
            ),
            ("no user leaves these ways", "the same", "", "the same", "dominates_all_users"),
            (
                "inputs from outside the ways",
                "(leaves only)",
                "",
                "the same; `side_inputs=False` refuses them",
                "dominates_side_inputs",
            ),
            (
                "of these leaves only: parameters, constants",
                "the same",
                "",
                '`side_inputs="leaves"`',
                "dominates_leaves",
            ),
            ("a user", "", "`p.used_by(q, i)`, `p ^ q`", "`used_by(p, q, i)`, `p ^ q`", "used_by"),
            (
                "the only user",
                "",
                "`p.only_used_by(q, i)`, `p >> q`",
                "`only_used_by(p, q, i)`, `p >> q`",
                "only_used_by",
            ),
            (
                "a chain of users",
                "",
                "`p ^ q >> r`",
                "`p ^ q >> r`",
                f"{SEARCH}::test_chains_of_users_read_from_left_to_right",
            ),
            (
                "two producers of one user",
                "",
                "`p >> r`, `q >> r` in a context",
                "the same",
                "test/unit/dpl/test_users_in_contexts.py::test_random_ties",
            ),
            ("several users of one value", "", "`p.fork_to(q, r)`", "`p.fork_to(q, r)`", "fork_to"),
            ("several roots", "", "`PatternContext`, `match_dfb`", "`together(p, q)`", "together"),
            (
                "two nodes of these match one value",
                "",
                "(seldom)",
                "(not) `one_to_one=False`",
                "together_one_to_one",
            ),
            (
                "an operand and another node of a context match one value",
                "",
                "by the order in which they were made",
                "(not): it is written as the operand",
                f"{TVM}::test_contexts",
            ),
        ),
    ),
    (
        "Drivers",
        (
            (
                "a match as a dict",
                "`p.match`",
                "`p.extract_matched_expr(e)`",
                "the same, or `p.extract(e)`",
                f"{DRIVERS}::test_a_context_matches_all_that_is_made_in_it",
            ),
            (
                "matches replaced",
                "`rewrite(callback, e)`",
                "`rewrite_call(p, f, func)`",
                "the same, or `rewrite(p, f, func)`",
                f"{DRIVERS}::test_rewrite_call",
            ),
            (
                "several roots matched in a block",
                "",
                "`PatternContext`, `ctx.match_dfb(b)`",
                "the same, or `together`",
                f"{DRIVERS}::test_a_context_matches_all_that_is_made_in_it",
            ),
            (
                "several roots replaced",
                "",
                "`rewrite_bindings(ctx, f, func)`",
                "the same, or `rewrite(together(...), f, func)`",
                f"{DRIVERS}::test_rewrite_bindings",
            ),
            (
                "matches made functions",
                "`p.partition(e, attrs, check)`",
                "",
                "the same, or `partition(p, module)`",
                f"{DRIVERS}::test_partition_as_a_method",
            ),
            (
                "a table of patterns",
                "(`MergeComposite`)",
                "`FuseOpsByPattern(rows)(module)`",
                "the same, or `fuse_ops_by_pattern`",
                f"{DRIVERS}::test_fuse_ops_by_pattern",
            ),
            (
                "an inner value of it is used elsewhere",
                "(no match)",
                "passed out as a second result",
                "(no match)",
                f"{TVM}::test_fusion",
            ),
            (
                "an inner value is used elsewhere, in `rewrite_call`",
                "(no match)",
                "stays for that use",
                "the same, or `rewrite(..., outside_uses=True)`",
                f"{TVM}::test_both_say_the_same",
            ),
            (
                "a rewriter gives the match as it was, in new ops",
                "",
                "nothing changes",
                "nothing changes",
                f"{DRIVERS}::test_what_is_written_again_stays",
            ),
            (
                "a rewriter declines, a root alternative is left",
                "",
                "asked with the next of `p \\| q`",
                "the same",
                f"{TVM}::test_declined_matches",
            ),
            (
                "a rewriter declines, another choice inside is left",
                "",
                "(not asked again)",
                "asked with the next match: `\\|`, `optional`, operands in either order; up to 64",
                f"{REWRITING}::test_a_declined_match_is_followed_by_the_next",
            ),
            (
                "classes",
                "`CallPattern`, ...",
                "`CallPattern`, ...",
                "the same names",
                f"{DRIVERS}::test_names_of_classes",
            ),
        ),
    ),
    (
        "What the matcher does",
        (
            (
                "an operator, not a call, is matched",
                "`p.match(op)`",
                "",
                "`p.match(op)`",
                f"{DOCUMENT}::test_match_op_or",
            ),
            (
                "values bound to variables are seen through",
                "(graph form)",
                "with a map `var2val`",
                "always",
                "dominates",
            ),
            (
                "a failed branch leaves no trace",
                "",
                "",
                "yes",
                f"{SEARCH}::test_the_base_of_a_repetition_is_tied_to_what_stands_next_to_it",
            ),
            (
                "nested choices take polynomial time",
                "",
                "",
                "without shared nodes",
                f"{SEARCH}::test_nested_choices_are_polynomial",
            ),
            (
                "a search has a limit",
                "",
                "",
                "`PatternLimitError`",
                f"{SEARCH}::test_a_shared_node_in_every_choice_meets_the_limit",
            ),
        ),
    ),
)


def proof_link(proof: str) -> str:
    file, _, test = (proof if "::" in proof else f"{KINDS}::{proof}").partition("::")
    return f"[{test}](../{file})"


def page() -> str:
    """The page as text."""
    lines = [
        "# The kinds of patterns",
        "",
        "What the pattern languages of Relay and Relax can say, and ours. Brackets: it says this in another "
        "way, or not quite this. A test without a file is a case of `test/unit/dpl/kinds.py`: a program "
        "that matches and one that must not, each in every normal form.",
        "This page is generated: `python test/unit/dpl/pattern_table.py`.",
    ]
    for title, rows in SECTIONS:
        lines += [
            "",
            f"## {title}",
            "",
            "| matches | Relay | Relax | ours | test |",
            "|---|---|---|---|---|",
        ]
        for what, relay, relax, ours, proof in rows:
            lines.append(
                f"| {what} | {relay or '-'} | {relax or '-'} | {ours} | {proof_link(proof)} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
