"""Mutation score: `make mutate FOLDER=relax_dialect/symbolic TESTS=test/unit/symbolic`.

    python test/unit/fuzz/mutate.py lowering/memory --tests test/unit/lowering test/filecheck/lowering --seed 0

Draws mutants of a folder (a comparison, an operator, a number, a condition, a returned value or an argument is
changed) and runs the tests that cover the line, fastest first, up to the first failure. Prints the survivors: lines that
no test looks at, or that may as well be written so. Works in a copy of the checkout; each mutant is a fork of a process
that has imported everything but the project.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

try:
    from fuzz.recorded_lines import Recorder, noting
except ModuleNotFoundError:  # a program of its own
    from recorded_lines import Recorder, noting

ROOT = Path(__file__).resolve().parents[3]
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "node_modules", "*.egg-info")
PRELOADED = ("filecheck", "hypothesis", "lit", "ml_dtypes", "numpy", "torch", "xdsl")
REWRITTEN = "ignore::pytest.PytestAssertRewriteWarning"
"""Modules that are imported before pytest begins hold no assertions of ours."""

MOST_SECONDS = 60
"""When a mutant counts as one that hangs, beyond ten times what its tests take of the processor."""

# Mutants

SWAPPED: Mapping[type[ast.AST], type[ast.AST]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult},
    **{ast.Mod: ast.FloorDiv},
}

SKIPPED = (ast.Assert, ast.Raise, ast.Import, ast.ImportFrom, ast.AnnAssign, ast.JoinedStr)
"""Nodes inside of which nothing is changed: types, messages, our own invariants."""


def changes(node: ast.AST) -> Iterator[Callable[[], None]]:
    """What may be done to a node, each in place."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPPED:
            yield lambda: setattr(node, "ops", [SWAPPED[type(op)]()])
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPPED:
            yield lambda: setattr(node, "op", SWAPPED[type(op)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield lambda: setattr(node, "operand", ast.UnaryOp(ast.Not(), operand))
        case ast.Constant(value=bool(value)):
            yield lambda: setattr(node, "value", not value)
        case ast.Constant(value=int(value)):
            yield from (lambda by=by: setattr(node, "value", value + by) for by in (1, -1))
        case ast.If() | ast.IfExp() | ast.While():
            yield lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield lambda: setattr(node, "value", ast.Constant(None))
        case ast.Call(args=[_, *_, _]):
            yield lambda: node.args.pop()
        case _:
            pass


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may be changed, always in the same order."""
    for child in ast.iter_child_nodes(tree):
        if (
            isinstance(child, SKIPPED)
            or _is_annotation(tree, child)
            or _is_only_result(tree, child)
        ):
            continue
        yield child
        yield from nodes(child)


def _is_annotation(parent: ast.AST, child: ast.AST) -> bool:
    """Whether a node is a type, a decorator of a dataclass or of a cache, or `strict=True`, an invariant."""
    if isinstance(parent, ast.FunctionDef | ast.ClassDef) and child in parent.decorator_list:
        return True
    if isinstance(child, ast.keyword) and child.arg == "strict":
        return True
    return child in (getattr(parent, "annotation", None), getattr(parent, "returns", None))


def _is_only_result(parent: ast.AST, child: ast.AST) -> bool:
    """Whether a node is the number of `op.results[0]`: of one result it is the last one too, `results[-1]`."""
    match parent:
        case ast.Subscript(value=ast.Attribute(attr="results"), slice=ast.Constant(value=0)):
            return child is parent.slice
        case _:
            return False


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    node: int
    change: int

    def text(self, source: str) -> tuple[str, str, str]:
        """The mutated module, and the line of the change, before and after."""
        tree = ast.parse(source)
        node = [*nodes(tree)][self.node]
        before = ast.unparse(node)
        [*changes(node)][self.change]()
        return (
            ast.unparse(ast.fix_missing_locations(tree)),
            _short(before),
            _short(ast.unparse(node)),
        )


def _short(text: str) -> str:
    return " ".join(text.split())[:100]


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    for number, node in enumerate(nodes(ast.parse(source))):
        for change, _ in enumerate(changes(node)):
            yield Mutant(file, getattr(node, "lineno", 1), number, change)


# Runs of pytest, each in a process of its own


class FileCheck:
    """A plugin that collects programs with RUN lines of our own tools, as `lit` does."""

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Any:
        return Programs.from_parent(parent, path=file_path) if file_path.suffix == ".mlir" else None


class Programs(pytest.File):
    """One program; its RUN lines are one test."""

    def collect(self) -> Iterator[pytest.Item]:
        from in_process import RUN, stages  # imports the project: in a fork alone

        text, names = (
            self.path.read_text("utf-8"),
            {"%s": str(self.path), "%S": str(self.path.parent)},
        )
        lines = [stages(line, names) for line in RUN.findall(text) if "%t" not in line]
        if lines and all(lines):
            yield RunLines.from_parent(self, name="run", pipelines=lines)


class RunLines(pytest.Item):
    def __init__(self, *, pipelines: Sequence[Sequence[list[str]]], **more: Any):
        super().__init__(**more)
        self.pipelines = pipelines

    def runtest(self) -> None:
        from in_process import succeeds

        assert all(map(succeeds, self.pipelines))


class Selected:
    """A plugin that runs some tests alone, in this order."""

    def __init__(self, tests: Sequence[str]):
        self.order = {test: number for number, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order),
            key=lambda item: self.order[item.nodeid],
        )


def forked(run: Callable[[], int], seconds: float) -> int | None:
    """The exit code of a process that does something; None if it takes longer."""
    if (child := os.fork()) == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        code = 3
        with suppress(BaseException):
            code = run()
        os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def run_tests(tests: Sequence[str], plugin: object) -> int:
    sys.argv[0] = "pytest"
    os.environ.pop("PYTEST_ADDOPTS", None)  # options of the run that this is a part of
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", REWRITTEN]
    options = options[plugin.__class__ is Recorder :]
    return int(pytest.main([*options, *tests], plugins=[plugin, FileCheck()]))


# The score


@dataclass
class Tree:
    """A copy of the checkout with a record of what its tests run."""

    root: Path
    folder: str
    covered: dict[str, dict[int, set[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    """The tests of each line of each file."""
    times: dict[str, float] = field(default_factory=dict[str, float])
    """How long each test takes."""
    stamp: int = 0

    def write(self, file: str, text: str) -> None:
        """Write a file so that Python compiles it again."""
        (self.root / file).write_text(text)
        self.stamp += 2
        os.utime(self.root / file, (1e9 + self.stamp, 1e9 + self.stamp))

    def is_killed(self, tests: Sequence[str]) -> bool:
        """Whether one of some tests fails, or they take too long."""
        files = [*dict.fromkeys(test.split("::")[0] for test in tests)]
        if not tests:
            return False
        most = MOST_SECONDS + 10 * sum(self.times.get(test, 0.0) for test in tests)
        return forked(lambda: run_tests(files, Selected(tests)), most) not in (0, 5)

    def tests(self, mutant: Mutant, seconds: float) -> Sequence[str]:
        """Those that run the line, then those that share a file with one of them, and so what it makes once
        for all; as many as take so long together. Where the line runs at import, all of its file.

        Files stay together, as pytest makes what their tests share anew for each visit, the fastest first."""
        lines = self.covered.get(mutant.file, {})
        own = lines.get(mutant.line) or {t for tests in lines.values() for t in tests}
        seconds_of, of_file = (
            defaultdict[str, float](float),
            {t: t.split("::")[0] for t in self.times},
        )
        for test in own:
            seconds_of[of_file[test]] += self.times[test]
        found = sorted(
            (test for test in self.times if of_file[test] in seconds_of),
            key=lambda t: (t not in own, seconds_of[of_file[t]], of_file[t], self.times[t]),
        )
        ends = accumulate(map(self.times.__getitem__, found))
        return [test for test, end in zip(found, ends) if end - self.times[test] < seconds]


def record(tree: Tree, sources: Mapping[str, str], tests: Sequence[str], found_in: Path) -> None:
    """Run the tests once and write what each runs to a file."""
    is_ours = tree.folder.startswith("relax_dialect")
    preloaded = PRELOADED if is_ours else (*PRELOADED, "relax_dialect")

    def run() -> int:
        recorder = Recorder()
        run_tests(tests, recorder)
        loaded = [name for name in sys.modules if name.split(".")[0] in preloaded]
        found_in.write_text(json.dumps({"tests": recorder.found, "modules": loaded}))
        return 0

    for file, source in sources.items():
        tree.write(file, noting(file, source))
    assert forked(run, 3600) == 0, "the tests do not run"
    for file, source in sources.items():
        tree.write(file, source)


def read_record(tree: Tree, found_in: Path) -> None:
    """Read what each test runs, and import what they do beside the folder."""
    found = json.loads(found_in.read_text())
    for name in found["modules"]:
        with suppress(Exception):
            importlib.import_module(name)
    for test, own in found["tests"].items():
        if own is not None and f"{test} failed" not in found["tests"]:
            tree.times[test] = own["seconds"]
            for file, first, last in own["lines"]:
                for line in range(first, last + 1):
                    tree.covered[file][line].add(test)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="whose modules are changed")
    parser.add_argument("--tests", nargs="+", required=True, help="files and folders of tests")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="end after so long")
    parser.add_argument("--each", type=float, default=1e9, help="seconds of tests of a mutant")
    parser.add_argument(
        "--record",
        type=lambda path: Path(path).absolute(),
        help="a file for which tests run which lines, written by the first of several runs",
    )
    parser.add_argument(
        "--only", nargs="*", help="lines FILE:LINE whose mutants are tried, all of them"
    )
    arguments = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "tree"
        shutil.copytree(ROOT, root, ignore=LEFT_OUT)
        os.chdir(root)
        sys.path.append(str(root / "test" / "filecheck" / "lit_format"))
        sys.path[:] = [
            str(root),
            *(p for p in sys.path if Path(p).resolve() not in (ROOT, Path(__file__).parent)),
        ]
        files = sorted(p.relative_to(root) for p in (root / arguments.folder).rglob("*.py"))
        sources = {str(file): (root / file).read_text() for file in files}
        tree = Tree(root, arguments.folder.rstrip("/"))
        recorded = arguments.record or root / "coverage.json"
        if is_new := not recorded.exists():
            record(tree, sources, arguments.tests, recorded)
        read_record(tree, recorded)
        unchanged = [*tree.times]
        assert not (is_new and tree.is_killed(unchanged)), "a test fails where nothing is changed"
        print(f"{len(tree.times)} tests recorded in {time.monotonic() - start:.0f} s", flush=True)
        every = [m for file, source in sources.items() for m in mutants_of(file, source)]
        drawn = random.Random(arguments.seed).sample(every, min(arguments.mutants, len(every)))
        if arguments.only is not None:
            drawn = [m for m in every if f"{m.file}:{m.line}" in arguments.only]
        killed = tried = 0
        for mutant in drawn:
            if time.monotonic() - start > arguments.seconds:
                break
            text, before, after = mutant.text(sources[mutant.file])
            tree.write(mutant.file, text)
            tests = tree.tests(mutant, arguments.each)
            is_killed = tree.is_killed(tests)
            tree.write(mutant.file, sources[mutant.file])
            killed, tried = killed + is_killed, tried + 1
            if not is_killed:
                where = f"{mutant.file}:{mutant.line}"
                print(f"{where}: {before}  ->  {after}  ({len(tests)} tests)", flush=True)
            if tried % 25 == 0:
                print(f"{killed} of {tried} mutants found", flush=True)
    score = 100 * killed / max(tried, 1)
    print(
        f"{arguments.folder}: {killed} of {tried} mutants found, {score:.1f} %, of {len(every)}; seed "
        f"{arguments.seed}, {time.monotonic() - start:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
