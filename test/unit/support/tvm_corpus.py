"""Modules that TVM's front ends make, read by us, written again and compared: how many come back as they were.

    python test/unit/support/tvm_corpus.py [--make] [--only WORD] [--every N] [--verbose]

The scripts of some 1,500 modules (`tvm_modules.py`) are made once, in some minutes, and stay in build/tvm_corpus,
until `--make` makes them anew; those that TVM itself does not read back are left out. A module passes through the
stages in their order, and counts in the first one that it fails in, with the reason.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tvm  # pyright: ignore[reportMissingImports]
import tvm_modules
from isolated import each
from tvm import relax  # pyright: ignore[reportMissingImports]
from tvm_scripts import script

from relax_dialect import RelaxError, verify
from relax_dialect.frontends import tvmscript

FOLDER = Path(__file__).parents[3] / "build" / "tvm_corpus"
STAGES = ("read", "verified", "written", "read by TVM", "well formed", "equal")
EQUAL = "equal"


KNOWN: dict[str, str] = {
    "two coordinates in the last": "TVM's importer of PyTorch passes the grid with its axes in PyTorch's order",
    "tvm.contrib.sort.argsort": "calls a function of TVM's runtime from within a prim func",
    'I.GlobalVar("equal")].body': "a comparison of booleans comes back as one of int8",
    'tir_round")].body': "T.nearbyint comes back as T.round, which is the same",
    'elem_offset"': "offsets of buffers, which are 0, are not kept",
    ".elem_offset:": "offsets of buffers, which are 0, are not kept",
    "alloc_buffers[<missing": "what no result needs is left out",
    ".value.args[N].fields[N].value:": "an end beyond any size comes back as the largest size",
    ".value.args[N].fields[N]:": "of 0 and a size the larger is the size",
    "blocks[N].bindings[N].value.args[N].value:": "texts that a format shows come back within the format",
    "fused_softmax_castN_tir_logical": "a conversion of booleans comes back by way of another type",
    "fused_greater_equal_where": "a product of booleans comes back as `and`",
    "bindings[N].value.ty.shape.ty.values": "aligned regions, which are moved there and back",
    "not well-formed": "sizes by min and max, which TVM does not simplify as we do",
}
"""Why modules fail, by a part of the reason, where it is known."""


def scripts(only: str = "", *, make: bool = False) -> Iterable[tuple[str, str]]:
    """The names and scripts of all modules whose name has a word."""
    if make:
        shutil.rmtree(FOLDER, ignore_errors=True)
    done = FOLDER / "done"
    if not done.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        lost = Counter(written(name, module) for name, module in tvm_modules.modules())
        report = "\n".join(f"{count} {reason}" for reason, count in lost.most_common())
        done.write_text(report + "\n")
        print(report, file=sys.stderr)
    for path in sorted(FOLDER.glob("*.py")):
        if only in path.stem:
            yield path.stem, path.read_text()


def written(name: str, module: Any) -> str:
    """Write the script of a module, if TVM reads it back; gives what became of it."""
    try:
        text = script(module)
        tvm.ir.assert_structural_equal(tvm.script.from_source(text), module)
    except Exception as error:
        return f"not read back by TVM: {general(error)}"
    (FOLDER / f"{name}.py").write_text(text)
    return "written"


def general(error: Exception) -> str:
    """The first line of an error, without places, names and numbers."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    told = next((line for line in lines if "error:" in line), lines[0])
    told = re.sub(r"^.*?error: ", "", told)
    return re.sub(r"\d+", "N", re.sub(r"[%@][\w.]+", "@", told))[:150]


def fate(text: str) -> tuple[str, str]:
    """The stage that a script fails in, `equal` if it passes all, and the reason."""
    stage = STAGES[0]
    try:
        module = tvmscript.loads(text)
        stage = STAGES[1]
        verify(module)
        stage = STAGES[2]
        ours = tvmscript.dump(module)
        stage = STAGES[3]
        back = tvm.script.from_source(ours)
        stage = STAGES[4]
        relax.analysis.well_formed(back)
        stage = STAGES[5]
        tvm.ir.assert_structural_equal(back, tvm.script.from_source(text))
    except Exception as error:
        kind = "" if isinstance(error, RelaxError) else f"{type(error).__name__}: "
        return stage, kind + general(error)
    return stage, ""


def fates_of(found: Sequence[tuple[str, str]], jobs: int = 2) -> dict[str, tuple[str, str]]:
    """The fates of scripts by name, each found in a process that TVM may end."""
    outcomes = each(lambda script: fate(script[1]), found, jobs)
    return {found[i][0]: result or ("read by TVM", why) for i, result, why in outcomes}


def report(
    fates: Mapping[str, tuple[str, str]], stages: Sequence[str] = STAGES, *, verbose: bool
) -> None:
    """Say how many modules passed which stage, and why not."""
    failed: dict[str, Counter[str]] = defaultdict(Counter)
    for stage, reason in fates.values():
        if reason:
            failed[stage][reason] += 1
    left = len(fates)
    print(f"{left} modules")
    for stage in stages:
        left -= failed[stage].total()
        print(f"{stage}: {left}, {left / max(1, len(fates)):.1%}")
        for reason, count in failed[stage].most_common(None if verbose else 12):
            known = next((why for part, why in KNOWN.items() if part in reason), "not known")
            print(f"    {count} {known}: {reason}")
            if verbose:
                print("       ", *[n for n, told in fates.items() if told == (stage, reason)][:6])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", action="store_true", help="make the scripts anew")
    parser.add_argument("--only", default="", help="modules whose name has this word")
    parser.add_argument("--every", type=int, default=1, help="every N-th module")
    parser.add_argument("--jobs", type=int, default=2, help="so many processes")
    parser.add_argument("--verbose", action="store_true", help="all reasons, with names")
    args = parser.parse_args()
    found = list(scripts(args.only, make=args.make))[:: args.every]
    report(fates_of(found, args.jobs), verbose=args.verbose)


if __name__ == "__main__":
    main()
