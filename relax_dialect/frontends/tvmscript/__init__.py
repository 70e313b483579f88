"""Programs of TVM: TVMScript as modules.

```python
from relax_dialect.frontends import tvmscript

module = tvmscript.load("model.py")      # the output of TVM's `mod.script()`, or a script written by hand
module = tvmscript.loads(text)
module = tvmscript.from_tvm(mod)         # an IRModule, where TVM is installed
text = tvmscript.dump(module)            # and back: `tvm.script.from_source(text)` is an IRModule
```

The text is parsed by Python's `ast`: TVM is not needed, nothing of the text is run, and nothing that it
imports is imported. What cannot be read is listed whole, each with its line and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.frontends.tvmscript.script.script_source import ScriptError, Source, decoded

__all__ = ["ScriptError", "dump", "from_tvm", "load", "loads"]


def loads(
    text: str, name: str = "<tvmscript>", metadata: Mapping[str, Sequence[Any]] | None = None
) -> ModuleOp:
    """Return the module of a text, verified; `name` is the text's name in errors.

    `metadata` has the arrays of constants that the text names and does not hold, by kind and number:
    `{"ir.GenericConst": [np.zeros(4)]}`. Raises `ScriptError`.
    """
    from relax_dialect.frontends.tvmscript.script_module import ModuleReader
    from relax_dialect.parsing import deep_recursion

    if not isinstance(text, str):
        raise ScriptError(f"expected the text of a script, found {type(text).__name__}; pass a str")
    with deep_recursion():
        source = Source(text.removeprefix("\ufeff"), name)  # which editors on Windows write
        return ModuleReader(source, metadata or {}).run()


def load(path: str | Path) -> ModuleOp:
    """Return the module of a file, verified. Raises `ScriptError`."""
    from relax_dialect.parsing import ProgramError, read_bytes

    try:
        held = read_bytes(path)
    except ProgramError as error:
        raise ScriptError(str(error)) from None
    return loads(decoded(held, str(path)), str(path))


def from_tvm(module: Any) -> ModuleOp:
    """Return the module of TVM's IRModule, verified, its constants too. Raises `ScriptError`.

    Weights that a function carries in the attribute `params` are parameters here; TVM's `detach_params`
    returns their values.
    """
    from relax_dialect.frontends.tvmscript.script.installed import metadata_of, without_params

    if not hasattr(module, "get_global_vars"):
        raise ScriptError(f"expected an IRModule of TVM's, found {type(module).__name__}; pass one")
    module = without_params(module)
    return loads(module.script(), "<tvm>", metadata_of(module))


def dump(module: ModuleOp) -> str:
    """Return the module as a script that `tvm.script.from_source` takes; the module is unchanged.

    Names are kept unless Python reserves them; tensors are in the metadata, as TVM prints them. Ops that
    Relax cannot express are rewritten first; raises `RelaxError` with all that are left.
    """
    from relax_dialect.frontends.tvmscript.writing import dump
    from relax_dialect.parsing import blaming_program, deep_recursion

    with deep_recursion(), blaming_program(module):
        return dump(module)
