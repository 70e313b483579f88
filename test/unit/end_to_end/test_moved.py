"""Old names of modules warn for one release, and give what the new ones do."""

import sys
from importlib import import_module

import pytest
from test_layers import imports

MOVED = {
    "relax_dialect.call_graph": "relax_dialect.ir.call_graph",
    "relax_dialect.dpl.view": "relax_dialect.dpl.look_through",
    "relax_dialect.prim_func": "relax_dialect.prim.signature",
    "relax_dialect.recursion": "relax_dialect.analysis.recursion",
    "relax_dialect.rewrites.regions": "relax_dialect.transform.regions",
    "relax_dialect.traits": "relax_dialect.ir.traits",
    "relax_dialect.types": "relax_dialect.ir.types",
}


@pytest.mark.parametrize("old", MOVED)
def test_old_names_warn(old: str):
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"{old} is now {MOVED[old]}$"):
        module = import_module(old)
    new = vars(import_module(MOVED[old]))
    own = {
        n for n, v in new.items() if n[0].isalpha() and getattr(v, "__module__", "") == MOVED[old]
    }
    assert own and {n for n in own if getattr(module, n, None) is not new[n]} == set()


def test_nothing_of_ours_takes_old_names():
    assert [name for name, others in imports().items() if others & MOVED.keys()] == []
