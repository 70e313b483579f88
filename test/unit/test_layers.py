"""A file imports from its own layer or a lower one, never upward and never in a circle.

The layers of `docs/architecture.md` stand below, lowest first. Imports inside functions count, and so do
those for type checkers alone.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from relax_dialect.rewrites import SHELVES

ROOT = Path(__file__).parents[2]
PACKAGES = ("relax_dialect", "lowering")

LAYERS: tuple[tuple[str, ...], ...] = (
    # what all share
    (
        "relax_dialect.errors",
        "relax_dialect.extensions",
        "relax_dialect.families",
        "relax_dialect.mapped_data",
        "relax_dialect.tensor_definitions",
        "relax_dialect.threads",
        "relax_dialect.xdsl_fast_paths",
        "relax_dialect.xdsl_internals",
    ),
    # programs
    ("relax_dialect.symbolic.*",),
    ("relax_dialect.ir.*",),
    ("relax_dialect.prim.*",),
    ("relax_dialect.text.*",),
    (
        "relax_dialect.ops.axes",
        "relax_dialect.ops.canonicalization",
        "relax_dialect.ops.forms",
        "relax_dialect.ops.kinds",
        "relax_dialect.ops.meanings",
        "relax_dialect.ops.number_operands",
        "relax_dialect.ops.syntax",
        "relax_dialect.ops.type_rules",
    ),
    ("relax_dialect.ops.fields",),
    ("relax_dialect.ops.base",),
    ("relax_dialect.ops.*",),
    ("relax_dialect.dialect",),
    ("relax_dialect.structural.*",),
    ("relax_dialect.parsing",),
    ("relax_dialect.notebooks",),
    ("relax_dialect.lsp.*",),
    # made from Python
    ("relax_dialect.te.*",),
    ("relax_dialect.builder.*",),
    ("relax_dialect.visitor.*",),
    # understood, run and changed
    ("relax_dialect.transform.*",),
    ("relax_dialect.normal_forms.*",),
    ("relax_dialect.analysis.*",),
    ("relax_dialect.interpret.*",),
    ("relax_dialect.dpl.*",),
    ("relax_dialect.rewrites.*",),
    ("relax_dialect.gradient.*",),
    ("relax_dialect.sharding.*",),
    ("relax_dialect.training.*",),
    ("relax_dialect.nn.*",),
    ("relax_dialect.frontends.*",),
    ("relax_dialect.prove.*",),
    ("relax_dialect",),
    # the machine
    (
        "lowering.support.c_compiler",
        "lowering.support.external_library",
        "lowering.support.mpi",
        "lowering.support.shortage",
        "lowering.support.whole_files",
        "lowering.support.progress",
        "lowering.support",
    ),
    ("lowering.support.target",),
    # the graph level
    ("lowering.ir.*",),
    ("lowering.memory.functions.external_forms",),
    ("lowering.legalize.*",),
    ("lowering.topi",),
    ("lowering.external.*",),
    ("lowering.fuse.*",),
    # prim funcs on memrefs
    ("lowering.memory.bufferize.*",),
    ("lowering.schedule.*",),
    ("lowering.loops.*",),
    # functions on memrefs
    ("lowering.memory.functions.*",),
    ("lowering.memory.*",),
    ("lowering.parallel.*",),
    ("lowering.support.pass_options",),
    ("lowering.support.reproducer",),
    ("lowering.pipeline",),
    # after the passes
    ("lowering.emit_c.*",),
    ("lowering.runtime.*",),
    ("lowering.driver",),
    ("lowering",),
    ("lowering.tvmscript_target",),
    ("lowering.torch_calls",),
    ("lowering.torch_backend",),
    ("lowering.stock_interpreter",),
    ("lowering.universe",),
    ("lowering.explore.*",),
    ("lowering.profile.*",),
    ("lowering.tune.*",),
    ("lowering.tools.common",),
    ("lowering.tools.*",),
)
"""`a.*` stands for the package `a` and all in it that is not listed by its own name."""


WINGS = (
    "relax_dialect.frontends",
    "relax_dialect.gradient",
    "relax_dialect.lsp",
    "relax_dialect.nn",
    "relax_dialect.prove",
    "relax_dialect.sharding",
    "relax_dialect.training",
    "lowering.explore",
    "lowering.profile",
    "lowering.tools",
    "lowering.torch_backend",
    "lowering.torch_calls",
    "lowering.tune",
    "lowering.tvmscript_target",
    "lowering.universe",
)
"""Packages that the rest, the core, does not import."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for p in PACKAGES for path in sorted(ROOT.glob(f"{p}/**/*.py"))}


HOLDERS = ast.stmt | ast.excepthandler | ast.match_case
"""The nodes that hold statements, imports among them."""


def imported(text: str) -> set[str]:
    """The modules of ours that a text imports, in functions and for type checkers alone too;
    `from package import module` names the module."""
    found: set[str] = set()
    work: list[ast.AST] = [ast.parse(text)]
    while work:
        node = work.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in FILES else node.module or "")
        else:
            work += (child for child in ast.iter_child_nodes(node) if isinstance(child, HOLDERS))
    return {name for name in found if name in FILES}


@cache
def imports() -> Mapping[str, set[str]]:
    """The modules of ours that each one imports."""
    return {name: imported(path.read_text("utf-8")) - {name} for name, path in FILES.items()}


def package_of(module: str) -> str:
    """The package that holds a module, or the module itself where it stands right in ours."""
    return ".".join(module.split(".")[:2])


def between_packages(imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Which packages import which others."""
    found: dict[str, set[str]] = {}
    for name, others in imports.items():
        package = package_of(name)
        found.setdefault(package, set()).update(map(package_of, others))
    return {package: others - {package} for package, others in found.items()}


def layer_of(module: str) -> int | None:
    """The number of a module's layer, None if it is in none; its own name counts first."""
    patterns = {pattern: i for i, layer in enumerate(LAYERS) for pattern in layer}
    if module in patterns:
        return patterns[module]
    parts = module.split(".")
    packages = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((patterns[f"{p}.*"] for p in packages if f"{p}.*" in patterns), None)


def upward(imports: Mapping[str, set[str]]) -> list[str]:
    """Every import of a module from a layer above its own."""
    return [
        f"{name} imports {other}, which is in a layer above"
        for name, others in imports.items()
        for other in sorted(others)
        if (layer_of(other) or 0) > (layer_of(name) or 0)
    ]


def circle(imports: Mapping[str, set[str]]) -> list[str]:
    """The modules of a circle of imports, if there is one."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_there_are_files():
    assert {"relax_dialect", "relax_dialect.ir.types", "lowering.pipeline"} <= set(FILES)
    assert "relax_dialect.ir.types" in imports()["relax_dialect.ops.core"]


def test_every_module_has_its_layer():
    assert [module for module in FILES if layer_of(module) is None] == []


def test_every_layer_has_its_modules():
    """A name in the list that is no module is a slip, or a file that is gone."""
    listed = [pattern.removesuffix(".*") for layer in LAYERS for pattern in layer]
    assert [name for name in listed if name not in FILES] == []
    assert len(set(listed)) == len(listed)


def test_no_import_goes_upward():
    assert upward(imports()) == []


def test_no_imports_in_a_circle():
    assert circle(imports()) == []


def test_no_packages_in_a_circle():
    assert circle(between_packages(imports())) == []


def test_rewrites_are_passes():
    """Code that passes share is in `transform`, the parts of a large one in a package of its own."""
    shelves = [ROOT / "relax_dialect" / "rewrites" / shelf for shelf in SHELVES]
    texts = {p.stem: p.read_text("utf-8") for s in shelves for p in s.glob("[a-z]*.py")}
    assert [name for name, text in texts.items() if "(ModulePass)" not in text] == []
    folders = {p.name for p in shelves[0].parent.iterdir() if (p / "__init__.py").is_file()}
    assert folders == set(SHELVES)


def test_the_core_imports_no_wing():
    """Gradients, training, proofs, frontends, the language server, the explorer and the tools could be left out."""
    assert [
        f"{name} imports {other}"
        for name, others in imports().items()
        for other in sorted(others)
        if other.startswith(WINGS) and not name.startswith(WINGS)
    ] == []


def test_the_graph_level_does_not_know_what_is_below():
    assert [
        f"{name} imports {other}"
        for name, others in imports().items()
        for other in others
        if name.startswith("relax_dialect") and other.startswith("lowering")
    ] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import relax_dialect.ir.types", {"relax_dialect.ir.types"}),
        ("from relax_dialect.ir import types", {"relax_dialect.ir.types"}),
        ("from relax_dialect.ir.types import TensorType", {"relax_dialect.ir.types"}),
        ("from relax_dialect import parse", {"relax_dialect"}),
        ("def f():\n    from lowering import driver", {"lowering.driver"}),
        ("if TYPE_CHECKING:\n    from lowering import driver", {"lowering.driver"}),
        ("import numpy", set()),
    ],
)
def test_imports_are_found(text: str, expected: set[str]):
    assert imported(text) == expected


def test_a_circle_of_packages_is_found():
    a, b, c = "relax_dialect.te.pad", "relax_dialect.ir.types", "relax_dialect.ir.order"
    assert between_packages({a: {b}, c: {a}}) == {
        "relax_dialect.te": {"relax_dialect.ir"},
        "relax_dialect.ir": {"relax_dialect.te"},
    }
    assert not circle({a: {b}, c: {a}}) and circle(between_packages({a: {b}, c: {a}}))


def test_an_upward_import_is_found():
    found = upward({"relax_dialect.ir.types": {"relax_dialect.errors", "relax_dialect.ops.core"}})
    expected = "relax_dialect.ir.types imports relax_dialect.ops.core, which is in a layer above"
    assert found == [expected]


def test_a_circle_is_found():
    a, b, c = "relax_dialect.ops.activation", "relax_dialect.ops.unary", "relax_dialect.ops.binary"
    assert set(circle({a: {b}, b: {c}, c: {a}})) == {a, b, c}
