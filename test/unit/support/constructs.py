"""Generator of the constructs page: every construct of the source documents, its implementation, and its test.

`python test/unit/support/constructs.py` writes docs/constructs.md; `test_constructs.py` checks that the page is
up to date, and that everything it names exists.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "constructs.md"

AST = "Relax AST design"
RELAY = "Introduction to Relay IR"
BLOCKS = "Basic block normal form"
EMIT_TE = "EmitTE staging integration"
PATTERNS = "A pattern language for Relay"

TE_TESTS = "test/unit/documents/test_002_emit_te.py"
PATTERN_TESTS = "test/unit/documents/test_004_pattern_language.py"
INTERPRET = "test/unit/interpret"
FORMS = "test/unit/rewrites/test_normal_forms.py"
DIALECT = "test/filecheck/dialect"
ERRORS = "test/filecheck/errors"
REWRITES = "test/filecheck/rewrites"

Row = tuple[str, str, tuple[str, ...], str]
"""The document, its construct, its implementation (ops, passes, dotted names), and the proof: a file, or
`file::test`."""

ROWS: tuple[Row, ...] = (
    (
        AST,
        "ShapeExpr",
        ("relax.shape", "relax_dialect.ir.types.ShapeType"),
        f"{DIALECT}/core_ops.mlir",
    ),
    (
        AST,
        "PrimExpr",
        ("relax_dialect.symbolic.Expr", "relax.symbolic_value"),
        "test/unit/symbolic/test_symbolic.py",
    ),
    (
        AST,
        "PrimValue: a number of known value",
        ("relax.prim_value", "relax_dialect.ir.types.PrimType"),
        f"{DIALECT}/prim.mlir",
    ),
    (
        AST,
        "Var: a value that escapes its block",
        ("relax.output",),
        "test/unit/visitor/test_visitor.py::test_the_documents_analysis_counts_variables",
    ),
    (
        AST,
        "DataflowVar: a value visible only in its dataflow block",
        ("relax.dataflow",),
        "test/unit/visitor/test_visitor.py::test_dataflow_variables_have_a_handler_of_their_own",
    ),
    (AST, "VarBinding", ("relax.binding_block",), f"{DIALECT}/blocks.mlir"),
    (
        AST,
        "MatchShape, on a shape value and on a tensor",
        ("relax.match_shape",),
        f"{INTERPRET}/test_core.py::test_matches_bind_variables",
    ),
    (
        AST,
        "MatchShape's successor MatchCast",
        ("relax.match_cast",),
        f"{INTERPRET}/test_core.py::test_matches_check",
    ),
    (AST, "BindingBlock", ("relax.binding_block",), f"{DIALECT}/blocks.mlir"),
    (
        AST,
        "DataflowBlock: pure, no control flow",
        ("relax.dataflow",),
        f"{ERRORS}/if_in_dataflow.mlir",
    ),
    (AST, "SeqExpr", ("relax.func", "relax.if"), f"{DIALECT}/control.mlir"),
    (AST, "Function", ("relax.func",), f"{DIALECT}/core_ops.mlir"),
    (
        AST,
        "ExternFunc: a TIR PrimFunc",
        ("relax.call_tir", "relax_dialect.prim.signature.signature"),
        f"{INTERPRET}/test_calls.py::test_prim_funcs",
    ),
    (
        AST,
        "ExternFunc: a PackedFunc",
        ("relax.call_packed", "relax_dialect.interpret.register_packed"),
        f"{INTERPRET}/test_calls.py::test_packed_functions",
    ),
    (
        AST,
        "custom_inplace_update: a PackedFunc that writes its argument",
        ("relax.call_inplace_packed",),
        "test/unit/lowering/test_packed_arguments.py::"
        "test_arguments_are_written_and_values_never_change",
    ),
    (
        AST,
        "Object: a value that only external functions inspect",
        ("relax_dialect.ir.types.ObjectType", "relax.call_packed"),
        "test/unit/lowering/test_objects.py::test_the_example_of_the_first_document",
    ),
    (
        AST,
        "the example relax_func",
        ("relax_dialect.builder.BlockBuilder",),
        "test/unit/builder/test_builder.py::test_the_example_of_the_ast_document",
    ),
    (
        AST,
        "scope of symbolic variables: like values, escaping a block",
        ("relax_dialect.ir.traits.SymbolsEscape",),
        "test/unit/builder/test_builder.py::test_symbolic_variables_of_a_block_are_defined_after_it",
    ),
    (
        AST,
        "ExprVisitor and its hierarchy of handlers",
        ("relax_dialect.visitor.ExprVisitor",),
        "test/unit/visitor/test_visitor.py::test_the_narrowest_handler_is_taken_and_others_can_be_reached",
    ),
    (
        AST,
        "CountVarDef in five lines",
        ("relax_dialect.visitor.ExprVisitor",),
        "test/unit/visitor/test_visitor.py::test_the_documents_analysis_counts_variables",
    ),
    (
        AST,
        "ExprMutator with a BlockBuilder, n -> 1",
        ("relax_dialect.visitor.ExprMutator",),
        "test/unit/visitor/test_visitor.py::test_many_bindings_become_one",
    ),
    (
        AST,
        "ExprMutator with a BlockBuilder, 1 -> n",
        ("relax_dialect.visitor.ExprMutator",),
        "test/unit/visitor/test_visitor.py::test_one_binding_becomes_many",
    ),
    (
        AST,
        "DataflowMutator",
        ("relax_dialect.visitor.DataflowMutator",),
        "test/unit/visitor/test_visitor.py::test_a_dataflow_mutator_leaves_the_rest_alone",
    ),
    (
        AST,
        "no recursion over the program",
        ("relax_dialect.visitor.ExprVisitor",),
        "test/unit/visitor/test_visitor.py::test_depth_takes_no_recursion",
    ),
    (
        AST,
        "eager inference of types and shapes",
        ("relax_dialect.builder.BlockBuilder",),
        "test/unit/builder/test_builder.py::test_calls_substitute_symbolic_variables",
    ),
    (
        RELAY,
        "a dataflow graph with a shared node, computed once",
        ("relax.graph",),
        f"{INTERPRET}/test_graph.py::test_a_shared_node_is_evaluated_once_and_a_dead_one_never",
    ),
    (
        RELAY,
        "Module, GlobalVar, call through a symbol",
        ("relax.call", "relax_dialect.ir.call_graph.CallGraph"),
        "test/unit/ir/test_call_graph.py::test_edges_recursion_and_reachability",
    ),
    (
        RELAY,
        "delayed declaration",
        ("relax.call",),
        f"{INTERPRET}/test_control.py::test_functions_call_functions_declared_later",
    ),
    (
        RELAY,
        "recursion: @myfunc",
        ("relax.call", "relax.if"),
        f"{INTERPRET}/test_control.py::test_the_recursive_function_of_the_document",
    ),
    (
        RELAY,
        "mutual recursion",
        ("relax.call",),
        f"{INTERPRET}/test_control.py::test_mutual_recursion",
    ),
    (
        RELAY,
        "loops, written as recursion: calls in tail position",
        ("relax.while", "relax-tail-calls-to-loops"),
        "test/unit/analysis/test_recursion.py::test_turns_give_what_calls_do",
    ),
    (
        RELAY,
        "polymorphic functions",
        ("relax-specialize-functions",),
        f"{REWRITES}/specialize_functions",
    ),
    (
        RELAY,
        "joint optimisation of functions: inlining",
        ("relax-inline-private-functions",),
        f"{REWRITES}/inline_private_functions",
    ),
    (
        RELAY,
        "let",
        ("relax.let",),
        f"{INTERPRET}/test_graph.py::test_a_let_fixes_the_place_of_evaluation",
    ),
    (
        RELAY,
        "if",
        ("relax.if",),
        f"{INTERPRET}/test_control.py::test_branches_of_different_sizes_join",
    ),
    (
        RELAY,
        "a closure that is returned: fn (%y) { add(y, log x) }",
        ("relax.closure", "relax.call_closure"),
        f"{FORMS}::test_a_let_decides_whether_a_closure_evaluates_at_each_call",
    ),
    (
        RELAY,
        "the same, returned to the caller of the program",
        ("relax.make_closure", "relax-defunctionalize"),
        "test/unit/lowering/test_function_values.py::"
        "test_a_function_is_returned_called_and_handed_back_in",
    ),
    (
        RELAY,
        "closures that are passed on",
        ("relax.closure", "relax.make_closure", "relax-lambda-lift"),
        f"{INTERPRET}/test_control.py::test_closures_are_passed_on_and_returned",
    ),
    (
        RELAY,
        "both forms of one program: dataflow and A-normal",
        ("relax-to-a-normal-form", "relax-to-graph-normal-form"),
        f"{FORMS}::test_conversions_compose",
    ),
    (
        RELAY,
        "scope of evaluation: a node used in only one branch",
        ("relax.graph",),
        f"{FORMS}::test_a_recursive_call_sinks_into_the_branch_that_needs_it",
    ),
    (
        BLOCKS,
        "graph form",
        ("relax.graph", "relax-to-graph-normal-form"),
        f"{REWRITES}/to_graph_normal_form",
    ),
    (BLOCKS, "A-normal form", ("relax-to-a-normal-form",), f"{REWRITES}/to_a_normal_form"),
    (
        BLOCKS,
        "ease of pattern matching: add(?, mul(?, ?)), nested or looked up through variables",
        ("relax_dialect.builder.BlockBuilder",),
        "test/unit/visitor/test_visitor.py::test_one_pattern_matches_in_both_forms",
    ),
    (
        BLOCKS,
        "structural equality: assert_structural_equal of the results of the conversions",
        ("relax_dialect.structural_equal", "relax_dialect.assert_structural_equal"),
        "test/unit/structural/test_structural.py::test_the_two_forms_of_the_document_become_each_other",
    ),
    (
        BLOCKS,
        "basic block normal form (D0)",
        ("relax-to-basic-block-normal-form",),
        f"{REWRITES}/to_basic_block_normal_form",
    ),
    (
        BLOCKS,
        "D1: a node belongs to one block",
        ("relax-check-basic-block-normal-form",),
        f"{ERRORS}/bbnf_D1_branch.mlir",
    ),
    (
        BLOCKS,
        "D2: a value used in several blocks is a variable",
        ("relax-check-basic-block-normal-form",),
        f"{ERRORS}/bbnf_D2_branches.mlir",
    ),
    (
        BLOCKS,
        "the discussion's case: used by the condition and by both branches",
        ("relax-check-basic-block-normal-form",),
        f"{ERRORS}/bbnf_D2_condition.mlir",
    ),
    (
        BLOCKS,
        "the ill-formed graph with effects",
        ("relax.graph",),
        f"{ERRORS}/graph_effect_order.mlir",
    ),
    (
        BLOCKS,
        "needless lets are removed; constants count like variables",
        ("relax-to-basic-block-normal-form",),
        f"{FORMS}::test_forms_are_what_their_names_say",
    ),
    (
        BLOCKS,
        "effects are separated into their own blocks",
        ("relax.binding_block", "relax-convert-to-dataflow"),
        f"{FORMS}::test_effects_and_matches_stay",
    ),
    (
        BLOCKS,
        "passes that work within a block",
        ("relax-cse", "relax-dce", "relax-fold-constant"),
        "test/unit/rewrites/test_passes.py",
    ),
    (
        BLOCKS,
        "the pipeline: block form, optimise, A-normal form, lower",
        ("relax-lower-through-normal-forms",),
        "test/unit/lowering/test_lower_through_normal_forms.py",
    ),
    (
        EMIT_TE,
        "create_prim_func of te.placeholder and te.compute",
        (
            "relax_dialect.te.create_prim_func",
            "relax_dialect.te.placeholder",
            "relax_dialect.te.compute",
        ),
        f"{TE_TESTS}::test_a_prim_func_of_tensor_expressions_is_that_of_tir",
    ),
    (
        EMIT_TE,
        "D0: a value of known symbolic shape is a te.Tensor",
        ("relax_dialect.builder.te_tensor",),
        f"{TE_TESTS}::test_key_goals",
    ),
    (
        EMIT_TE,
        "D0: an unknown shape needs a match before",
        ("relax.match_cast", "relax_dialect.builder.te_tensor"),
        f"{TE_TESTS}::test_an_unknown_shape_needs_a_match",
    ),
    (
        EMIT_TE,
        "D1: libraries of te functions",
        ("relax_dialect.BlockBuilder",),
        f"{TE_TESTS}::test_libraries_of_te_functions",
    ),
    (
        EMIT_TE,
        "D2: emit and emit_te make a prim func and a call of it",
        ("relax_dialect.BlockBuilder", "relax.call_tir"),
        f"{TE_TESTS}::test_the_document_from_top_to_bottom",
    ),
    (
        EMIT_TE,
        "static sizes: an argument of another shape is refused",
        ("relax_dialect.BlockBuilder",),
        f"{TE_TESTS}::test_static_sizes_of_the_document",
    ),
    (
        EMIT_TE,
        "dynamic shapes: 2 * floordiv(m, 2)",
        ("relax_dialect.te.floordiv", "relax_dialect.te.floormod"),
        f"{TE_TESTS}::test_the_dynamic_case",
    ),
    (
        EMIT_TE,
        "unbound variables are inferred, and added as parameters",
        ("relax_dialect.te.create_prim_func",),
        f"{TE_TESTS}::test_unbound_variables_are_inferred",
    ),
    (
        EMIT_TE,
        "call_tir_dyn(shape, f, inputs, ShapeExpr)",
        ("relax.call_tir", "relax_dialect.BlockBuilder"),
        f"{TE_TESTS}::test_dynamic_shape_case",
    ),
    (
        EMIT_TE,
        "the prim func that is written in TIR",
        ("relax.call_tir",),
        f"{TE_TESTS}::test_the_prim_func_of_tir_is_called",
    ),
    (
        EMIT_TE,
        "other considerations: compute as a macro of the text",
        ("relax.compute", "relax-expand-compute"),
        f"{TE_TESTS}::test_compute_as_a_macro_of_the_text",
    ),
    (
        EMIT_TE,
        "other considerations: values operate like te tensors",
        ("relax_dialect.te.compute",),
        f"{TE_TESTS}::test_values_are_read_as_tensors",
    ),
    (
        PATTERNS,
        "expr: a literal expression",
        ("relax_dialect.dpl.is_expr",),
        f"{PATTERN_TESTS}::test_expression_pattern",
    ),
    (
        PATTERNS,
        "*: any expression, and the other forms of the grammar",
        ("relax_dialect.dpl.wildcard", "relax_dialect.dpl.is_op"),
        f"{PATTERN_TESTS}::test_grammar",
    ),
    (
        PATTERNS,
        "has_type, has_attr, is_input: no match without them",
        ("relax_dialect.dpl.has_type", "relax_dialect.dpl.has_attr", "relax_dialect.dpl.is_input"),
        f"{PATTERN_TESTS}::test_what_is_not_matched",
    ),
    (
        PATTERNS,
        "pattern1 | pattern2",
        ("relax_dialect.dpl.AltPattern",),
        f"{PATTERN_TESTS}::test_match_op_or",
    ),
    (
        PATTERNS,
        "has_attr of an operator: TOpPattern",
        ("relax_dialect.dpl.AttrPattern", "relax_dialect.dpl.K_ELEMWISE"),
        f"{PATTERN_TESTS}::test_no_match_attr",
    ),
    (
        PATTERNS,
        "named(name, pattern)",
        ("relax_dialect.dpl.named",),
        f"{PATTERN_TESTS}::test_named_groups_are_found",
    ),
    (
        PATTERNS,
        "a diamond with two inputs",
        ("relax_dialect.dpl.is_op",),
        f"{PATTERN_TESTS}::test_match_diamond",
    ),
    (
        PATTERNS,
        "dominates(parent, path, child)",
        ("relax_dialect.dpl.dominates", "relax_dialect.dpl.DominatorPattern"),
        f"{PATTERN_TESTS}::test_match_dom_diamond",
    ),
    (
        PATTERNS,
        "domination: every path from the parent leads to the child",
        ("relax_dialect.dpl.dominates",),
        f"{PATTERN_TESTS}::test_what_leaves_the_diamond_is_no_diamond",
    ),
    (
        PATTERNS,
        "rewriting of matches",
        ("relax_dialect.dpl.rewrite", "relax_dialect.dpl.rule"),
        f"{PATTERN_TESTS}::test_diamonds_are_rewritten",
    ),
    (
        PATTERNS,
        "partitioning: matches become functions",
        ("relax_dialect.dpl.partition", "relax-fuse-ops-by-pattern"),
        f"{PATTERN_TESTS}::test_matches_become_functions",
    ),
    (
        PATTERNS,
        "extension: finite multiple outputs, pattern[i]",
        ("relax_dialect.dpl.TupleGetItemPattern", "relax_dialect.dpl.is_tuple_get_item"),
        f"{PATTERN_TESTS}::test_multi_output",
    ),
)


def page() -> str:
    """The page as text."""
    lines = [
        "# The documents' constructs",
        "",
        "Every construct of the five documents, the op, pass or class that carries it, and the "
        "test that proves it. Each of the five documents has a file of tests of its own, with its programs and the corners "
        "of its discussion on both levels: [test/unit/documents](../test/unit/documents).",
        "This page is generated: `python test/unit/support/constructs.py`.",
    ]
    document = None
    for row_document, construct, carriers, proof in ROWS:
        if row_document != document:
            document = row_document
            lines += [
                "",
                f"## {document}",
                "",
                "| construct | implemented by | tested by |",
                "|---|---|---|",
            ]
        named = ", ".join(f"`{carrier}`" for carrier in carriers)
        file, _, test = proof.partition("::")
        shown = f"{Path(file).name}: `{test}`" if test else file.removeprefix("test/")
        lines.append(f"| {construct} | {named} | [{shown}](../{file}) |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
