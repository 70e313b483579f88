"""Run the benchmarks on one core and print them as Markdown tables.

python -m bench [--only matmul conv operators digits compile legalize blocks sizes external
    patterns]
                [--json FILE] [--check]
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from bench import (
    compiler,
    convolution,
    external,
    kernels,
    mixed,
    operators,
    patterns,
    programs,
    sizes,
)
from bench.measuring import Table, use_one_core
from lowering import runtime

BENCHMARKS: dict[str, Callable[[], Iterable[Table]]] = {
    "matmul": lambda: [kernels.matmul()],
    "conv": lambda: [convolution.convolution()],
    "operators": lambda: (
        operators.speeds(title, rows)
        for title, rows in (
            ("Elementwise", operators.ELEMENTWISE),
            ("Reductions", operators.REDUCTIONS),
        )
    ),
    "digits": lambda: [kernels.digits()],
    "compile": lambda: [compiler.compile_time()],
    "legalize": lambda: [mixed.legalize()],
    "blocks": lambda: map(compiler.block, programs.BLOCKS),
    "sizes": lambda: map(sizes.size, sizes.SIZES),
    "external": external.external,
    "patterns": patterns.tables,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Benchmarks on one core.")
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=list(BENCHMARKS))
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is missed")
    arguments = parser.parse_args()
    use_one_core()
    compiler_name = " ".join(runtime.find_compiler())
    print(f"One core of {platform.machine()}, Python {platform.python_version()}, ", end="")
    print(f"numpy {np.__version__}, C compiler {compiler_name}\n")
    tables = []
    for name in arguments.only:
        for table in BENCHMARKS[name]():
            tables.append(table)
            print("\n".join(table.markdown()), flush=True)
    missed = [miss for table in tables for miss in table.missed]
    print("\n".join(f"missed: {miss}" for miss in missed) or "Every limit is met.")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(table) for table in tables], indent=1))
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
