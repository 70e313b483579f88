"""When a test may be skipped: only where the machine lacks what `optional.py` looks for.

Every other skip is a failure, an expected failure too. With RELAX_REQUIRE_ALL=1 every skip is one, and tests take
their full form (`optional.FULL`): those marked as `shortened` try more and larger cases, and C that is built as a
user's is optimised. So does all run in full, or the run fails. The same in two steps, as CI does it:

    pytest --write-left-out FILE     writes what was shortened or skipped, and which tests call C that is optimised in
                                     full; all of their file where a fixture called it, or files of it are used
    pytest --only-left-out FILE      runs just that; what does not come up again is a failure
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
import sampling
from hypothesis import is_hypothesis_test
from optional import FULL, MISSING, REQUIRE_ALL

from lowering.runtime import loading as runtime
from lowering.runtime import shared_object

Reports = Generator[None, Any, Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tests that are left out")
    group.addoption("--write-left-out", metavar="FILE", help="write what was skipped or shortened")
    group.addoption("--only-left-out", metavar="FILE", help="run what --write-left-out wrote")
    sampling.pytest_addoption(group)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "needs(tool...): skipped where a tool of optional.py is missing"
    )
    config.addinivalue_line(
        "markers", f"shortened: has a longer form, which {REQUIRE_ALL}=1 asks for"
    )
    sampling.pytest_configure(config)
    config.pluginmanager.register(LeftOut(config), "tests that are left out")
    if config.getoption("--write-left-out"):
        _watch_c()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for tool in mark.args:
            if not tool.found:
                pytest.skip(tool.reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties are tried with fewer examples in short: `optional.examples`."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("shortened")


OWN, SHARED = "calls optimised C", "hands on what optimised C gave"
"""The words in reports of tests: then the test, or all tests of its file, depend on how C is optimised."""
BUILT: set[Path] = set()
"""The libraries that are optimised in full alone, as a user's are; others name a level of their own."""
UNLOADED: set[Path] = set()
"""Those among them that were built since the last report, and of which nobody has made functions yet."""
OPTIMISED: set[int] = set()
"""The ids of their functions."""
MADE: set[int] = set()
CALLED: set[int] = set()
"""The ids of the functions of any library that were made and called since the last report."""


SPEED = shared_object.FLAGS["speed"]
"""The flags of C that is optimised in full, as `optional.py` has them."""


def _watch_c() -> None:
    """See which tests call C that is optimised in full alone."""
    compile_c, load, call = runtime.compile_c, runtime.load, runtime.CompiledFunction.__call__

    def compiled(*args: Any, extra_flags: Sequence[str] = (), **options: Any) -> Path:
        library = compile_c(*args, extra_flags=extra_flags, **options)
        is_named = any(flag.startswith("-O") for flag in extra_flags)  # the last one counts
        if is_named or shared_object.FLAGS["speed"] is not SPEED:  # `unoptimised.py`
            BUILT.discard(library)
        else:
            BUILT.add(library)
            UNLOADED.add(library)
        return library

    def loaded(path: str | Path, *args: Any, **options: Any) -> runtime.CompiledModule:
        module = load(path, *args, **options)
        if Path(path) in BUILT:
            UNLOADED.discard(Path(path))
            MADE.update(map(id, module.functions.values()))
            OPTIMISED.update(MADE)
        return module

    def called(function: runtime.CompiledFunction, /, *arguments: Any, **named: Any) -> Any:
        CALLED.add(id(function))
        return call(function, *arguments, **named)

    runtime.compile_c = shared_object.compile_c = compiled
    runtime.load = loaded
    runtime.CompiledFunction.__call__ = called


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Reports:
    report = refuse((yield))
    called = not OPTIMISED.isdisjoint(CALLED)
    if called or MADE:
        report.keywords[OWN] = 1
    if UNLOADED or (called and call.when == "setup"):
        report.keywords[SHARED] = 1
    for noted in (UNLOADED, MADE, CALLED):
        noted.clear()
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Reports:
    return refuse((yield))


def refuse(report: Any) -> Any:
    """The report, a failure if it is of a skip that is not allowed."""
    expected_failure = vars(report).pop("wasxfail", None)
    if expected_failure is not None:
        reason = f"an expected failure: {expected_failure}"
    elif report.skipped:
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
    else:
        return report
    if FULL:
        message = f"skipped, and {REQUIRE_ALL}=1 wants every test to run: {reason}"
    elif not reason.startswith(MISSING):
        message = (
            f"skipped, and not for a tool that test/unit/support/optional.py looks for: {reason}"
        )
    else:
        return report
    report.outcome, report.longrepr = "failed", f"{report.nodeid}: {message}"
    return report


class LeftOut:
    """Writes what was skipped or shortened, and runs no more than that again."""

    def __init__(self, config: pytest.Config) -> None:
        self.target: str | None = config.getoption("--write-left-out")
        source: str | None = config.getoption("--only-left-out")
        self.wanted = None if source is None else set(json.loads(Path(source).read_text("utf-8")))
        self.wanted_files = set(map(file_of, self.wanted or ()))
        self.left_out: set[str] = set()
        self.ran: set[str] = set()
        self.root = config.rootpath
        self.decides = not hasattr(config, "workerinput")  # not a worker of pytest-xdist

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Files without anything to run are not imported."""
        if self.wanted is None or collection_path.is_dir():
            return None
        name = collection_path.relative_to(self.root).as_posix()
        return None if name in self.wanted_files else True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if self.wanted is not None:
            unwanted = [i for i in items if not {i.nodeid, file_of(i.nodeid)} & self.wanted]
            _deselect(config, items, unwanted)
        if config.getoption(sampling.OPTION):
            left = sampling.left_out(items, config.getoption("--cpu", None) or "")
            self.left_out.update(item.nodeid for item in left)
            _deselect(config, items, left)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.left_out.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran |= {report.nodeid, file_of(report.nodeid)}
        if report.skipped or ("shortened" in report.keywords and not FULL):
            self.left_out.add(report.nodeid)
        if OWN in report.keywords and not FULL:
            self.left_out.add(report.nodeid)
        if SHARED in report.keywords and not FULL:
            self.left_out.add(file_of(report.nodeid))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist has ended; what a sample leaves out, only workers have collected."""
        self.left_out.update(getattr(node, "workeroutput", {}).get("left_out", ()))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.decides:
            vars(session.config)["workeroutput"]["left_out"] = sorted(self.left_out)
            return
        if self.target is not None:
            Path(self.target).write_text(json.dumps(sorted(self.left_out), indent=0), "utf-8")
        for test in sorted((self.wanted or set()) - self.ran):
            print(f"\nleft out before and not found again: {test}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _deselect(config: pytest.Config, items: list[pytest.Item], left: list[pytest.Item]) -> None:
    """Remove items from those to be run."""
    removed = set(left)
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in removed]


def file_of(test: str) -> str:
    """The file of a test's id."""
    return test.split("::", 1)[0]
