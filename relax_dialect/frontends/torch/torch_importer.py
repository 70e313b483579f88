"""From an exported program to a module: its nodes in order, each by the converter of its operator.

PyTorch states the type of each result, with sizes as expressions. A result whose inferred sizes are not
proved to be these is checked at run time (`relax.match_cast`), which defines sizes that depend on data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    i64,
)

from relax_dialect.builder import Expression, Value, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.graph_builder import GraphBuilder
from relax_dialect.frontends.torch import buffer_updates, registry
from relax_dialect.frontends.torch.coverage import is_number
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.torch.fx_graphs import attribute, source_line
from relax_dialect.frontends.torch.python_scalars import PythonScalars, is_symbolic_number
from relax_dialect.frontends.torch.size_checks import RELATIONS, require
from relax_dialect.frontends.torch.sizes import Sizes
from relax_dialect.frontends.torch.torch_dtypes import array_of, spelling
from relax_dialect.frontends.torch.torch_node import TorchNode, equal_shapes, is_node
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr


class TorchImporter:
    """Converts the nodes of graphs; a frontend declares the function around them."""

    def __init__(self, name: str, sizes: Sizes):
        self.name, self.sizes = name, sizes
        self.builder = GraphBuilder()
        self.values: dict[Any, Any] = {}
        """The value of each node: of the program, a list of values, or a module of a graph inside."""
        self.scalars = PythonScalars(self)

    # Values -----------------------------------------------------------------------------------

    def size_of(self, size: Any) -> Expr:
        """Return a size as an expression."""
        if isinstance(size, bool) or not (isinstance(size, int) or hasattr(size, "node")):
            raise TorchError(f"{self.name}: expected a size, found {size!r}; fix it to an integer")
        return self.sizes.expr(size)

    def tensor_of(self, node: Any) -> Value:
        """Return the value of a node as a tensor; a size becomes one of rank 0."""
        found = self.values.get(node)
        if isinstance(found, Value):
            return found
        example = node.meta.get("val")
        if not is_symbolic_number(example):
            raise TorchError(f"{self.name}: expected a tensor, found {node.name} = {example!r}")
        return self.scalars.tensor(example)

    def dtype_of(self, example: Any) -> str:
        """Return the element type of a fake tensor."""
        return spelling(example.dtype)

    def constant(self, tensor: Any, hint: str) -> Value:
        """Return a tensor of the model as a constant of the program."""
        return self.builder.emit(const(array_of(tensor)), hint)

    # Nodes ------------------------------------------------------------------------------------

    def run(self, graph_module: Any) -> list[Any]:
        """Convert the nodes of a graph whose placeholders have values; returns its output nodes."""
        for node in graph_module.graph.nodes:
            if node.op == "output":
                found = node.args[0]
                return list(found) if isinstance(found, list | tuple) else [found]
            if node.op == "get_attr":
                self.values[node] = self._attribute(graph_module, node)
            elif node.op == "call_function":
                self._locate(node)
                self.convert(node)
        raise TorchError(
            f"{self.name}: expected a graph with an output, found none; export it again"
        )

    def inline(self, graph_module: Any, arguments: Sequence[Any]) -> list[Any]:
        """Convert a graph inside of a node, with the nodes or values that its placeholders are."""
        placeholders = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
        for placeholder, argument in zip(placeholders, arguments, strict=True):
            self.values[placeholder] = self.values.get(argument) if is_node(argument) else argument
        return self.run(graph_module)

    def _attribute(self, graph_module: Any, node: Any) -> Any:
        found = attribute(graph_module, node.target)
        return found if hasattr(found, "graph") else self.constant(found, node.name)

    def _locate(self, node: Any) -> None:
        self.builder.locate(source_line(node) or node.name)

    def convert(self, node: Any) -> None:
        """Convert one node."""
        example = node.meta.get("val")
        name = registry.name_of(node.target)
        is_update = buffer_updates.is_update(node) and registry.find(name) is None
        name = (buffer_updates.functional_name(node) if is_update else None) or name
        convert = registry.find(name)
        if name == registry.FIELD:
            self.values[node] = self.values[node.args[0]][node.args[1]]
            return
        if convert is None and is_number(example):
            return  # arithmetic of sizes: the expression of the example is enough
        wrapped = TorchNode(self, node, name)
        if convert is None:
            wrapped.unsupported("it has no converter")
        try:
            assert convert is not None
            found = convert(wrapped)
            self.values[node] = self._settled_all(found, example, node.name)
            if is_update:
                self._update(node)
        except TorchError:
            raise
        except RelaxError as error:
            raise wrapped.error(str(error)) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise wrapped.error(
                f"expected arguments that its converter takes, found {node.format_node()}; change "
                "the model"
            ) from error

    def _update(self, node: Any) -> None:
        """Replace the values of all nodes that have the memory that an operator writes to."""
        names = [
            n for n in buffer_updates.names_of(buffer_updates.base_of(node)) if n in self.values
        ]
        self.values.update(dict.fromkeys(names, self.values[node]))

    def check(self, node: TorchNode) -> None:
        """Emit the check of an assertion, unless it is proved."""
        if not node.operator.endswith(("_assert_scalar", "_assert_async")):
            return
        given = node.arg(0)
        example = given.meta["val"] if is_node(given) else given
        expr: Any = getattr(getattr(example, "node", None), "expr", None)
        relation = RELATIONS.get(type(expr).__name__)
        if relation is not None:
            require(self.builder, relation, *map(self.sizes.expr, expr.args))
        elif not isinstance(example, bool):
            message = str(node.arg("assert_msg") or node.arg(1) or f"{node.fx.name} is false")
            condition = op.astype(op.reshape(self.tensor_of(given), []), "i1")
            self.builder.emit(
                op.assert_op(condition, format=message.replace("{", "(").replace("}", ")"))
            )

    def _settled_all(self, found: Any, example: Any, hint: str) -> Any:
        if not isinstance(example, list | tuple):
            return self._settled(found, example, hint)
        if isinstance(found, Expression):
            found = self.builder.emit(found)
        if isinstance(found, Value):
            found = [self.builder.emit(field) for field in found]
        pairs = zip([*found, *[None] * (len(example) - len(found))], example)
        return [self._settled(f, e, f"{hint}_{i}") for i, (f, e) in enumerate(pairs)]

    def _settled(self, found: Any, example: Any, hint: str) -> Any:
        """Return a result as a value of the element type and the sizes that PyTorch states."""
        if isinstance(found, Expression):
            found = self.builder.emit(found, hint)
        if not isinstance(found, Value) or not hasattr(example, "shape"):
            return found
        dtype = spelling(example.dtype)
        if str(found.dtype) != dtype:
            found = self.builder.emit(op.astype(found, dtype), hint)
        shape = [self.size_of(size) for size in example.shape]
        if found.shape is not None and equal_shapes(found.shape, shape):
            return found
        return self.builder.match_cast(found, TensorType(shape, found.dtype))


def state_results(function: Any, names: Sequence[str], inputs: int | None) -> None:
    """Note the names of the results of a function, and the number of parameters that are no weights."""
    from relax_dialect.prim.signature import RESULT_NAMES

    function.attributes[RESULT_NAMES] = ArrayAttr(StringAttr(name) for name in names)
    if inputs is not None:
        function.attributes["num_input"] = IntegerAttr(inputs, i64)
