"""Extensions that do not load are refused with the name of their package; those that do take part."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from lowering.pipeline import OPTIMIZATIONS, lower, optimizations
from lowering.runtime import source_cache
from lowering.schedule.strategies.kinds import KernelKind
from relax_dialect import extensions, interpret, parse
from relax_dialect.errors import RelaxError
from relax_dialect.extensions import OFF, Extension

PROGRAM = "relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {\n  relax.return %x : !relax.tensor<[n], f32>\n}"


class MarkPass(ModulePass):
    """Marks a module."""

    name = "mark"

    def apply(self, ctx: Any, op: Any) -> None:
        op.attributes["marked"] = op.attributes.get("marked", op.sym_name)


class Distribution(SimpleNamespace):
    """A package that is installed."""

    metadata = {"Name": "a-package"}
    version = "1.2"


Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch):
    """Installs a module as a package with an extension."""
    monkeypatch.delenv(OFF, raising=False)
    module = ModuleType("a_package")
    monkeypatch.setitem(sys.modules, "a_package", module)

    def install(*names: str, **contents: Any) -> None:
        vars(module).update(contents)
        points = [
            EntryPoint(name, f"a_package:{name}", extensions.GROUP)._for(Distribution())  # pyright: ignore
            for name in names or ("one",)
        ]
        monkeypatch.setattr(extensions, "entry_points", lambda group: points)
        extensions._installed.cache_clear()

    yield install
    extensions._installed.cache_clear()


def broken(action: Callable[[], object]) -> str:
    """The error of a broken extension."""
    with pytest.raises(RelaxError) as caught:
        action()
    message = str(caught.value)
    assert "extension 'one' of a-package 1.2: expected " in message
    assert (
        "; mend or uninstall the package, or do without extensions by --no-extensions or "
        in message
    )
    return message


def test_one_that_is_not_there(install: Install):
    install()
    found = "found AttributeError: module 'a_package' has no attribute 'one'"
    assert found in broken(lambda: parse(PROGRAM))


def test_one_that_is_none(install: Install):
    install(one=3)
    assert "Extension at a_package:one, found 3" in broken(lambda: parse(PROGRAM))


@pytest.mark.parametrize(
    ("extension", "action", "found"),
    [
        (
            Extension(dialects={"relax": "a_package:D"}),
            lambda: parse(PROGRAM),
            "the name of a dialect that is free, found 'relax', which is the compiler's own",
        ),
        (
            Extension(dialects={"signal": "a_package:D"}),
            lambda: parse('"signal.f"() : () -> ()'),
            "<text>:1:11: error: extension 'one' of a-package 1.2: expected the Dialect 'signal' at a_package:D, found Dialect(",
        ),
        (
            Extension(passes={"relax-dce": "a_package:P"}),
            lambda: lower(parse(PROGRAM), ["relax-dce"]),
            "the name of a pass that is free, found 'relax-dce', which is the compiler's own",
        ),
        (
            Extension(passes={"p": "a_package:D"}),
            lambda: lower(parse(PROGRAM), ["p"]),
            "the class of a ModulePass of the name 'p' at a_package:D, found Dialect(",
        ),
        (
            Extension(interpreter=("a_package.semantics",)),
            lambda: interpret.run(parse(PROGRAM), "main", [1.0]),
            "a module at a_package.semantics, found ModuleNotFoundError: No module named",
        ),
        (
            Extension(interpreter=("relax_dialect.interpret.unary",)),
            lambda: interpret.run(parse(PROGRAM), "main", [1.0]),
            "a module for interpreter at relax_dialect.interpret.unary, found ValueError: ",
        ),
        (
            Extension(legalize=("a_package:D",)),
            lambda: lower(parse(PROGRAM), ["relax-legalize"]),
            "a module at a_package:D, found Dialect(",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_with_a_slip(
    install: Install, extension: Extension, action: Callable[[], object], found: str
):
    install(one=extension, D=Dialect("other"), P=MarkPass)
    assert found in broken(action)


def test_two_with_the_same_pass(install: Install):
    install("one", "first", one=Extension(passes={"p": ""}), first=Extension(passes={"p": ""}))
    found = broken(lambda: lower(parse(PROGRAM), []))
    assert "found 'p', which is that of a-package 1.2" in found


def test_kinds_of_kernels(install: Install):
    install(one=Extension(kinds=("a_package:D",)), D=3)
    assert "a KernelKind of kernels at a_package:D, found 3" in broken(
        lambda: extensions.kinds(KernelKind)
    )


def test_optimizations_come_first(install: Install):
    own = {1: ("mark",), 2: ("relax-cse", "mark")}
    install(one=Extension(passes={"mark": "a_package:P"}, optimizations=own), P=MarkPass)
    assert [optimizations(n)[:2] for n in (1, 2)] == [("mark", OPTIMIZATIONS[1][0]), own[2]]
    assert optimizations(0) == ()


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ({3: ("relax-dce",)}, "of optimization, (0, 1, 2), found ['relax-dce'] at 3"),
        ({1: ("relax-cse", "mark{fast=true}")}, "found 'mark{fast=true}' at 1"),
    ],
)
def test_optimizations_with_a_slip(install: Install, own: dict[int, tuple[str, ...]], found: str):
    install(one=Extension(optimizations=own))
    assert found in broken(lambda: optimizations(0))


@pytest.mark.parametrize("slip", [{"passes": ["p"]}, {"interpreter": "a_package"}])
def test_tables_with_a_slip(slip: dict[str, Any]):
    with pytest.raises(TypeError, match=r"expected a (Mapping|Sequence) as \w+, found"):
        Extension(**slip)


def test_nothing_is_kept_of_what_they_take_part_in(install: Install):
    install(one=Extension())
    assert source_cache.program_key(parse(PROGRAM), "m", {}) is None


def test_all_are_left_out(install: Install, monkeypatch: pytest.MonkeyPatch):
    install(one=3)
    with extensions.left_out():
        parse(PROGRAM)
    broken(lambda: parse(PROGRAM))
    monkeypatch.setenv(OFF, "1")
    with extensions.left_out():
        pass
    parse(PROGRAM)
