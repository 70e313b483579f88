"""PyTorch's exported programs as modules: `load("model.pt2")` returns one, as `relax_dialect.load` does.

```python
from relax_dialect.frontends import torch as relax_torch

module = relax_torch.from_module(model, (x,), dynamic_shapes={"x": {0: Dim("n")}})
module = relax_torch.load("model.pt2")             # of torch.export.save
module = relax_torch.load(exported_program)        # of torch.export.export
```

The function is `@main`; its parameters are the tensors of the inputs, its result the output, or a tuple
of the tensors in it. `load_program` has the names and the tree of both. A `Dim` is a symbolic variable of
its name; its bounds, and the guards of the trace, are checked at the entry. Weights are constants, or
parameters after the inputs (`parameters="arguments"`), in the order of `state_dict`. A buffer that the
model changes is a parameter, and its new value a result.

Converters
----------

A file of `converters/` holds the operators of one family, under the name of our family in
`relax_dialect/ops/`; it is found by its path. A converter takes a `TorchNode` and returns its results:

```python
@converter("gelu")                       # all overloads of aten::gelu
def gelu(node: TorchNode) -> Any:
    return (op.gelu_tanh if node.arg("approximate") == "tanh" else op.gelu)(node.tensor(0))

@converter("max.dim", "min.dim")         # these overloads
def extreme(node: TorchNode) -> Any: ...
```

Arguments have the names of ATen's schema, or their indices. A result is converted to the element type, and
checked to have the sizes, that PyTorch states for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.torch.torch_package import part_of_torch

if TYPE_CHECKING:
    from relax_dialect.frontends.torch.exported_program import LoadedProgram

__all__ = ["TorchError", "from_module", "load", "load_program"]

WEIGHTS = ("constants", "arguments")


def load(program: Any, *, parameters: str = "constants", name: str | None = None) -> ModuleOp:
    """Return the module of a program, verified: of a `.pt2` file, or of an ExportedProgram.

    `parameters` makes weights "constants" or "arguments"; `name` is the model's name in errors. Raises
    `TorchError`, a `RelaxError`.
    """
    return load_program(program, parameters=parameters, name=name).module


def from_module(
    model: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    parameters: str = "constants",
) -> ModuleOp:
    """Export a model by example arguments, and return its module."""
    exported = part_of_torch().export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)
    return load(exported, parameters=parameters, name=type(model).__name__)


def load_program(
    program: Any, *, parameters: str = "constants", name: str | None = None
) -> LoadedProgram:
    """Load a module, with the names of its parameters and results, and its weights."""
    torch = part_of_torch()
    from relax_dialect.frontends.torch.exported_program import import_program

    if parameters not in WEIGHTS:
        raise TorchError(
            f"expected parameters among {', '.join(WEIGHTS)}, found {parameters!r}; pass one of them"
        )
    if isinstance(program, str | Path):
        name = name or Path(program).name
        program = read(program)
    if not isinstance(program, torch.export.ExportedProgram):
        raise TorchError(
            "expected the path of a .pt2 file or a torch.export.ExportedProgram, found "
            f"{type(program).__name__}; call torch.export.export, or from_module"
        )
    return import_program(program, name or "model", as_arguments=parameters == "arguments")


def read(path: str | Path) -> Any:
    """Return the ExportedProgram in a file of torch.export.save."""
    from relax_dialect.text.regular_files import open_regular

    torch = part_of_torch()
    try:
        open_regular(Path(path)).close()
        return torch.export.load(str(path))
    except OSError as error:
        raise TorchError(
            f"{path}: expected a readable file, found none: {error.strerror}; check the path"
        ) from None
    except Exception as error:  # the reader raises errors of many kinds
        first = str(error).partition("\n")[0]
        raise TorchError(
            f"{Path(path).name}: expected a program of torch.export.save, found a file that cannot be "
            f"read ({first}); save it again, with this version of PyTorch"
        ) from None
