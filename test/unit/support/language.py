"""Generator of the language page: its programs, their results, and the errors of its rules.

`python test/unit/support/language.py` fills docs/language.md in; `test_language.py` checks that it is up to date and
that compiled C returns the same. It fills in

- results of calls: the lines under `>>>` in blocks of `pycon`, which call the functions of the page's programs
- the error of an invalid program: the block of `text` after it
- the output of a pass on the previous program: the block after a line such as "`relax-dce` produces:"
- the rules of an op with their errors, after `<!-- rules relax.if E2: if_* -->`: first numbered rules, from the
  docstrings of the op and of the check of E2, with the files of test/filecheck/errors that break them, then
  the other files
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "language.md"
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "unit")]

from language_programs import Programs, session  # noqa: E402
from language_rules import matched, refused, rules  # noqa: E402

import lowering  # noqa: E402

END = "<!-- end of the rules -->"
_PART = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$"
    r"|^<!-- rules(?P<ops>[^:\n]*): (?P<files>[^\n]*) -->\n(?P<rules>.*?)" + re.escape(END),
    re.M | re.S,
)
_PASSES = re.compile(r"`(relax-[\w,={}-]+)` produces:\n+\Z")


class Reader:
    """Goes through the page and fills it in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.programs = Programs()
        self.last: ModuleOp | None = None
        self.wrong: str | None = None
        self.setup: dict[str, Any] = {"__name__": "language"}
        self.sessions: list[str] = []
        self.files: set[str] = set()
        """The files of errors that the sections name."""
        self.filled = _PART.sub(self._part, text)

    def _part(self, part: re.Match[str]) -> str:
        if part["files"] is not None:
            self.files |= {file.name for file in matched(part["files"])}
            head = f"<!-- rules{part['ops']}: {part['files']} -->\n"
            return f"{head}{rules(part['ops'], part['files'])}{END}"
        return f"```{part['language']}\n{self._block(part)}```"

    def _block(self, part: re.Match[str]) -> str:
        code = part["code"]
        match part["language"]:
            case "mlir":
                before = _PASSES.search(self.text[: part.start()])
                after = self.text[part.end() :].lstrip()
                if before is not None:
                    assert self.last is not None
                    self.last = self.last.clone()
                    lowering.lower(self.last, before[1].split(","))
                    return "".join(f"{op!s}\n" for op in self.last.ops)
                if after.startswith("```text\nerror:"):
                    self.wrong = refused(code)
                    return code
                self.programs.add(code)
                self.last = self.programs.modules[-1]
                return code
            case "python":
                exec(compile(code, str(PAGE), "exec"), self.setup)
                return code
            case "pycon":
                self.sessions.append(code)
                functions = self.programs.functions(self.programs.interpreted)
                return session(code, self.setup | functions)
            case "text" if self.wrong is not None:
                wrong, self.wrong = self.wrong, None
                return f"error: {wrong}\n"
            case _:
                return code


def read() -> Reader:
    """The page, read."""
    return Reader(PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(read().filled, "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
