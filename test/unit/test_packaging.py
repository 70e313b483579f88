"""What is installed is what stands in the packages, and the source distribution holds the whole project."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = CONFIGURATION["project"]
DATA: dict[str, list[str]] = CONFIGURATION["tool"]["setuptools"]["package-data"]
PACKAGES = sorted(DATA)


def files_of(package: str) -> list[Path]:
    found = [path for path in (ROOT / package).rglob("*") if path.is_file()]
    return [path for path in found if "__pycache__" not in path.parts]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_of_a_package_is_installed(package: str):
    data = {path for pattern in DATA[package] for path in (ROOT / package).glob(pattern)}
    found = files_of(package)
    assert [path for path in found if path.suffix != ".py" and path not in data] == []
    assert {path.parent for path in found} == {
        path.parent for path in found if path.stem == "__init__"
    }


def test_the_packages_are_all_there_are_and_no_pattern_of_files_is_idle():
    find = CONFIGURATION["tool"]["setuptools"]["packages"]["find"]
    assert sorted(pattern.removesuffix("*") for pattern in find["include"]) == PACKAGES
    top = [path.parent.name for path in ROOT.glob("*/__init__.py")]
    assert sorted(n for n in top if any(fnmatch.fnmatch(n, p) for p in find["include"])) == PACKAGES
    idle = [(name, p) for name in DATA for p in DATA[name] if not list((ROOT / name).glob(p))]
    assert idle == []


def test_commands_and_entry_points_name_what_is_there():
    named = dict(PROJECT["scripts"])
    for group in PROJECT["entry-points"].values():
        named |= group
    for place in named.values():
        module, _, name = place.partition(":")
        assert hasattr(import_module(module), name), place


def test_the_source_distribution_holds_the_project():
    words = [line.split() for line in (ROOT / "MANIFEST.in").read_text("utf-8").splitlines()]
    listed = {name for word, *names in words if word in ("include", "graft") for name in names}
    assert [name for name in listed if not (ROOT / name).exists()] == []
    built = {"pyproject.toml", "MANIFEST.in", PROJECT["readme"], *PACKAGES}  # setuptools adds these
    ignored = (
        (ROOT / ".gitignore").read_text("utf-8").split() if (ROOT / ".gitignore").exists() else []
    )
    patterns = [".*", "PKG-INFO", "setup.cfg", "__pycache__", *(p.rstrip("/") for p in ignored)]
    found = {path.name for path in ROOT.iterdir()} - listed - built
    assert [n for n in found if not any(fnmatch.fnmatch(n, p) for p in patterns)] == []


def test_the_oldest_xdsl_that_is_allowed_is_tried():
    """`make pytest-xdsl`, which CI runs."""
    (allowed,) = (need for need in PROJECT["dependencies"] if need.startswith("xdsl"))
    oldest = re.search(r"^XDSL \?= (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert oldest is not None and allowed.startswith(f"xdsl>={oldest[1]},<")


def test_the_pythons_that_are_named_are_those_that_are_taken():
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if ":: Python :: 3." in c]
    assert f">={named[0]}" == PROJECT["requires-python"]
    assert named == [f"3.{11 + i}" for i in range(len(named))]
