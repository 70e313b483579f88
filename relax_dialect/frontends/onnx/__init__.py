"""ONNX models as modules: `load("model.onnx")` returns a module, as `relax_dialect.load` does for a
`.mlir`.

```python
from relax_dialect.frontends import onnx

module = onnx.load("model.onnx")                          # sizes with names stay symbolic
module = onnx.load("model.onnx", dims={"batch": 1})       # ... or are fixed
module = onnx.load(model, bind={"axes": np.array([0])})   # a ModelProto; an input becomes a constant
```

A sequence must have a length that is known (`dims={"s": 3}`, or a shape for each element) and becomes a
tuple; an optional holds something unless it is bound to None.

The function is `@main`; its parameters are the inputs without an initializer, its result the output, or a
tuple of the outputs.

Converters
----------

A file of `converters/` holds the operators of one family, under the name of our family in
`relax_dialect/ops/`; it is found by its path. A converter takes a `Node` and returns its outputs:

```python
@converter("Softmax", since=13)          # from this opset on; the newest that fits is taken
def softmax(node: Node) -> Any:
    return op.softmax(node.tensor(0), node.attr("axis"))

@converter("Gelu", domain="com.microsoft")
def gelu(node: Node) -> Any: ...
```

The methods of a `Node` (node.py):

| | |
|---|---|
| `tensor(i)`, `optional(i)`, `tensors(first)` | inputs as values of the program, constants made at need |
| `scalar(i)` | an input of one element as a tensor of rank 0 |
| `array(i)`, `ints(i)`; `known(i)` | an input that must be known now; the same or None |
| `sizes(i)` | a vector of sizes as symbolic expressions, even if it is computed at run time |
| `shape(i)`, `rank(i)`, `dtype(i)`, `has(i)` | an input's type (numpy's dtype), whether it is present |
| `attr(name)`, `axis(rank)` | an attribute, or its default in ONNX; `axis` counted from the front |
| `choice(name, table)` | the entry of a table for an attribute that is one of its keys |
| `emit(expression)`, `shape_of(value)` | an expression emitted now, if its type is needed; its sizes |
| `fail`, `unsupported` | refuse the node, with expected, found, mend |
| `opset`, `op_type`, `outputs`, `inputs` | the node itself; an input may be `Known`, `Sizes` or a value |

A converter returns an expression of `relax_dialect.builder.op`, a value, a numpy array (then nothing is
emitted), or a tuple of these, one for each output (None for an unnamed output); an expression with several
results is all outputs, a list is the value of a sequence. `NotImplemented` leaves the node to the
operator's body in ONNX. Nodes with inputs that are known, or arrays of sizes, are computed
by `evaluators.py` before; operators without a converter are replaced by their bodies too, if they have one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.frontends.onnx.errors import OnnxError
from relax_dialect.text.regular_files import open_regular

if TYPE_CHECKING:
    from relax_dialect.frontends.onnx.model_signature import Dims

__all__ = ["LoadedModel", "OnnxError", "load", "load_model", "read"]


def load(
    model: Any,
    *,
    dims: Dims | None = None,
    bind: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> ModuleOp:
    """Return the module of a model, verified: of a file, or of a ModelProto.

    `dims` fixes sizes by their names, or the shape of an input by the name of the input (of a sequence the
    length, or a shape for each element); `bind` makes inputs constants, and the named sizes that it
    determines hold for all inputs. `name` is the model's name in errors. Raises `OnnxError`, a
    `RelaxError`.
    """
    return load_model(model, dims=dims, bind=bind, name=name).module


@dataclass(frozen=True)
class LoadedModel:
    """A module, and data of the model that the module does not have."""

    module: ModuleOp
    parameters: Sequence[str]
    """The model's names of the parameters: names in a program have fewer characters."""
    files: Sequence[str]
    """The files of its folder that hold data of its tensors."""
    nodes: int
    """The number of nodes of its graph."""


def load_model(
    model: Any,
    *,
    dims: Dims | None = None,
    bind: Mapping[str, Any] | None = None,
    name: str | None = None,
    folder: Path | None = None,
) -> LoadedModel:
    """Load a module, with the other data of the model; `folder` holds the data files of a ModelProto."""
    onnx = _package()
    from relax_dialect.frontends.onnx.context import Context
    from relax_dialect.frontends.onnx.importer import Importer
    from relax_dialect.frontends.onnx.model.model_text import check_text

    owned = isinstance(model, str | Path)
    if isinstance(model, str | Path):
        folder, name = Path(model).parent, name or Path(model).name
        model = read(model)
    elif not isinstance(model, onnx.ModelProto):  # pyright: ignore
        raise OnnxError(
            f"expected the path of a model or an onnx.ModelProto, found {type(model).__name__}"
        )
    files, nodes = check_text(model, name or "model"), len(model.graph.node)
    context = Context(name or model.graph.name or "model", folder, owned=owned)
    importer = Importer(model, context, dims or {}, bind or {})
    return LoadedModel(importer.run(), importer.parameters, files, nodes)


def _package() -> Any:
    """Import the package of the format."""
    try:
        import onnx
    except ModuleNotFoundError:
        raise OnnxError(
            "expected the package onnx, which reads the files, found none; pip install 'relax-xdsl[onnx]'"
        ) from None
    return onnx


def read(model: str | Path) -> Any:
    """Return the ModelProto in a file, without large data and data in other files.

    Raises `OnnxError`.
    """
    onnx, path = _package(), Path(model)
    from google.protobuf.message import DecodeError

    from relax_dialect.frontends.onnx.model.large_data import read_without_data

    try:
        open_regular(path).close()
        return read_without_data(path) or onnx.load_model(str(path), load_external_data=False)  # pyright: ignore
    except OSError as error:
        raise OnnxError(
            f"{path}: expected a readable file, found none: {error.strerror}; check the path"
        ) from None
    except (DecodeError, ValueError) as error:
        raise OnnxError(
            f"{path.name}: expected a model in ONNX's format, found a file that cannot be parsed "
            f"({error}); it is damaged, or of another kind"
        ) from None
