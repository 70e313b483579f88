"""The analyses on small programs, each against what can be read off the text."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp as PrimFunc
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.pipeline import lower
from relax_dialect import analysis, parse, symbolic
from relax_dialect.analysis import BaseCheckResult
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import DataflowOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.regions import functions

T = "!relax.tensor<[n], f32>"

PROGRAM = f"""
relax.func @main(%x: {T}, %w: {T}) -> {T} {{
  %gv = relax.dataflow {{
    %lv0 = relax.add %x, %w : ({T}, {T}) -> {T}
    %lv1 = relax.exp %lv0 : ({T}) -> {T}
    %lv2 = relax.multiply %lv1, %lv0 : ({T}, {T}) -> {T}
    relax.output %lv2 : {T}
  }}
  %f = relax.closure (%a: {T}) -> {T} {{
    %c = relax.add %a, %w : ({T}, {T}) -> {T}
    relax.return %c : {T}
  }}
  %r = relax.call_closure %f, %gv : (!relax.func<({T}) -> {T}>, {T}) -> {T}
  relax.return %r : {T}
}}
"""


def names(values: object) -> list[str | None]:
    return [value.name_hint for value in values]  # pyright: ignore


def main(text: str) -> FuncOp:
    return functions(parse(text))[0]


def op_named(func: FuncOp, name: str) -> Operation:
    return next(op for op in walk_ops(func) if op.name == name)


def test_variables_of_a_function():
    func = main(PROGRAM)
    everything = ["x", "w", "gv", "lv0", "lv1", "lv2", "f", "a", "c", "r"]
    assert sorted(names(analysis.bound_vars(func))) == sorted(everything)  # pyright: ignore
    assert analysis.free_vars(func) == []
    assert analysis.all_vars(func) == analysis.bound_vars(func)
    used = ["x", "w", "lv0", "lv1", "lv2", "a", "c", "f", "gv", "r"]
    assert names(analysis.used_vars(func)) == used


def test_variables_of_a_binding_and_of_a_block():
    func = main(PROGRAM)
    closure = op_named(func, "relax.closure")
    assert names(analysis.bound_vars(closure)) == ["a", "c"]
    assert names(analysis.free_vars(closure)) == ["w"]
    assert names(analysis.all_vars(closure)) == ["w", "a", "c"]
    assert names(analysis.used_vars(closure)) == ["a", "w", "c"]
    assert names(analysis.free_vars(op_named(func, "relax.dataflow"))) == ["x", "w"]
    assert names(analysis.free_vars(op_named(func, "relax.multiply"))) == ["lv1", "lv0"]


def test_use_def_chain():
    block = op_named(main(PROGRAM), "relax.dataflow")
    assert isinstance(block, DataflowOp)
    chain = analysis.udchain(block)
    assert {value.name_hint: names(users) for value, users in chain.items()} == {
        "x": ["lv0"],
        "w": ["lv0"],
        "lv0": ["lv1", "lv2"],
        "lv1": ["lv2"],
        "lv2": ["gv"],
        "gv": [],
    }


def test_what_variables_are_bound_to():
    func = main(PROGRAM)
    found = {value.name_hint: op.name for value, op in analysis.get_var2val(func).items()}
    assert found["gv"] == "relax.multiply", "a block's result is what the block passes out"
    assert found["f"] == "relax.closure" and found["c"] == "relax.add"
    assert "x" not in found
    assert [op.name for op in analysis.name_to_binding(func)["lv1"]] == ["relax.exp"]


def test_a_block_that_passes_on_a_parameter_is_its_binding():
    func = main(
        f"""relax.func @main(%x: {T}) -> {T} {{
          %y = relax.dataflow {{ relax.output %x : {T} }}
          relax.return %y : {T}
        }}"""
    )
    assert [op.name for op in analysis.get_var2val(func).values()] == ["relax.dataflow"]


SYMBOLS = f"""
relax.func @main(%x: {T}, %u: !relax.tensor<[?], f32>) -> !relax.object {{
  %f = relax.closure [k] (%a: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {{
    relax.return %a : !relax.tensor<[k], f32>
  }}
  %m = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[p], f32>
  %z = relax.concat %m, %x {{axis = 0 : i64}} : (!relax.tensor<[p], f32>, {T}) -> !relax.tensor<[n + p], f32>
  relax.return %z : !relax.tensor<[n + p], f32>
}}
"""


def test_symbolic_variables():
    func = main(SYMBOLS)
    assert sorted(analysis.defined_symbolic_vars(func)) == ["k", "n", "p"]
    assert analysis.free_symbolic_vars(func) == []
    assert sorted(analysis.free_symbolic_vars(op_named(func, "relax.concat"))) == ["n", "p"]
    assert analysis.free_symbolic_vars(op_named(func, "relax.closure")) == []
    assert analysis.bound_symbolic_vars(op_named(func, "relax.match_cast")) == ["p"]


def type_of(text: str) -> Attribute:
    return (
        main(
            f"relax.func @f(%x: {text}, %s: !relax.shape<[m, n]>) -> {text} {{ relax.return %x : {text} }}"
        )
        .body.block.args[0]
        .type
    )


MIXED = "tuple<!relax.tensor<[n, 2 * m, 4], f32>, !relax.shape<[n, m]>, !relax.tensor<*>>"


def test_sizes_in_types():
    mixed = type_of(MIXED)
    assert analysis.definable_tir_vars_in_struct_info(mixed) == ["n", "m"]
    assert analysis.tir_vars_in_struct_info(type_of("!relax.tensor<[n + m], f32>")) == ["m", "n"]
    assert analysis.definable_tir_vars_in_struct_info(type_of("!relax.tensor<[n + m], f32>")) == []
    assert list(map(str, analysis.collect_non_negative_expressions(mixed))) == ["n", "2 * m", "m"]
    assert analysis.collect_non_negative_expressions(type_of(f"!relax.func<({T}) -> {T}>")) == []


def test_types_without_sizes():
    assert analysis.get_static_type(type_of(MIXED)) == type_of(
        "tuple<!relax.tensor<[?, ?, ?], f32>, !relax.shape<[?, ?]>, !relax.tensor<*>>"
    )
    unknown = "!relax.tensor<[?], f32>"
    assert analysis.get_static_type(
        type_of(f"!relax.func<[k] (!relax.tensor<[k], f32>) -> {T}, impure>")
    ) == (type_of(f"!relax.func<({unknown}) -> {unknown}, impure>"))


def test_erasing_variables():
    type = type_of("!relax.tensor<[n, n + m, 4], f32>")
    assert analysis.erase_to_well_defined(type) == type_of("!relax.tensor<[?, ?, 4], f32>")
    known = {"n": symbolic.const(3)}
    assert analysis.erase_to_well_defined(type, known) == type_of("!relax.tensor<[3, ?, 4], f32>")


@pytest.mark.parametrize(
    ("base", "derived", "expected"),
    [
        ("!relax.object", T, "PASS"),
        ("!relax.tensor<[?], f32>", T, "PASS"),
        (T, "!relax.tensor<[?], f32>", "FAIL_L2"),
        (T, "!relax.tensor<[m], f32>", "FAIL_L2"),
        (T, "!relax.tensor<*, f32>", "FAIL_L1"),
        (T, "!relax.tensor<[n]>", "FAIL_L1"),
        (T, "!relax.object", "FAIL_L1"),
        (T, "!relax.tensor<[n], f16>", "FAIL_L0"),
        (T, "!relax.shape<[n]>", "FAIL_L0"),
        ("!relax.tensor<[2]>", "!relax.tensor<[3]>", "FAIL_L0"),
    ],
)
def test_comparing_types(base: str, derived: str, expected: str):
    assert (
        analysis.struct_info_base_check(type_of(base), type_of(derived))
        is BaseCheckResult[expected]
    )


def test_the_least_common_ancestor_of_types():
    assert analysis.struct_info_lca(type_of(T), type_of("!relax.tensor<[4], f32>")) == type_of(
        "!relax.tensor<[?], f32>"
    )
    assert analysis.struct_info_lca(type_of(T), type_of("!relax.shape<[n]>")) == type_of(
        "!relax.object"
    )


CALLS = f"""
relax.func @main(%x: {T}) -> {T} {{
  %a = relax.call @even(%x) : ({T}) -> {T}
  %f = relax.make_closure @says() : () -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>, impure>
  %u = relax.exp %x : ({T}) -> {T}
  relax.return %a : {T}
}}
relax.func private @even(%x: {T}) -> {T} {{
  %a = relax.call @odd(%x) : ({T}) -> {T}
  relax.return %a : {T}
}}
relax.func private @odd(%x: {T}) -> {T} {{
  %a = relax.call @even(%x) : ({T}) -> {T}
  relax.return %a : {T}
}}
relax.func private @again(%x: {T}) -> {T} {{
  %a = relax.call @again(%x) : ({T}) -> {T}
  relax.return %a : {T}
}}
relax.func @says(%x: {T}) -> {T} {{
  relax.print %x {{format = "{{}}"}} : ({T}) -> ()
  relax.return %x : {T}
}}
relax.func @through(%x: {T}) -> {T} {{
  %y = relax.binding_block {{
    %e = relax.exp %x : ({T}) -> {T}
    %a = relax.call @says(%e) : ({T}) -> {T}
    relax.output %a : {T}
  }}
  relax.return %y : {T}
}}
relax.func @waits(%x: {T}) -> !relax.object {{
  %f = relax.closure (%a: {T}) -> {T} impure {{
    relax.print %a {{format = "{{}}"}} : ({T}) -> ()
    relax.return %a : {T}
  }}
  relax.return %f : !relax.func<({T}) -> {T}, impure>
}}
"""


def test_functions_and_calls():
    module = parse(CALLS)
    assert analysis.detect_recursion(module) == [["again"], ["even", "odd"]]
    func = functions(module)[0]
    assert analysis.all_global_vars(func) == ["even", "says"]
    assert analysis.called_global_vars(func) == ["even"]


def test_effects():
    by_name = {f.sym_name.data: f for f in functions(parse(CALLS))}
    impure = {name for name, f in by_name.items() if analysis.contains_impure_call(f)}
    assert impure == {"says", "through"}
    found = {name: analysis.find_impure_call(f) for name, f in by_name.items()}
    assert {name for name, op in found.items() if op is not None} == impure
    assert found["through"] is not None and found["through"].name == "relax.call"


def test_removing_what_is_unused():
    module = parse(CALLS)
    func = functions(module)[0]
    analysis.remove_all_unused(func)
    assert [op.name for op in func.body.block.ops] == ["relax.call", "relax.return"]
    analysis.remove_all_unused(module)
    assert "again" not in {f.sym_name.data for f in functions(module)}


def test_well_formed():
    module = parse(PROGRAM)
    func = functions(module)[0]
    assert analysis.well_formed(module) and analysis.well_formed(func)
    add, exp = op_named(func, "relax.add"), op_named(func, "relax.exp")
    add.operands = [exp.results[0], exp.results[0]]  # a cycle
    assert not analysis.well_formed(func) and not analysis.well_formed(module)


COMPILE_TIME = f"""
relax.func @main(%x: {T}, %w: !relax.tensor<[k], f32>, %v: !relax.tensor<[n * n], f32>) -> !relax.object
    attributes {{num_input = 1 : i64}} {{
  %y, %z = relax.dataflow {{
    %late = relax.add %early, %early : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
    %early = relax.exp %w : (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
    %sized = relax.exp %v : (!relax.tensor<[n * n], f32>) -> !relax.tensor<[n * n], f32>
    %run = relax.exp %x : ({T}) -> {T}
    %both = relax.tuple %run, %sized : ({T}, !relax.tensor<[n * n], f32>) -> tuple<{T}, !relax.tensor<[n * n], f32>>
    relax.output %late, %both : !relax.tensor<[k], f32>, tuple<{T}, !relax.tensor<[n * n], f32>>
  }}
  %c = relax.constant dense<1.0> : tensor<2xf32>
  %m = relax.match_cast %w : !relax.tensor<[k], f32> -> !relax.tensor<[j], f32>
  %same = relax.match_cast %w : !relax.tensor<[k], f32> -> !relax.tensor<[n], f32>
  relax.print %c {{format = "{{}}"}} : (!relax.tensor<[2], f32>) -> ()
  %o = relax.call_packed "effect"(%c) : (!relax.tensor<[2], f32>) -> !relax.object
  %t = relax.tuple %y, %m : (!relax.tensor<[k], f32>, !relax.tensor<[j], f32>) -> tuple<!relax.tensor<[k], f32>, !relax.tensor<[j], f32>>
  relax.return %t : tuple<!relax.tensor<[k], f32>, !relax.tensor<[j], f32>>
}}
"""


def test_computable_at_compile_time():
    """Not what a run-time size decides (`sized`, `same`), nor effects; whatever the order of the text."""
    func = main(COMPILE_TIME)
    assert names(analysis.computable_at_compile_time(func)) == ["early", "late", "y", "c", "m", "t"]
    assert names(analysis.computable_at_compile_time(func, 3)) == ["c"]
    everything = names(analysis.computable_at_compile_time(func, 0))
    assert {"both", "same", "z"} <= set(everything) and "o" not in everything


VIEWS = """
relax.func @main(%x: !relax.tensor<[n, 4, 6], f32>) -> !relax.object {
  %s = relax.shape [n, 3, 8]
  %a = relax.reshape %x, %s : (!relax.tensor<[n, 4, 6], f32>, !relax.shape<[n, 3, 8]>) -> !relax.tensor<[n, 3, 8], f32>
  %b = relax.flatten %a : (!relax.tensor<[n, 3, 8], f32>) -> !relax.tensor<[24 * n], f32>
  %c = relax.expand_dims %b {axis = array<i64: 0>} : (!relax.tensor<[24 * n], f32>) -> !relax.tensor<[1, 24 * n], f32>
  %d = relax.squeeze %c {axis = array<i64: 0>} : (!relax.tensor<[1, 24 * n], f32>) -> !relax.tensor<[24 * n], f32>
  %e = relax.permute_dims %x {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[n, 4, 6], f32>) -> !relax.tensor<[n, 6, 4], f32>
  %f = relax.exp %d : (!relax.tensor<[24 * n], f32>) -> !relax.tensor<[24 * n], f32>
  %g = relax.flip %f {axis = 0 : i64} : (!relax.tensor<[24 * n], f32>) -> !relax.tensor<[24 * n], f32>
  %h = relax.add %g, %g : (!relax.tensor<[24 * n], f32>, !relax.tensor<[24 * n], f32>) -> !relax.tensor<[24 * n], f32>
  %i = relax.broadcast_to %e, %t : (!relax.tensor<[n, 6, 4], f32>, !relax.shape<[2, n, 6, 4]>) -> !relax.tensor<[2, n, 6, 4], f32>
  %r = relax.tuple %h, %i : (!relax.tensor<[24 * n], f32>, !relax.tensor<[2, n, 6, 4], f32>) -> tuple<!relax.tensor<[24 * n], f32>, !relax.tensor<[2, n, 6, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[24 * n], f32>, !relax.tensor<[2, n, 6, 4], f32>>
}
""".replace("  %s = ", "  %t = relax.shape [2, n, 6, 4]\n  %s = ")


def prim_funcs(module: ModuleOp) -> dict[str, PrimFunc]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, PrimFunc)}


def test_reshapes_are_recognized():
    module = parse(VIEWS)
    legalized = prim_funcs(lower(module, ["relax-legalize"]))
    found = {name for name, f in legalized.items() if analysis.has_reshape_pattern(f)}
    assert found == {"reshape", "flatten", "expand_dims", "squeeze"}
    assert {"permute_dims", "exp", "flip", "broadcast_to"} <= set(legalized)


def prim(body: str, result: str) -> PrimFunc:
    text = f"func.func @f(%x: tensor<4x6xf32>) -> {result} {{ {body} func.return %y : {result} }}"
    return prim_funcs(parse(text))["f"]


@pytest.mark.parametrize(
    ("index", "expected"),
    [("%i", True), ("%shifted", False), ("%reversed", False)],
)
def test_reshapes_written_by_hand(index: str, expected: bool):
    func = prim(
        f"""
        %e = tensor.empty() : tensor<24xf32>
        %y = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
            outs(%e : tensor<24xf32>) {{
        ^bb0(%o: f32):
          %i = linalg.index 0 : index
          %c1 = arith.constant 1 : index
          %c6 = arith.constant 6 : index
          %c23 = arith.constant 23 : index
          %shifted = arith.addi %i, %c1 : index
          %reversed = arith.subi %c23, %i : index
          %row = arith.divui {index}, %c6 : index
          %column = arith.remui {index}, %c6 : index
          %v = tensor.extract %x[%row, %column] : tensor<4x6xf32>
          linalg.yield %v : f32
        }} -> tensor<24xf32>
        """,
        "tensor<24xf32>",
    )
    assert analysis.has_reshape_pattern(func) is expected


def test_views_are_reshapes_and_values_are_not():
    view = "%y = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>"
    assert analysis.has_reshape_pattern(prim(view, "tensor<24xf32>"))
    assert not analysis.has_reshape_pattern(
        prim("%y = tensor.empty() : tensor<24xf32>", "tensor<24xf32>")
    )


@pytest.mark.parametrize("new", ["n * m * k", "n, m * k", "m, n * k"])
def test_merged_symbolic_dimensions_are_reshapes(new: str):
    types = "!relax.tensor<[n, m, k], f32>", f"!relax.tensor<[{new}], f32>"
    text = f"""relax.func @main(%x: {types[0]}) -> {types[1]} {{
  %s = relax.shape [{new}]
  %y = relax.reshape %x, %s : ({types[0]}, !relax.shape<[{new}]>) -> {types[1]}
  relax.return %y : {types[1]}
}}"""
    (func,) = prim_funcs(lower(parse(text), ["relax-legalize"])).values()
    assert analysis.has_reshape_pattern(func)


def test_a_function_that_writes_to_memory_is_none():
    text = "func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) { func.return }"
    (func,) = parse(text).body.block.ops
    assert isinstance(func, PrimFunc)
    assert not analysis.has_reshape_pattern(func)


def test_every_name_is_exported_and_explained():
    for name in analysis.__all__:
        assert getattr(analysis, name).__doc__, name


def test_variables_are_values():
    assert all(isinstance(v, SSAValue) for v in analysis.all_vars(main(PROGRAM)))
