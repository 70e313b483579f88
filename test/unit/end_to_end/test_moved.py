"""Old names of modules warn for one release, and give what the new ones do."""

import sys
from importlib import import_module

import pytest
from test_layers import MOVED


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
