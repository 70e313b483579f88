"""Modules written as TVMScript, read again by us, and by TVM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from optional import amount, package, shortened

from lowering.legalize.relax_legalize import legalize
from lowering.tools import relax_opt, relax_translate
from lowering.tools.tvm_comparison.tvm_passes import names_of
from relax_dialect import RelaxError, assert_structural_equal, interpret, parse
from relax_dialect.frontends import tvmscript
from relax_dialect.frontends.tvmscript.writing.script_names import ScriptNames

PROGRAM = """
relax.func private @helper(%x: !relax.tensor<[n, 4], f32>, %s: !relax.shape<[n]>) -> !relax.tensor<[2 * n, 4], f32> {
  %c = relax.concat %x, %x {axis = 0 : i64} :
      (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[2 * n, 4], f32>
  relax.return %c : !relax.tensor<[2 * n, 4], f32>
}
relax.func @main(%if: !relax.tensor<[n, 4], f32>, %n: !relax.tensor<[], i1>) -> tuple<!relax.tensor<[n, 2], f32>, !relax.object>
    attributes {note = "kept", numbers = [1, 2.5, true]} {
  %gv, %other = relax.dataflow {
    %w = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %half = relax.constant dense<0.5> : tensor<f32>
    %a = relax.multiply %b, %half :
        (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
    %b = relax.add %if, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
    %l, %r = relax.split %a {sections = 2 : i64, axis = 1 : i64} :
        (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>)
    relax.output %l, %a : !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 4], f32>
  }
  %chosen = relax.if %n : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 2], f32> {
    %t = relax.tanh %gv : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.yield %t : !relax.tensor<[n, 2], f32>
  } else {
    relax.yield %gv : !relax.tensor<[n, 2], f32>
  }
  %shape = relax.shape [n]
  %long = relax.call @helper(%other, %shape) :
      (!relax.tensor<[n, 4], f32>, !relax.shape<[n]>) -> !relax.tensor<[2 * n, 4], f32>
  %m = relax.match_cast %long : !relax.tensor<[2 * n, 4], f32> -> !relax.tensor<[k, 4], f32>
  relax.print %m {format = "{}"} : (!relax.tensor<[k, 4], f32>) -> ()
  %object = relax.call_packed "f.g"(%m, "a\\"b", 3 : i64, f16) : (!relax.tensor<[k, 4], f32>) -> !relax.object
  %t = relax.tuple %chosen, %object :
      (!relax.tensor<[n, 2], f32>, !relax.object) -> tuple<!relax.tensor<[n, 2], f32>, !relax.object>
  relax.return %t : tuple<!relax.tensor<[n, 2], f32>, !relax.object>
}
"""  # fmt: skip

WRITTEN = """
    @R.function(pure=False)
    def main(if_: R.Tensor(("n", 4), dtype="float32"), n1: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor(("n", 2), dtype="float32"), R.Any):
        R.func_attr({"note": "kept", "numbers": [1, 2.5, True]})
        n = T.int64()
        k = T.int64()
        cls = Module
        with R.dataflow():
            w = metadata["ir.GenericConst"][0]
            half = R.const(0.5, "float32")
            b = R.add(if_, w)
            a = R.multiply(b, half)
            lv = R.split(a, indices_or_sections=2, axis=1)
            l = lv[0]
            r = lv[1]
            R.output(l, a)
        if n1:
            chosen = R.tanh(l)
        else:
            chosen = l
        shape = R.shape([n])
        long = cls.helper(a, shape)
        m = R.match_cast(long, R.Tensor((k, 4), dtype="float32"))
        R.print(m, format=R.str("{}"))
        object = R.call_packed("f.g", m, R.str('a"b'), R.prim_value(3), R.dtype("float16"), ty_args=(R.Any,))
        t = (chosen, object)
        return t
"""


def test_a_module_is_written_with_its_names_and_comes_back() -> None:
    module = parse(PROGRAM)
    before = str(module)
    text = tvmscript.dump(module)
    assert WRITTEN in text
    assert str(module) == before
    back = tvmscript.loads(text)
    assert tvmscript.dump(back) == text
    assert_structural_equal(tvmscript.loads(tvmscript.dump(back)), back)


def test_a_module_may_be_empty() -> None:
    text = tvmscript.dump(tvmscript.loads("@I.ir_module\nclass Module:\n    pass\n"))
    assert text.endswith("class Module:\n    pass\n") and not tvmscript.loads(text).body.ops.first


def test_constants_of_all_types_come_back() -> None:
    types = {
        "f64": "[1.5, -0.0]", "f32": "[0x7FC00000, 1.0]", "f16": "[1.0, 2.0]", "bf16": "[1.0, 2.0]", "i1": "[true, false]",
        "i8": "[-1, 2]", "ui8": "[255, 2]", "i64": "[-9223372036854775808, 1]", "f8E4M3FN": "[1.0, 2.0]",
    }  # fmt: skip
    for type, elements in types.items():
        text = f"""relax.func @main() -> !relax.tensor<[2], {type}> {{
          %c = relax.constant dense<{elements}> : tensor<2x{type}>
          relax.return %c : !relax.tensor<[2], {type}>
        }}"""
        module = parse(text)
        back = tvmscript.loads(tvmscript.dump(module))
        ours, theirs = (interpret.run(m, "main") for m in (module, back))
        assert (ours.dtype, ours.tobytes()) == (theirs.dtype, theirs.tobytes()), type


def test_what_tvm_cannot_say_is_listed_whole() -> None:
    refused = parse("""relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
      %e = relax.elu %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
      %m = relax.mish %e : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
      relax.return %m : !relax.tensor<[4], f32>
    }""")
    with pytest.raises(RelaxError) as error:
        tvmscript.dump(refused)
    mend = "make it a call of a prim func by relax-legalize"
    assert str(error.value).splitlines() == [
        f"relax.elu (%e): expected an operator that TVM has, found relax.elu; {mend}",
        f"relax.mish (%m): expected an operator that TVM has, found relax.mish; {mend}",
    ]


@pytest.mark.parametrize("type", ["f32", "i8", "ui8"])
def test_one_bound_becomes_two(type: str) -> None:
    tensor = f"!relax.tensor<[3], {type}>"
    module = parse(f"""relax.func @main(%x: {tensor}) -> {tensor} {{
      %a = relax.clip %x {{min = 2 : i64}} : ({tensor}) -> {tensor}
      %b = relax.clip %a {{max = 5 : i64}} : ({tensor}) -> {tensor}
      relax.return %b : {tensor}
    }}""")
    dtype = {"f32": "f4", "i8": "i1", "ui8": "u1"}[type]
    x = np.array([1, 3, np.inf if type == "f32" else 127], dtype)
    back = tvmscript.loads(tvmscript.dump(module))
    np.testing.assert_array_equal(interpret.run(back, "main", x), [2, 3, 5])


def test_a_branch_and_a_closure_bind_variables_of_one_name() -> None:
    known, some = "!relax.tensor<[n, 4], f32>", "!relax.tensor<[k, 4], f32>"
    module = parse(f"""relax.func @main(%c: !relax.tensor<[], i1>, %x: {known}) -> {known} {{
      %r = relax.if %c : (!relax.tensor<[], i1>) -> {known} {{
        %m = relax.match_cast %x : {known} -> {some}
        relax.yield %x : {known}
      }} else {{
        relax.yield %x : {known}
      }}
      %g = relax.closure [k] (%a: {some}) -> {some} {{
        relax.return %a : {some}
      }}
      %s = relax.call_closure %g, %r : (!relax.func<[k] ({some}) -> {some}>, {known}) -> {known}
      relax.return %s : {known}
    }}""")
    text = tvmscript.dump(module)
    lines = [line.strip() for line in text.splitlines()]
    assert lines.index("k = T.int64()") < lines.index("k1 = T.int64()")
    x = np.ones((2, 4), np.float32)
    back = tvmscript.loads(text)
    np.testing.assert_array_equal(interpret.run(back, "main", np.True_, x), x)


def test_branches_between_blocks_are_refused() -> None:
    looped = parse("""func.func private @f(%x: tensor<4xf32> {relax.dims = ["4"]}) -> tensor<4xf32> {
      cf.br ^end(%x : tensor<4xf32>)
    ^end(%y: tensor<4xf32>):
      func.return %y : tensor<4xf32>
    }""")
    with pytest.raises(RelaxError, match=r"f: expected bodies of one block, found func\.func with"):
        tvmscript.dump(looped)


def test_names_are_identifiers_and_stand_once() -> None:
    names = ScriptNames(["main"])
    wishes = ["x", "x", "if", "match", "0", "a.b", "main", "R", "x"]
    assert [names.new(w) for w in wishes] == [
        "x", "x1", "if_", "match", "v0", "a_b", "main1", "R1", "x2",
    ]  # fmt: skip


def test_relax_opt_writes_and_reads_scripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, script = tmp_path / "program.mlir", tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert relax_opt.main([str(path), "-t", "tvmscript"]) in (0, None)
    text = capsys.readouterr().out
    assert text == tvmscript.dump(parse(PROGRAM))
    script.write_text(text)
    assert relax_opt.main([str(script)]) in (0, None)
    assert_structural_equal(parse(capsys.readouterr().out), tvmscript.loads(text))
    script.write_text(text.replace("@R.function", "@R.functions", 1))
    assert relax_opt.main([str(script)]) == 1
    assert "program.py:25:6: error: expected @R.function" in capsys.readouterr().err


def test_graphs_become_bindings() -> None:
    type = "!relax.tensor<[n], f32>"
    text = tvmscript.dump(
        parse(f"""relax.func @main(%x: {type}) -> {type} {{
      %g = relax.graph {{
        %b = relax.tanh %a : ({type}) -> {type}
        %a = relax.exp %x : ({type}) -> {type}
        relax.output %b : {type}
      }}
      relax.return %g : {type}
    }}""")
    )
    assert text.endswith("        a = R.exp(x)\n        b = R.tanh(a)\n        return b\n")


def test_attributes_of_prim_funcs_come_back() -> None:
    attributes = '{"op_pattern": 2, "tirx.noalias": True}'
    text = f"""@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def zeros(y: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({attributes})
        for i in range(T.int64(4)):
            with T.sblock("y"):
                v_i = T.axis.spatial(T.int64(4), i)
                y[v_i] = T.float32(0.0)
    @R.function
    def main() -> R.Tensor((4,), dtype="float32"):
        cls = Module
        gv = R.call_tir(cls.zeros, R.tuple(), out_ty=R.Tensor((4,), dtype="float32"))
        return gv
"""
    written = tvmscript.dump(tvmscript.loads(text))
    assert f"T.func_attr({attributes})" in written
    assert "R.call_tir(cls.zeros, R.tuple(), out_ty=" in written


SUM = """
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %gv = relax.dataflow {
    %a = relax.constant dense<1.0> : tensor<4xf32>
    %b = relax.exp %a : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
    %c = relax.add %x, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %c : !relax.tensor<[n, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, 4], f32>
}
"""  # fmt: skip


def test_the_names_of_passes_are_ours_and_tvms() -> None:
    for ours, theirs in (
        ("relax-dce", "DeadCodeElimination"),
        ("relax-fold-constant", "FoldConstant"),
    ):
        assert names_of(ours) == names_of(theirs) == (ours, theirs)


def test_passes_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package("tvm")
    path = tmp_path / "sum.mlir"
    path.write_text(SUM)
    for name, told in {
        "ToNonDataflow": "relax-to-non-dataflow and TVM's ToNonDataflow produce the same module",
        "relax-fold-constant": "relax-fold-constant and TVM's FoldConstant produce modules of other forms",
    }.items():
        assert relax_translate.main(["--check-tvm", name, str(path)]) == 0
        assert told in capsys.readouterr().out
    assert relax_translate.main(["--check-tvm", "FoldConstants", str(path)]) == 1
    assert "the nearest is FoldConstant" in capsys.readouterr().err


@shortened
def test_modules_of_tvm_come_back_as_they_were() -> None:
    """Those that `tvm_corpus.py` makes in an instant; by hand it tries some 2,000."""
    package("tvm")
    from tvm_corpus import EQUAL, fate
    from tvm_modules import nn_modules, testing_modules
    from tvm_scripts import script

    found = [*testing_modules(), *nn_modules()][:: amount(5, 9)]
    scripts = {name: script(module) for name, module in found}
    scripts.pop("nn_KVCache", None)  # TVM does not read its own text of it
    fates = {name: fate(text) for name, text in scripts.items()}
    assert len(fates) >= amount(15, 8)
    wrong = {name: told for name, told in fates.items() if told != (EQUAL, "")}
    assert not wrong


def test_sizes_are_arguments_of_prim_funcs() -> None:
    """TVM's prim funcs take as numbers what no tensor tells."""
    module = parse("""relax.func @main(%s: !relax.shape<[n, m]>) -> !relax.tensor<[n, 2 * m], f32> {
      %y = relax.call_tir @full()[n, m] : () -> !relax.tensor<[n, 2 * m], f32>
      relax.return %y : !relax.tensor<[n, 2 * m], f32>
    }
    func.func private @full(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"})
        -> (tensor<?x?xf32> {relax.dims = ["n", "2 * m"]}) {
      %two = arith.constant 2 : index
      %k = arith.muli %two, %m : index
      %one = arith.constant 1.0 : f32
      %e = tensor.empty(%n, %k) : tensor<?x?xf32>
      %r = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      func.return %r : tensor<?x?xf32>
    }""")
    text = tvmscript.dump(module)
    assert "y = R.call_tir(cls.full, (n, m), out_ty=R.Tensor((n, m * 2)" in text
    back = tvmscript.loads(text)
    assert "y = R.call_tir(cls.full, (n, m), out_ty=R.Tensor((n, m * 2)" in tvmscript.dump(back)
    np.testing.assert_array_equal(interpret.run(back, "main", (2, 3)), np.ones((2, 6)))


F, N, B = "!relax.tensor<[?], f32>", "!relax.tensor<[n, m], f32>", "!relax.tensor<[], i1>"
PAIR, WIDE, S, P, G, Q = (
    "!relax.tensor<[2], i32>",
    "!relax.tensor<[2], ui64>",
    "!relax.tensor<[m], f32>",
    "!relax.tensor<[1, n, 3, 3], f32>",
    "!relax.tensor<[?, m], f32>",
    "tuple<i64, i64>",
)
C, Z = "!relax.tensor<[], f32>", "!relax.tensor<[], i8>"
REFUSED = {
    f"%r = relax.gather_nd %x, %w : ({N}, {WIDE}) -> !relax.tensor<[], f32>": "relax.gather_nd (%r): expected "
    f"elements of type i64, as TVM's R.gather_nd asks for, found {WIDE}; convert them by relax.astype",
    f"%r = relax.index_put %x, %i, %x : ({N}, {PAIR}, {N}) -> {N}": "relax.index_put (%r): expected indices for "
    "each of 2 dimensions, as TVM's R.index_put asks for, found 1; make it a call of a prim func by relax-legalize",
    "%r = relax.stack %u {axis = 0 : i64} : (!relax.tensor<*>) -> !relax.tensor<*>": "relax.stack (%r): expected "
    "known ranks and element types, as TVM's R.stack asks for, found !relax.tensor<*>; match it with them by "
    "relax.match_cast",
    f"%r = relax.pixel_shuffle %p {{upscale_factor = 2 : i64}} : ({P}) -> !relax.tensor<[1, ?, 6, 6], f32>":
    f"relax.pixel_shuffle (%r): expected channels whose number is known, as TVM's R.nn.pixel_shuffle asks for, found {P}; "
    "make it a call of a prim func by relax-legalize",
    "%r = relax.outer %u, %u : (!relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<[?, ?]>": "relax.outer (%r): "
    "expected known ranks and element types, as TVM's R.outer asks for, found !relax.tensor<*>; match it with them "
    "by relax.match_cast",
    f"%r = relax.ewise_fma %x, %g, %s : ({N}, {G}, {S}) -> {G}": "relax.ewise_fma (%r): expected operands of one rank, "
    "as TVM's R.ewise_fma asks for, found [2, 2, 1]; make it a call of a prim func by relax-legalize",
    "%r = relax.constant dense<1> : tensor<2xi4>": "relax.constant (%r): expected elements of at least a byte, "
    "found i4; cast the constant to a wider type",
    f"%r = relax.match_cast %q : {Q} -> tuple<!relax.prim<k>, i64>": "relax.match_cast (%r): expected numbers that "
    "are matched with sizes one by one, found tuple<!relax.prim<k>, i64>; take each by relax.tuple_get_item",
    f"%r = relax.quantize %x, %c, %z {{axis = 0 : i64, out_dtype = i4}} : ({N}, {C}, {Z}) -> !relax.tensor<[n, m], i4>":
    "relax.quantize (%r): expected elements of type i8, ui8, i16, ui16, f8E4M3FN or f8E5M2, as TVM's R.quantize "
    "asks for, found i4; make it a call of a prim func by relax-legalize",
    "%a, %b, %d = relax.split %m {indices = array<i64: 2, 1>, axis = 0 : i64} : (!relax.tensor<[4], f32>) -> "
    "(!relax.tensor<[2], f32>, !relax.tensor<[0], f32>, !relax.tensor<[3], f32>)": "relax.split (%a, %b, %d): "
    "expected increasing indices inside of the axis, as TVM's R.split asks for, found [2, 1]; slice the parts by "
    "relax.strided_slice",
    "%e = tensor.empty() : tensor<4xf32>": "tensor.empty (%e): expected an operator that TVM has, found "
    "tensor.empty; make prim funcs of such ops by relax-outline-tensor-ops, loops by relax-convert-scf-to-relax",
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_what_tvm_asks_for_is_refused_by_name(line: str) -> None:
    module = parse(f"""relax.func @main(%x: {N}, %i: {PAIR}, %u: !relax.tensor<*>, %p: {P}, %s: {S}, %w: {WIDE},
        %g: {G}, %q: {Q}, %c: {C}, %z: {Z}, %m: !relax.tensor<[4], f32>) -> {N} {{
      {line}
      relax.return %x : {N}
    }}""")
    with pytest.raises(RelaxError) as error:
        tvmscript.dump(module)
    assert str(error.value) == REFUSED[line]


def test_expressions_that_grow_without_end_are_refused() -> None:
    """Each of the rounds of random numbers uses what the one before has made twice."""
    module = parse("""relax.func @main(%k: !relax.tensor<[], i64>) -> !relax.tensor<[2], f32> {
      %s = relax.shape [2]
      %r = relax.random_uniform %k, %s : (!relax.tensor<[], i64>, !relax.shape<[2]>) -> !relax.tensor<[2], f32>
      relax.return %r : !relax.tensor<[2], f32>
    }""")
    legalize(module)
    with pytest.raises(
        RelaxError, match="expected at most 65536 characters for the expression of an element"
    ):
        tvmscript.dump(module)


@pytest.mark.parametrize("depth", [97, 98])
def test_branches_nest_as_deep_as_python_takes(depth: int) -> None:
    text = f"relax.yield %x : {F}"
    for _ in range(depth - 1):
        text = (
            f"%r = relax.if %c : ({B}) -> {F} {{ {text} }} else {{ relax.yield %x : {F} }}\n"
            f"relax.yield %r : {F}"
        )
    text = text.rpartition("\n")[0]
    module = parse(
        f"relax.func @main(%x: {F}, %c: {B}) -> {F} {{ {text}\n relax.return %r : {F} }}"
    )
    if depth == 97:
        assert tvmscript.dump(tvmscript.loads(tvmscript.dump(module))) == tvmscript.dump(module)
        return
    with pytest.raises(RelaxError, match="expected at most 97 levels of branches") as error:
        tvmscript.dump(module)
    assert str(error.value).count("\n") == 0


def test_branches_have_variables_of_their_own() -> None:
    """Both branches bind k, and so does what follows: for TVM these are three."""
    cast = f"relax.match_cast %x : {F} -> !relax.tensor<[k], f32>"
    module = parse(f"""relax.func @main(%x: {F}, %c: {B}) -> {F} {{
      %r = relax.if %c : ({B}) -> {F} {{
        %a = {cast}
        relax.yield %a : !relax.tensor<[k], f32>
      }} else {{
        %b = {cast}
        relax.yield %b : !relax.tensor<[k], f32>
      }}
      %d = {cast}
      %s = relax.add %r, %d : ({F}, !relax.tensor<[k], f32>) -> {F}
      relax.return %s : {F}
    }}""")
    text = tvmscript.dump(module)
    assert [f"({name},)" in text for name in ("k", "k1", "k2", "k3")] == [True, True, True, False]
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(interpret.run(tvmscript.loads(text), "main", x, np.True_), x + x)


@pytest.mark.slow
@shortened
def test_programs_of_ours_come_back() -> None:
    """A sample of those that `tvm_programs.py` tries; and what they compute, by TVM and by us."""
    package("tvm")
    from tvm_programs import AGREE, STAGES, WAYS_BACK, fates_of, programs, values_of

    found = list(programs("filecheck/rewrites/"))[:: amount(10, 20)]
    fates = fates_of(found)
    written = [name for name, (stage, _) in fates.items() if stage != STAGES[0]]
    back = [name for name in written if fates[name][0] in WAYS_BACK]
    assert len(back) >= amount(18, 8) and len(written) - len(back) <= max(1, len(written) // 20)
    computed = values_of([case for case in found if case[0] in back][:: amount(2, 6)]).values()
    assert not [told for told in computed if told.startswith("differs")]
    assert sum(told == AGREE for told in computed) >= amount(5, 1)


def test_a_function_value_comes_back_where_it_is_bound() -> None:
    """A name of a function that is never called is a value at its own statement."""
    function = "!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>"
    module = parse(f"""
    relax.func @main(%x: {F}) -> !relax.object {{
      %f = relax.make_closure @own() : () -> {function}
      %y = relax.call @own(%x) : ({F}) -> {F}
      %t = relax.tuple %f, %y : ({function}, {F}) -> tuple<{function}, {F}>
      relax.return %t : tuple<{function}, {F}>
    }}
    relax.func private @own(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {{
      relax.return %x : !relax.tensor<[k], f32>
    }}""")
    text = tvmscript.dump(module)
    assert text.index("f = cls.own") < text.index("y = cls.own(x)")
    assert_structural_equal(tvmscript.loads(text), module)
