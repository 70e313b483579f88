"""When a test may be skipped: only where the machine lacks what `optional.py` looks for.

Every other skip is a failure, an expected failure too. With RELAX_REQUIRE_ALL=1 every skip is one, and tests take
their full form (`optional.FULL`): those marked as `shortened` try more and larger cases, and C that is built as a
user's is optimised. So does all run in full, or the run fails. The same in two steps, as CI does it:

    pytest --write-left-out FILE     writes what was shortened or skipped: tests, and files whose C is optimised in full
    pytest --only-left-out FILE      runs just that; what does not come up again is a failure
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test
from optional import FULL, MISSING, REQUIRE_ALL

from lowering.runtime import loading as runtime
from lowering.runtime import shared_object

Reports = Generator[None, Any, Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tests that are left out")
    group.addoption("--write-left-out", metavar="FILE", help="write what was skipped or shortened")
    group.addoption("--only-left-out", metavar="FILE", help="run what --write-left-out wrote")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "needs(tool...): skipped where a tool of optional.py is missing"
    )
    config.addinivalue_line(
        "markers", f"shortened: has a longer form, which {REQUIRE_ALL}=1 asks for"
    )
    config.pluginmanager.register(LeftOut(config), "tests that are left out")


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


COMPILED: list[object] = []
"""The models compiled since the last report, but for those that are optimised alike in short and in full."""


def _count_models() -> None:
    compile_c = runtime.compile_c

    def counted(*args: Any, extra_flags: Sequence[str] = (), **options: Any) -> Path:
        if not any(flag.startswith("-O") for flag in extra_flags):  # the last one counts
            COMPILED.append(args[0])
        return compile_c(*args, extra_flags=extra_flags, **options)

    runtime.compile_c = shared_object.compile_c = counted


_count_models()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Reports:
    report = refuse((yield))
    if COMPILED:
        report.keywords["compiles C"] = 1
        COMPILED.clear()
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
        message = f"skipped, and not for a tool that test/unit/optional.py looks for: {reason}"
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
        self.left_out: set[str] = set()
        self.ran: set[str] = set()
        self.root = config.rootpath
        self.decides = not hasattr(config, "workerinput")  # not a worker of pytest-xdist

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Files without anything to run are not imported."""
        if self.wanted is None or collection_path.is_dir():
            return None
        name = collection_path.relative_to(self.root).as_posix()
        return None if name in {file_of(test) for test in self.wanted} else True

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if self.wanted is None:
            return
        kept = [item for item in items if {item.nodeid, file_of(item.nodeid)} & self.wanted]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.left_out.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran |= {report.nodeid, file_of(report.nodeid)}
        if report.skipped or ("shortened" in report.keywords and not FULL):
            self.left_out.add(report.nodeid)
        if "compiles C" in report.keywords and not FULL:
            self.left_out.add(file_of(report.nodeid))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.decides:
            return
        if self.target is not None:
            Path(self.target).write_text(json.dumps(sorted(self.left_out), indent=0), "utf-8")
        for test in sorted((self.wanted or set()) - self.ran):
            print(f"\nleft out before and not found again: {test}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def file_of(test: str) -> str:
    """The file of a test's id."""
    return test.split("::", 1)[0]
