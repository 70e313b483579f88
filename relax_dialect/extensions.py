"""Packages that extend the compiler, found by their entry points when they are installed.

    [project.entry-points."relax_dialect.extensions"]
    signal = "relax_signal:EXTENSION"

An `Extension` names its additions as text, which is imported on first use, so that reading a program does
not load its lowering. docs/start.md writes one, step by step.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, fields
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError

GROUP = "relax_dialect.extensions"
"""The entry points that name extensions."""

OFF = "RELAX_NO_EXTENSIONS"
"""The environment variable that leaves all extensions out."""

OPTION = "--no-extensions"
"""The option of the tools that does."""


class ExtensionError(RelaxError):
    """An extension that does not load: names the package and the cause."""


@dataclass(frozen=True, eq=False)
class Extension:
    """The things a package adds to the compiler; entry points spell each as `"package.module:NAME"`."""

    dialects: Mapping[str, str] = field(default_factory=dict)
    """Dialects by their names, with the operators of the package."""
    passes: Mapping[str, str] = field(default_factory=dict)
    """Passes by their names."""
    optimizations: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Passes that run before ours at a level of optimization, by the level."""
    interpreter: Sequence[str] = ()
    """Modules whose `InterpreterFunctions` are the semantics of the operators."""
    legalize: Sequence[str] = ()
    """Modules that register the operators' tensor expressions (`lowering.legalize.registry.legalize`)."""
    adjoints: Sequence[str] = ()
    """Modules that register the operators' gradients (`relax_dialect.gradient.adjoint`); operators without
    one are differentiated through their tensor expressions."""
    kinds: Sequence[str] = ()
    """Kinds of kernels (`lowering.schedule.strategies.kinds.KernelKind`) that are tried before ours."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value, kind = getattr(self, each.name), Sequence if each.default == () else Mapping
            if isinstance(value, str) or not isinstance(value, kind):
                raise TypeError(f"expected a {kind.__name__} as {each.name}, found {value!r:.60}")


@dataclass(frozen=True, eq=False)
class Installed:
    """An extension and the package that brings it."""

    name: str
    package: str
    extension: Extension
    place: str
    """The module and name of the extension, as its entry point spells them."""
    used: set[str] = field(default_factory=set)
    """The parts whose modules have been used."""

    def load(self, place: str, expected: str, is_right: Callable[[Any], bool]) -> Any:
        """Return the object at `package.module:NAME`."""
        return _load(EntryPoint(self.name, place, GROUP), self.package, expected, is_right)

    def blamed(self, expected: str) -> AbstractContextManager[None]:
        """Blame the package for errors raised inside."""
        return _blamed(self.name, self.package, expected)


def extensions() -> Sequence[Installed]:
    """Return the extensions that are installed, none where they are left out. Raises `ExtensionError`."""
    return () if os.environ.get(OFF) else _installed()


def packages() -> dict[str, str]:
    """The Python packages of installed extensions, with the name and version of their distributions."""
    found: dict[str, str] = {}
    for each in extensions():
        parts = [getattr(each.extension, part.name) for part in fields(each.extension)]
        places = [each.place]
        for part in parts:
            places += part.values() if isinstance(part, Mapping) else part
        names = (place for place in places if isinstance(place, str))  # not the passes of a level
        found |= {name.partition(":")[0].partition(".")[0]: each.package for name in names}
    return found


@contextmanager
def left_out(are: bool = True) -> Iterator[None]:
    """Leave all extensions out meanwhile."""
    before = os.environ.get(OFF)
    if are:
        os.environ[OFF] = "1"
    try:
        yield
    finally:
        if are and before is None:
            del os.environ[OFF]


@cache
def _installed() -> Sequence[Installed]:
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(map(_of_entry_point, found))


def _of_entry_point(point: EntryPoint) -> Installed:
    package = "an unknown package" if point.dist is None else _described(point.dist)
    expected = "a relax_dialect.extensions.Extension"
    made = _load(point, package, expected, lambda value: isinstance(value, Extension))
    return Installed(point.name, package, made, point.value)


def _described(distribution: Any) -> str:
    return f"{distribution.metadata['Name']} {distribution.version}"


def _load(point: EntryPoint, package: str, expected: str, is_right: Callable[[Any], bool]) -> Any:
    """Import the object of an entry point; any error is reported as the package's."""
    with _blamed(point.name, package, f"{expected} at {point.value}"):
        found = point.load()
    if not is_right(found):
        raise _broken(point.name, package, f"{expected} at {point.value}", f"{found!r:.60}")
    return found


@contextmanager
def _blamed(name: str, package: str, expected: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise _broken(name, package, expected, f"{type(error).__name__}: {error}") from error


def _broken(name: str, package: str, expected: str, found: str) -> ExtensionError:
    return ExtensionError(
        f"extension '{name}' of {package}: expected {expected}, found {found}; mend or uninstall the "
        f"package, or do without extensions by {OPTION} or {OFF}=1"
    )


# Additions --------------------------------------------------------------------------------------


def dialects(ours: Iterable[str]) -> dict[str, Callable[[], Dialect]]:
    """Return the dialects of all extensions; their names are none of ours."""

    def is_right(name: str, value: Any) -> bool:
        return isinstance(value, Dialect) and value.name == name

    return _by_name("dialect", "dialects", "the Dialect '{}'", ours, is_right)


def passes(ours: Iterable[str]) -> dict[str, Callable[[], type[ModulePass]]]:
    """Return the passes of all extensions; their names are none of ours."""

    def is_right(name: str, value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, ModulePass) and value.name == name

    return _by_name("pass", "passes", "the class of a ModulePass of the name '{}'", ours, is_right)


def _by_name(
    kind: str,
    table: str,
    expected: str,
    ours: Iterable[str],
    is_right: Callable[[str, Any], bool],
) -> dict[str, Callable[[], Any]]:
    """Return the loaders of what extensions register by name; each name is taken once."""
    taken = dict.fromkeys(ours, "the compiler's own")
    found: dict[str, Callable[[], Any]] = {}
    for each in extensions():
        for name, place in getattr(each.extension, table).items():
            if name in taken:
                clash = f"'{name}', which is {taken[name]}"
                raise _broken(each.name, each.package, f"the name of a {kind} that is free", clash)
            taken[name] = f"that of {each.package}"
            found[name] = partial(each.load, place, expected.format(name), partial(is_right, name))
    return found


def optimizations(level: int, levels: Container[int], known: Container[str]) -> tuple[str, ...]:
    """Return the passes that extensions run before ours at a level of optimization; there are these levels,
    and passes of these names."""
    found: list[str] = []
    for each in extensions():
        for own, names in each.extension.optimizations.items():
            wrong = [f"'{name}'" for name in names if name.partition("{")[0] not in known]
            if own not in levels or wrong:
                expected = f"names of passes at a level of optimization, {levels}"
                slip = f"{', '.join(wrong) or list(names)} at {own!r}"
                raise _broken(each.name, each.package, expected, slip)
            found += names if own == level else ()
    return tuple(found)


def each_module(part: str, use: Callable[[ModuleType], object] = lambda module: None) -> None:
    """Import the modules of a part of all extensions, `interpreter`, `legalize` or `adjoints`, and
    use each once."""
    for each in extensions():
        if part not in each.used:
            for place in getattr(each.extension, part):
                module = each.load(place, "a module", lambda value: isinstance(value, ModuleType))
                with each.blamed(f"a module for {part} at {place}"):
                    use(module)
            each.used.add(part)


def kinds(kind: type[Any]) -> list[Any]:
    """Return the kinds of kernels that extensions add."""
    return [
        each.load(place, f"a {kind.__name__} of kernels", lambda value: isinstance(value, kind))
        for each in extensions()
        for place in each.extension.kinds
    ]
