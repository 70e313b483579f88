"""From names to their definitions, uses and meanings: values, symbols, blocks, aliases, symbolic variables."""

from __future__ import annotations

import pytest
from programs import marked, read

from relax_dialect.dialect import Relax
from relax_dialect.lsp import documentation, navigation
from relax_dialect.lsp.completion import Proposed, completion
from relax_dialect.lsp.hover import hover
from relax_dialect.lsp.size_variables import WORDS, written_sizes
from relax_dialect.symbolic import parse as parse_size

PROGRAM = marked(
    """// a comment
#map = affine_map<(d0) -> (d0)>
«alias:!t» = !relax.tensor<[3], f32>
relax.func private @«callee_name:»helper(%h: «alias:!t») -> «alias:!t» {
  relax.return %h : «alias:!t»
}
relax.func @main(«x:%x»: !relax.tensor<[«n:n», 4], f32>, %w: !relax.tensor<[2 * «n:n», «k:k»], f32>) -> !relax.object {
  «block:%y» = relax.dataflow {
    «exp:%0» = «op:relax.exp» «x:%x» : (!relax.tensor<[«n:n», 4], f32>) -> !relax.tensor<[«n:n», 4], f32>
    %1 = relax.softmax «exp:%0» {«attribute:axis» = -1} : (!relax.tensor<[«n:n», 4], f32>) -> !relax.tensor<[«n:n», 4], f32>
    relax.output %1 : !relax.tensor<[«n:n», 4], f32>
  }
  %c = relax.«cast:»match_cast «block:%y» : !relax.tensor<[«n:n», 4], f32> -> !relax.tensor<[«m:m», 4], f32>
  %s = relax.shape [«m:m» + «n:n» floordiv 2, «k:k»]
  %g = relax.closure [«j:j»] (%v: !relax.tensor<[«j:j», «n:n»], f32>) -> !relax.tensor<[«j:j», «n:n»], f32> {
    relax.return %v : !relax.tensor<[«j:j», «n:n»], f32>
  }
  %t = relax.tuple %g, %c : (!relax.func<[«bound:j»] (!relax.tensor<[«bound:j», «n:n»], f32>) -> !relax.tensor<[«bound:j», «n:n»], f32>>, !relax.tensor<[«m:m», 4], f32>) -> tuple<!relax.func<[j] (!relax.tensor<[j, «n:n»], f32>) -> !relax.tensor<[j, «n:n»], f32>>, !relax.tensor<[«m:m», 4], f32>>
  %q = relax.constant dense<1.0> : tensor<3xf32>
  %r = relax.call «callee:@helper»(%q) : («alias:!t») -> «alias:!t»
  relax.return %r : «alias:!t»
}
func.func @low(%a: memref<4xf32>, %i: index) {
  %two:2 = "test.op"(«i:%i») : (index) -> (index, index)
  cf.br «end:^end»(%two#1 : index)
«end:^end»(«b:%b»: index):
  %e = memref.load %a[«b:%b»] : memref<4xf32>
  func.return
}
"""
)
DOCUMENT = PROGRAM.read()


def shown(name: str) -> str:
    """The text of a hover over a mark."""
    found = hover(DOCUMENT, PROGRAM.at(name))
    assert found is not None
    return found[1]


def test_the_program_has_no_errors():
    assert [fault.message for fault in DOCUMENT.faults] == []


@pytest.mark.parametrize(
    "name", ["x", "block", "exp", "n", "k", "m", "j", "bound", "alias", "end", "b"]
)
def test_a_name_leads_to_all_its_places_and_each_to_its_definition(name: str):
    spans = PROGRAM.spans[name]
    for start, end in spans:
        assert navigation.references(DOCUMENT, start) == spans
        assert navigation.references(DOCUMENT, end, with_definition=False) == _uses(spans, name)
        assert navigation.definition(DOCUMENT, end) == _defined(spans, name)


def _defined(spans: list[tuple[int, int]], name: str) -> tuple[int, int]:
    """The first place, but for blocks, which are named by jumps before."""
    return spans[-1] if name == "end" else spans[0]


def _uses(spans: list[tuple[int, int]], name: str) -> list[tuple[int, int]]:
    return [span for span in spans if span != _defined(spans, name)]


def test_a_symbol_leads_to_its_function_also_from_below():
    definition = navigation.definition(DOCUMENT, PROGRAM.at("callee"))
    assert definition is not None and definition[1] - PROGRAM.at("callee_name") == len("helper")


def test_symbols_are_those_of_the_nearest_module():
    text = marked(
        "builtin.module {\n  func.func private «outer:@f»()\n  builtin.module {\n"
        "    func.func private «inner:@f»()\n    func.func @g() {\n      func.call «inner:@f»() : () -> ()\n"
        "      func.return\n    }\n  }\n  func.func @g() {\n    func.call «outer:@f»() : () -> ()\n"
        "    func.return\n  }\n}\n"
    )
    document = text.read()
    for name in ("outer", "inner"):
        for start, _ in text.spans[name]:
            assert navigation.references(document, start) == text.spans[name]


def test_the_same_name_in_another_function_is_another():
    text = marked(
        "".join(
            f"relax.func @f{i}(«x{i}:%x»: !relax.tensor<[«n{i}:n»], f32>) -> !relax.tensor<[«n{i}:n»], f32> {{\n"
            f"  relax.return «x{i}:%x» : !relax.tensor<[«n{i}:n»], f32>\n}}\n"
            for i in range(2)
        )
    )
    for name, spans in text.spans.items():
        assert navigation.references(text.read(), text.at(name)) == spans


def test_branches_have_variables_of_their_own():
    text = marked(
        "relax.func @f(%p: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {\n"
        + "  %r = relax.if %p : (!relax.tensor<[], i1>) -> !relax.shape<[?]> {\n"
        + "  } else {\n".join(
            f"    %v = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[«{m}:m»], f32>\n"
            f"    %s = relax.shape [«{m}:m»]\n    relax.yield %s : !relax.shape<[«{m}:m»]>\n"
            for m in "ab"
        )
        + "  }\n  relax.return %r : !relax.shape<[?]>\n}\n"
    )
    for name in "ab":
        assert navigation.references(text.read(), text.at(name)) == text.spans[name]


def test_nothing_is_found_where_there_is_no_name():
    at = PROGRAM.text.index("// a")
    assert navigation.definition(DOCUMENT, at) is None
    assert navigation.references(DOCUMENT, at) == []
    assert hover(DOCUMENT, at) is None


# Hover


def test_a_value_tells_its_type_and_its_op():
    text = shown("exp")
    assert "%0 : !relax.tensor<[n, 4], f32>" in text
    assert "the result of `relax.exp`, line 9" in text and "%0 = relax.exp %x : (" in text


def test_a_parameter_tells_its_function():
    assert "parameter 0 of `relax.func @main`" in shown("x")
    assert "argument 0 of `func.func @low`" in shown("b")


def test_a_value_of_a_block_shows_the_block_up_to_its_ops():
    assert shown("block").endswith("```mlir\n%y = relax.dataflow {\n```")


def test_an_op_tells_its_documentation_with_its_constraints():
    text = shown("op")
    assert "results: !relax.tensor<[n, 4], f32>" in text and "The exponential function." in text
    assert "- (C1) The element type is a floating-point type." in text and "operands: `x`" in text


def test_an_attribute_tells_its_op_and_value():
    assert "`axis` of `relax.softmax`" in shown("attribute") and "-1 : i64" in shown("attribute")


def test_a_type_tells_its_documentation():
    found = hover(DOCUMENT, PROGRAM.text.index("relax.object"))
    assert found is not None and "the top of the type lattice" in found[1]


def test_an_alias_tells_its_meaning():
    assert shown("alias") == "```mlir\n!t = !relax.tensor<[3], f32>\n```"


def test_a_symbol_tells_the_head_of_its_function():
    assert "relax.func private @helper(%h: !t) -> !t {" in shown("callee")


def test_a_variable_tells_where_it_is_bound():
    assert "bound by the parameter `%x` of `relax.func @main`, line 7" in shown("n")
    assert "bound by `relax.match_cast`, line 13" in shown("m")
    assert "bound by the function type around it" in shown("bound")


def test_what_is_not_defined_says_so():
    for text in (
        "func.func @f() {\n  func.call @g() : () -> ()\n  func.return\n}\n",
        "%a = arith.addi %b, %b : i32",
    ):
        at = text.find("@g") if "@g" in text else text.index("%b")
        found = hover(read(text), at)
        assert found is not None and ("nothing in this file" in found[1] or "No op" in found[1])


def test_every_op_of_ours_has_documentation():
    """That of a base class of xDSL's is none."""
    for op in Relax.operations:
        assert len(documentation.of_op(op).split("\n\n")) > 1, op.name
        assert documentation.documented(op)[0], op.name


def test_base_classes_of_xdsl_are_no_documentation():
    for name in ("arith.addi", "scf.for", "func.func", "memref.load"):
        kind = documentation.op_kind(name)
        assert kind is not None and documentation.documented(kind) == ("", []), name
    assert documentation.of_op(kind) == "\n\n".join(
        [
            "`memref.load`",
            "- operands: `memref`, `indices...`\n- attributes: `nontemporal?`\n- results: `res`",
        ]
    )


# Outline and completion


def test_the_outline_has_the_ops_nested_as_they_are():
    entries = navigation.outline(DOCUMENT)
    assert [(e.name, e.detail) for e in entries] == [
        ("@helper", "relax.func"),
        ("@main", "relax.func"),
        ("@low", "func.func"),
    ]
    block = entries[1].inner[0]
    assert (block.name, block.detail) == ("relax.dataflow", "%y")
    assert [e.name for e in block.inner] == ["relax.exp", "relax.softmax", "relax.output"]
    for entry in (*entries, *entries[1].inner, *block.inner):
        assert entry.span[0] <= entry.name_span[0] <= entry.name_span[1] <= entry.span[1]


COMPLETED = [
    ("  %a = relax.softm|", Proposed.OP, ["relax.softmax"]),
    ("  arith.addi|", Proposed.OP, ["arith.addi"]),
    ("  ari|", Proposed.DIALECT, ["arith."]),
    ("  %a = relax.exp %x|", Proposed.VALUE, ["%x", "%xs"]),
    ("  %a = relax.exp %|", Proposed.VALUE, ["%x", "%xs"]),
    ("  %a = relax.call @|", Proposed.SYMBOL, ["@f", "@other"]),
    ("  %a = relax.softmax %x {ax|", Proposed.ATTRIBUTE, ["axis"]),
    ("  %a = relax.shape [|", Proposed.SIZE, ["k", "n"]),
    ("  %a = relax.exp %x : (!relax.te|", Proposed.TYPE, ["!relax.tensor"]),
    ("  %a = relax.exp %x : (!sho|", Proposed.ALIAS, ["!short"]),
    ("  cf.br ^ne|", Proposed.BLOCK, ["^next"]),
]


@pytest.mark.parametrize(("line", "kind", "expected"), COMPLETED)
def test_completion(line: str, kind: Proposed, expected: list[str]):
    before = (
        "!short = !relax.tensor<[3], f32>\nrelax.func @other(%o: !short) -> !short {\n  relax.return %o : !short\n}\n"
        "relax.func @f(%x: !relax.tensor<[n, k], f32>, %xs: !short) -> !short {\n"
    )
    if "cf.br" in line:
        before = "func.func @f() {\n^next:\n"
    text = (
        before + line.replace("|", "") + "\n  %later = relax.constant dense<1> : tensor<3xi32>\n}\n"
    )
    at = len(before) + line.index("|")
    span, proposals = completion(read(text), at)
    assert sorted(p.text for p in proposals if p.kind is kind) == expected
    assert all(p.text.startswith(text[slice(*span)]) for p in proposals)


def test_names_of_other_regions_are_not_proposed():
    text = marked(
        "relax.func @f(%p: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {\n"
        "  %r = relax.if %p : (!relax.tensor<[], i1>) -> !relax.shape<[?]> {\n"
        "    %v = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>\n"
        "    %s = relax.shape [«then:»m]\n    relax.yield %s : !relax.shape<[m]>\n"
        "  } else {\n    %w = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>\n"
        "    %t = relax.shape [«else:»k]\n    relax.yield %«value:»t : !relax.shape<[k]>\n  }\n"
        "  relax.return %r : !relax.shape<[?]>\n}\n"
    )
    for name, expected in (("then", ["m"]), ("else", ["k"]), ("value", ["%p", "%t", "%w", "%x"])):
        _, proposals = completion(text.read(), text.at(name))
        assert (
            sorted(p.text for p in proposals if p.kind in (Proposed.SIZE, Proposed.VALUE))
            == expected
        )


def test_ops_are_proposed_with_their_documentation():
    _, proposals = completion(read("relax.mat"), len("relax.mat"))
    assert "- (C1)" in next(p for p in proposals if p.text == "relax.matmul").documentation


def test_nothing_is_proposed_in_the_midst_of_a_type():
    text = "%a = arith.constant 1 : i"
    assert completion(read(text), len(text))[1] == []


# Sizes in types


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!relax.tensor<[n, 2 * m, ?, 4], f32>", "n m"),
        ("!relax.prim<2 * n - k>", "n k"),
        ("!relax.shape<*>", ""),
        ("[max(n, 1) + a mod b floordiv c ceildiv d, min(broadcast(e, f), 1)]", "n a b c d e f"),
        ("tensor<4xf32>", ""),
        (
            "(!relax.tensor<[n], f32>, tuple<!relax.shape<[k]>>) -> !relax.tensor<[n + k]>",
            "n k n k",
        ),
        ("!relax.tensor<[n, $", "n"),
    ],
)
def test_sizes_in_a_text(text: str, expected: str):
    found = written_sizes(text)
    assert [each.name for each in found] == expected.split()
    assert [text[each.start :].startswith(each.name) for each in found] == [True] * len(found)


def test_the_words_of_expressions_are_known():
    """Each is none of the variables that the parser of sizes sees."""
    for word in WORDS:
        text = f"{word}(x, y)" if word in ("min", "max", "broadcast") else f"x {word} 3"
        assert word not in parse_size(text).free_variables


def test_names_of_a_compute():
    """Indices and the names that the region has for operands lead to their definitions, sizes too."""
    written = marked("""relax.func @f(%p: !relax.tensor<[«n:n»], f32>) -> !relax.tensor<[«n:n»], f32> {
  %y = relax.compute («i:%i») in [«n:n»] («x:%x» = %p) : (!relax.tensor<[«n:n»], f32>) -> !relax.tensor<[«n:n»], f32> {
    %s = relax.index_sum («k:%k») in [«n:n»] {
      %0 = relax.element «x:%x»[«k:%k»] : !relax.tensor<[«n:n»], f32>
      relax.yield %0 : f32
    }
    %1 = relax.element «x:%x»[«i:%i»] : !relax.tensor<[«n:n»], f32>
    %2 = arith.addf %1, %s : f32
    relax.yield %2 : f32
  }
  relax.return %y : !relax.tensor<[«n:n»], f32>
}
""")
    document = written.read()
    assert not document.faults
    for name, spans in written.spans.items():
        for start, end in spans:
            assert navigation.references(document, start) == spans, name
            assert navigation.definition(document, end) == spans[0]
    text = hover(document, written.at("i"))
    assert text is not None and "index" in text[1]
