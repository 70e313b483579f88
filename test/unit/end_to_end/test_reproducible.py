"""Same program, same bytes: whatever the hash seed, the process, the folder, the copy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import reproducible
from optional import amount, shortened

from lowering import to_c
from lowering.tools import relax_compile
from relax_dialect import parse

ROOT = Path(__file__).parents[3]
FILECHECK = ROOT / "test" / "filecheck"
FOLDERS = (
    *("lowering", "lowering/fuse_elementwise", "lowering/lower_functions", "lowering/packed"),
    *("rewrites/defunctionalize", "rewrites/lambda_lift", "rewrites/merge_composite_functions"),
    *("rewrites/propagate_shapes", "rewrites/to_graph_normal_form", "rewrites/topological_sort"),
)


def files() -> list[str]:
    """Programs with branches, closures, calls and loops."""
    found = (str(f) for d in FOLDERS[:: amount(1, 4)] for f in (FILECHECK / d).glob("*.mlir"))
    return sorted(found)[::2]


def start(seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, reproducible.__file__, str(seed), *files()]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.long
@shortened
def test_two_processes_make_the_same_of_a_program_and_of_its_copy():
    first, second = (run.communicate()[0].splitlines() for run in [start(2), start(7)])
    assert len(first) > amount(40, 15)
    assert [a for a, b in zip(first, second, strict=True) if a != b] == []


def test_names_that_end_in_numbers_do_not_tell_a_clone():
    """Assigning a hint takes a number off its end: a clone's clone would have lost two."""
    module = parse((FILECHECK / "rewrites/defunctionalize/targets.mlir").read_text())
    for op in module.walk():
        for result in op.results:
            result.name_hint = "v_3_2_1"
    forms = (module, module.clone(), module.clone().clone(), module)
    assert len({to_c(form).c for form in forms}) == 1


def test_the_folder_is_not_in_the_files(tmp_path: Path):
    made: list[list[bytes]] = []
    for folder in ("a", "some where/else"):
        (tmp_path / folder).mkdir(parents=True)
        program = tmp_path / folder / "gates.mlir"
        program.write_bytes((FILECHECK / "lowering/lower_functions/results.mlir").read_bytes())
        assert relax_compile.main([str(program), "-o", str(program.parent), "--emit", "c"]) == 0
        made.append([f.read_bytes() for f in sorted(program.parent.glob("gates.[chw]*"))])
    assert made[0] == made[1] and len(made[0]) >= 2
