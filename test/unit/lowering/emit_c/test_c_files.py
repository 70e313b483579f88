"""The C files of the helpers compile alone, and say what each helper needs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from optional import MPI, needs
from strict_c import STRICT

from lowering.emit_c.helpers import c_files, caller_arena
from lowering.emit_c.helpers.c_files import Helper, fill, helpers_of
from lowering.emit_c.helpers.used_helpers import UsedHelpers, runtime_helpers
from lowering.emit_c.syntax.layout import words
from lowering.support.mpi import wrapper_flags

FOLDER = Path(c_files.__file__).parent
MPI_FILES = sorted(path.name for path in FOLDER.glob("mpi*.c"))
C_FILES = sorted({path.name for path in FOLDER.glob("*.c")} - {*MPI_FILES})
PLACEHOLDERS = {*re.findall(r"^#define (\w+) ", (FOLDER / "prelude.h").read_text("utf-8"), re.M)}

_DEFINED = re.compile(
    r"^(?:static .*?(\w+)\(|(struct \w+) \{|#define (\w+)|static [^(=]*?(\w+)(?:\[\w*\])?;)", re.M
)
"""Matches the definition of a function, a structure, a macro or a variable."""

_NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
"""Matches comments and strings."""


def defined(helper: Helper) -> set[str]:
    return {name for names in _DEFINED.findall(helper.text) for name in names if name}


def reached(name: str, known: Mapping[str, Helper]) -> set[str]:
    """The helpers that are emitted with one."""
    found, work = {name}, [name]
    while work:
        added = {*known[work.pop()].needs} - found
        found |= added
        work += added
    return found


@pytest.mark.slow
def test_each_file_compiles_alone(cc: str):
    compile_alone(cc, *C_FILES)


@needs(MPI)
@pytest.mark.slow
def test_each_file_of_mpi_compiles_alone(cc: str):
    includes, _ = wrapper_flags()
    compile_alone(cc, *(flag.replace("-I", "-isystem") for flag in includes), *MPI_FILES)


def compile_alone(cc: str, *words: str) -> None:
    unused = ("-Wno-unused-function", "-Wno-unused-variable")
    command = [cc, "-std=c11", *STRICT, *unused, "-fsyntax-only", *words]
    run = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("has_arena", [False, True])
def test_a_helper_needs_what_its_text_uses(has_arena: bool):
    known = dict(UsedHelpers(has_arena=has_arena)._known)
    for name in helpers_of("arena.c") if has_arena else ():
        if name not in caller_arena.helpers():
            del known[name]  # keeps memory in an arena of its own
    owner = {name: helper for helper in known for name in defined(known[helper])}
    assert {"set_error", "last_error", "struct buffer", "capture", "NOINLINE"} <= owner.keys()
    missing = {
        (helper, word)
        for helper in known
        for word in re.findall(r"(?:struct )?\w+", _NO_CODE.sub("", known[helper].text))
        if owner.get(word, helper) not in reached(helper, known)
    }
    assert missing == set()


@pytest.mark.parametrize("has_arena", [False, True])
def test_every_name_is_filled_in(has_arena: bool):
    helpers = UsedHelpers(has_arena=has_arena)
    given = {"NAME": "model", "UPPER": "MODEL", "RECURSION_LIMIT": "100", "TOO_DEEP": "too deep"}
    given["MOST_THREADS"] = "256"
    text = "".join(helpers.texts(helpers._known, given))
    assert PLACEHOLDERS & {*words(text)} == set()
    assert not re.search(r"\bNAME|///", text)
    assert {"MAX_EXTENT", "RECURSION_LIMIT", "SLACK"} <= PLACEHOLDERS


def test_helpers_of_the_callers_arena_have_the_signatures_of_the_others():
    def heads(text: str) -> set[str]:
        return {*re.findall(r"^static [^;{]*\)(?=\n\{)", text, re.M)}

    others = runtime_helpers()
    replaced = {name: h for name, h in caller_arena.helpers().items() if name in others}
    assert len(replaced) == 5
    for name, helper in replaced.items():
        assert heads(helper.text) <= heads(others[name].text) != set()
    counting = [each["allocate"].text.partition("static") for each in (replaced, others)]
    counted = {text[2].partition("        bytes *= sizes[i];\n    }\n")[0] for text in counting}
    assert len(counted) == 1 and "too large for memory" in counted.pop()


def test_a_file_is_split_at_its_markers(tmp_path: Path):
    file = tmp_path / "some.c"
    file.write_text(
        '#include "prelude.h"\n\n/// first\nint a;\n\nint b;\n\n/// second: first, third\n'
        "/* not /// third */\nint c;\n\n///\n#define d e\n\n/// third\nint d;\n"
    )
    assert helpers_of(str(file)) == {
        "first": ((), "int a;\n\nint b;\n"),
        "second": (("first", "third"), "/* not /// third */\nint c;\n"),
        "third": ((), "int d;\n"),
    }


def test_names_are_filled_in_as_whole_words():
    values = {"T": "float", "TO": "f32", "NAME": "model"}
    assert (
        fill("T NAME_as_TO(T); /* NAME.h */", values) == "float model_as_f32(float); /* model.h */"
    )
    assert fill("int TOP, NAMES, aT, T2;", values) == "int TOP, NAMES, aT, T2;"
