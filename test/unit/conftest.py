"""Lets every test below import the helpers of `support`, `from mlir_oracle import ...`; skips are those of
`support/skips.py`."""

import gc
import os
import sys
from pathlib import Path

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import settings
from hypothesis.internal.conjecture import providers

WORKER = "PYTEST_XDIST_WORKER" in os.environ
"""Whether this process is one of several, one to a core."""

if WORKER:
    # Before numpy and its kind are loaded: threads that wait for each other turn on a core that others need.
    for library in ("OPENBLAS", "OMP", "MKL", "TVM"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

UNIT = Path(__file__).parent
sys.path[:0] = [str(UNIT / "support"), str(UNIT)]

os.environ["RELAX_CACHE_LIMIT"] = (
    "0"  # what is tested is built now, and the user's cache stays as it is
)

settings.register_profile("repeatable", derandomize=True, deadline=None)
if "RELAX_EXAMPLES" not in os.environ:
    settings.load_profile("repeatable")
    if hasattr(providers, "_get_local_constants"):
        # No numbers of our files among what is drawn: a test would depend on which files its worker has imported,
        # and on every change of a number in one of them.
        providers._get_local_constants = lambda: providers._local_constants

if os.environ.get("RELAX_ABSTRACT_CLASSES") != "1":
    from plain_classes import use_plain_classes

    use_plain_classes()

import file_order  # noqa: E402
import optional  # noqa: E402
import other_cpu  # noqa: E402
import skips  # noqa: E402
import tiny_tiles  # noqa: E402
from skips import *  # noqa: E402, F403 - the hooks of pytest

from lowering.runtime import c_command  # noqa: E402
from relax_dialect.threads import RARELY  # noqa: E402

gc.set_threshold(*RARELY)

if WORKER:
    # C that is compiled in parts at the same time only takes a third more of the cores.
    c_command.cores = lambda: 1


def pytest_addoption(parser: pytest.Parser) -> None:
    skips.pytest_addoption(parser)
    parser.addoption(
        "--cpu", choices=other_cpu.CHOICES, help="the CPU of this machine: other_cpu.py"
    )
    parser.addoption("--tiles", choices=["tiny"], help="how large tiles are: see tiny_tiles.py")


def pytest_configure(config: pytest.Config) -> None:
    skips.pytest_configure(config)
    if WORKER:
        config.pluginmanager.register(file_order)
    if config.getoption("--cpu"):
        other_cpu.use_cpu(config.getoption("--cpu"))
        config.pluginmanager.register(other_cpu)
    if config.getoption("--tiles") == "tiny":
        tiny_tiles.use_tiny_tiles(pytest.MonkeyPatch())
        config.pluginmanager.register(tiny_tiles)


def pytest_sessionstart(session: pytest.Session) -> None:
    if (descriptor := session.config.stash.get(fault_handler_stderr_fd_key, None)) is not None:
        optional.traces[:] = [descriptor]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What fails is told at once, too: a run that is ended from outside tells nothing at its end."""
    if report.failed and not WORKER:
        lines = report.longreprtext.splitlines()
        print(
            "", f"FAILED {report.nodeid}", *lines[-12:], sep="\n", file=sys.__stderr__, flush=True
        )


@pytest.fixture(scope="module")
def what_is_older_stays() -> None:
    """For files that look for garbage after each test: they look at their own objects alone, in an instant."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Imported and collected objects stay: looking through them for garbage again and again takes long."""
    gc.collect()
    gc.freeze()
