"""The passes of `relax-opt --list-passes`, a line each, and mlir-opt's spellings of them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError

LOADERS = Mapping[str, Callable[[], type[ModulePass]]]


def summary(name: str, pass_class: type[ModulePass]) -> str:
    """The first sentence of a pass's docstring, without the name in front; empty if there is none."""
    for owner in (pass_class, sys.modules[pass_class.__module__]):
        text = " ".join((inspect.getdoc(owner) or "").split("\n\n")[0].split())
        if found := re.match(rf"{re.escape(name)}(?:\{{.*?\}})?: (.*?)(?:\.$|\. |$)", text):
            return found[1]
    own = inspect.getdoc(pass_class) if pass_class.__doc__ else ""
    return " ".join((own or "").split("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def listing(passes: LOADERS, first: Iterable[str]) -> str:
    """The passes with their summaries as text: `first`, which are ours, before the others."""
    ours = [name for name in first if name in passes]
    names = [*ours, *sorted(passes.keys() - set(ours))]
    width = max(map(len, ours))
    return "".join(
        f"{name:{width}}  {summary(name, passes[name]())}".rstrip() + "\n" for name in names
    )


def refuse_foreign_spellings(words: Sequence[str], passes: Iterable[str]) -> None:
    """Refuse mlir-opt's `--canonicalize` and `--pass-pipeline=builtin.module(cse)`, with our spelling.

    Raises:
        RelaxError: one of the words is a pass in mlir-opt's spelling.
    """
    known = set(passes)
    for word in words:
        if word == "--":
            return
        option, _, text = word.partition("=")
        name = option.removeprefix("--")
        if option == "--pass-pipeline":
            inner = re.findall(r"[\w-]+(?:\{[^}]*\})?(?=[,)]|$)", text)
            mend = ",".join(inner) or "LIST"
        elif word.startswith("--") and name in known:
            mend = name + (f"{{{text}}}" if text else "")
        else:
            continue
        raise RelaxError(
            f"{word}: expected an option of relax-opt, found mlir-opt's spelling of a pass; write -p {mend}"
        )
