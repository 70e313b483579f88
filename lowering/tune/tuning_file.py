"""The file of a search: schedules as `--schedules` reads them, and in comments what has been tried.

// relax-tune {"cpu": "x86_64_v3", "opt_level": 1, "threads": 1, "sizes": [{"n": 64}], ...}
// relax-tune {"kernel": "matmul_relu", "speedup": 1.08, "settings": {...}, "tried": [...], ...}
@matmul_relu:
  expect(cpu=x86_64_v3, kernel=k1f9c3ab2e07d)
  ...
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lowering.schedule.schedule import as_text
from lowering.support.whole_files import write_whole
from lowering.tune.search import KernelSearch, Record
from relax_dialect.errors import RelaxError

MARK = "// relax-tune "

Head = Mapping[str, Any]
"""The machine and the options that times depend on, by name."""


def write(path: Path, head: Head, searches: Iterable[KernelSearch]) -> None:
    """Write the state of a search; whoever reads the file meanwhile sees the old or the new one."""
    write_whole(path, "".join(_lines(head, searches)).encode())


def _lines(head: Head, searches: Iterable[KernelSearch]) -> Iterator[str]:
    yield f"{MARK}{json.dumps(head)}\n"
    for search in searches:
        yield f"{MARK}{json.dumps(asdict(search.record))}\n"
        yield as_text(search.schedules)


def records(path: Path, head: Head, kernels: Mapping[str, str]) -> Mapping[str, Record]:
    """Return what an earlier search of the same program found, by kernel; nothing if there is no file.

    `kernels` has the digests of the program's kernels. Raises `RelaxError` for a file of another program,
    or of a search with other options.
    """
    if not path.exists():
        return {}
    first, *rest = _entries(path)
    for name, value in head.items():
        if first.get(name) != value:
            raise _other(path, f"the {name.replace('_', ' ')} {value}", first.get(name))
    try:
        found = [Record(**entry) for entry in rest]
    except TypeError:
        raise _other(path, "records of relax-tune", "others") from None
    for record in found:
        if kernels.get(record.kernel) != record.digest:
            known = f"@{record.kernel} ({record.digest})"
            raise _other(path, "the kernels of this program", f"{known}, which is none of them")
    return {record.kernel: record for record in found}


def _entries(path: Path) -> Sequence[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [json.loads(line.removeprefix(MARK)) for line in lines if line.startswith(MARK)]
    except (OSError, ValueError) as error:
        raise _other(path, "a file of relax-tune", f"none that can be read: {error}") from None
    if not found or not all(isinstance(entry, dict) for entry in found):
        raise _other(path, "a file of relax-tune", "another file")
    return found


def _other(path: Path, expected: str, found: object) -> RelaxError:
    return RelaxError(
        f"--output {path}: expected {expected}, to go on with the search, found {found}; name another "
        "file, or remove this one"
    )
