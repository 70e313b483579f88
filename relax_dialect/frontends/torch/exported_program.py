"""The function of an exported program: parameters, weights, results, and checks of sizes at its entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64

from relax_dialect import symbolic
from relax_dialect.builder import Value
from relax_dialect.frontends.torch.coverage import refuse_missing
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.torch.fx_graphs import nodes_of
from relax_dialect.frontends.torch.prepare import prepared
from relax_dialect.frontends.torch.size_checks import require, require_guards
from relax_dialect.frontends.torch.sizes import Sizes, user_names
from relax_dialect.frontends.torch.torch_dtypes import array_of, spelling
from relax_dialect.frontends.torch.torch_importer import TorchImporter, state_results
from relax_dialect.frontends.torch.torch_package import part_of_torch
from relax_dialect.ir.type_variables import defined_variables, free_variables
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.ir.upper_bounds import UPPER_BOUNDS
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import new_context
from relax_dialect.rewrites.forms.convert_to_dataflow import ConvertToDataflowPass
from relax_dialect.symbolic import MAX_EXTENT, Expr

ENTRY = "main"
"""The function that a program becomes."""

SMALLEST_TRACED = 2
"""PyTorch traces with sizes of at least 2, and does not check that bound at run time; neither do we."""


@dataclass(frozen=True)
class LoadedProgram:
    """A module, and data of the program that the module does not have."""

    module: ModuleOp
    parameters: Sequence[str]
    """The names of the parameters."""
    results: Sequence[str]
    """The names of the results: paths in the tree of outputs, then the buffers that the program changes."""
    weights: Mapping[str, np.ndarray[Any, Any]]
    """The arrays of the parameters that are weights or buffers, in their order."""
    nodes: int
    """The number of nodes of its graph."""
    _program: Any = field(repr=False, default=None)

    def flatten(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Return the arguments of the model as those of @main, without the weights."""
        _pytree = part_of_torch("torch.utils._pytree")

        leaves, _ = _pytree.tree_flatten((args, kwargs))
        return [leaf.detach().numpy() if hasattr(leaf, "detach") else leaf for leaf in leaves]

    def unflatten(self, results: Any) -> Any:
        """Return the results of @main in the tree of the model's outputs."""
        _pytree = part_of_torch("torch.utils._pytree")

        arrays = iter(results if isinstance(results, tuple | list) else [results])
        leaves = [
            getattr(s.arg, "value", None) if _is_constant(s.arg) else next(arrays)
            for s in self._program.graph_signature.output_specs
            if s.kind.name == "USER_OUTPUT"
        ]
        return _pytree.tree_unflatten(leaves, self._program.call_spec.out_spec)


def _is_constant(argument: Any) -> bool:
    return type(argument).__name__ == "ConstantArgument"


def import_program(program: Any, name: str, *, as_arguments: bool) -> LoadedProgram:
    """Import an exported program; weights are constants, or parameters if `as_arguments`."""
    example = next(_examples(program), None)
    names = user_names(example.fake_mode.shape_env) if example is not None else {}
    found = prepared(program)
    refuse_missing(name, nodes_of(found.graph_module))
    return _ProgramImporter(found, name, names, as_arguments).run()


def _examples(program: Any) -> Iterator[Any]:
    """Return the fake tensors of a graph's nodes."""
    for node in program.graph_module.graph.nodes:
        example = node.meta.get("val")
        if hasattr(example, "fake_mode"):
            yield example


class _ProgramImporter:
    """Imports one exported program."""

    def __init__(self, program: Any, name: str, names: Mapping[str, str], as_arguments: bool):
        self.program, self.name, self.as_arguments = program, name, as_arguments
        self.sizes = Sizes(names)
        self.importer = TorchImporter(name, self.sizes)
        self.builder = self.importer.builder
        signature = program.graph_signature
        self.specs = {spec.arg.name: spec for spec in signature.input_specs}
        self.outputs = signature.output_specs
        self.changed = {
            s.target
            for s in self.outputs
            if s.kind.name in ("BUFFER_MUTATION", "PARAMETER_MUTATION")
        }
        self.params: list[tuple[Any, str, Any]] = []
        self.weights: dict[str, np.ndarray[Any, Any]] = {}

    def run(self) -> LoadedProgram:
        """Import the program; its module is verified."""
        nodes = [n for n in self.program.graph_module.graph.nodes if n.op == "placeholder"]
        inputs = [n for n in nodes if self.specs[n.name].kind.name == "USER_INPUT"]
        states = [n for n in nodes if self.specs[n.name].target is not None]
        self._declare_inputs(inputs)
        count = len(self.params)
        arguments = [n for n in states if self.as_arguments or self._is_changed(n)]
        self._declare_states(arguments)
        with self.builder.function(
            ENTRY, [(name, type) for _, name, type in self.params]
        ) as values:
            for (node, _, _), value in zip(self.params, values):
                self.importer.values[node] = value
            self._check_sizes(inputs)
            for node in states:
                if node not in arguments and node.users:
                    tensor = self._state(self.specs[node.name])
                    self.importer.values[node] = self.importer.constant(tensor, node.name)
            results = self._results(self.importer.run(self.program.graph_module))
            names = self._result_names()
            self.builder.location = None
            self.builder.emit_func_output(results[0] if len(results) == 1 else results)
        module = self._finish(names, count)
        parameters = [name for _, name, _ in self.params]
        total = len(self.program.graph_module.graph.nodes)
        return LoadedProgram(module, parameters, names, self.weights, total, self.program)

    def _finish(self, names: Sequence[str], inputs: int) -> ModuleOp:
        """State names, bounds and the number of inputs of the function; group its pure ops."""
        module = self.builder.get()
        (function,) = (op for op in module.ops if isinstance(op, FuncOp))
        has_weights = len(self.params) > inputs
        state_results(function, names, inputs if has_weights else None)
        bounds = self._upper_bounds()
        if bounds:
            function.attributes[UPPER_BOUNDS] = DictionaryAttr(
                {name: IntegerAttr(most, i64) for name, most in bounds.items()}
            )
        ConvertToDataflowPass().apply(new_context(), module)
        return module

    # Parameters -------------------------------------------------------------------------------

    def _declare_inputs(self, inputs: Sequence[Any]) -> None:
        for node in inputs:
            example = node.meta.get("val")
            if hasattr(example, "shape"):
                sizes = map(self.sizes.expr, example.shape)
                type = TensorType(sizes, spelling(example.dtype))
                self.params.append((node, node.name, type))
            elif hasattr(example, "node"):
                self.params.append((node, node.name, PrimType(self.sizes.expr(example))))
            else:
                self.importer.values[node] = example
        self._check_defined()

    def _check_defined(self) -> None:
        """Refuse sizes that the shapes of the inputs do not determine."""
        types = [type for _, _, type in self.params]
        defined = set(defined_variables(types))
        for node, name, type in self.params:
            if not defined.issuperset(free_variables(type)):
                raise TorchError(
                    f"{self.name}: input '{name}': expected sizes with one unknown each, such as 4 * h, "
                    f"found {list(node.meta['val'].shape)}; name one of them by a Dim of its own"
                )

    def _is_changed(self, node: Any) -> bool:
        return self.specs[node.name].target in self.changed

    def _declare_states(self, nodes: Sequence[Any]) -> None:
        taken = {name for _, name, _ in self.params}
        for node in nodes:
            array = array_of(tensor := self._state(self.specs[node.name]))
            target = self.specs[node.name].target
            name = re.sub(r"\W", "_", target, flags=re.ASCII)
            name = name if name not in taken and not name[0].isdigit() else node.name
            taken.add(name)
            self.params.append((node, name, TensorType(tensor.shape, spelling(tensor.dtype))))
            self.weights[target] = array

    def _state(self, spec: Any) -> Any:
        """Return the tensor of a parameter, buffer or constant of the model."""
        for table in (self.program.state_dict, self.program.constants):
            if spec.target in table:
                return table[spec.target]
        raise TorchError(
            f"{self.name}: expected a tensor {spec.target}, found none; export it again"
        )

    # Sizes ------------------------------------------------------------------------------------

    def _ranges(self) -> Iterator[tuple[Any, int | None, int | None]]:
        """Return the symbols of the inputs' sizes with their bounds, as far as they are finite."""
        for symbol, bounds in self.program.range_constraints.items():
            if symbol.is_Symbol and str(symbol) in self.sizes.symbols:
                yield symbol, _finite(bounds.lower), _finite(bounds.upper)

    def _upper_bounds(self) -> Mapping[str, int]:
        """Return the greatest values of variables that the parameters define."""
        defined = set(defined_variables(type for _, _, type in self.params))
        return {
            str(self.sizes.symbol(str(symbol))): most
            for symbol, _, most in self._ranges()
            if most is not None and most <= MAX_EXTENT
            if str(self.sizes.symbol(str(symbol))) in defined
        }

    def _check_sizes(self, inputs: Sequence[Any]) -> None:
        """Check the lower bounds of sizes, and the guards of the trace, unless they are proved."""
        for symbol, least, most in list(self._ranges()):
            size = self.sizes.expr(symbol)
            if least is not None and least > SMALLEST_TRACED:
                require(self.builder, "GtE", size, symbolic.const(least))
            if most is not None and most <= MAX_EXTENT and size.name is None:
                require(self.builder, "LtE", size, symbolic.const(most))
        sources = {node.name.lower(): node for node in inputs}
        guards = [g for g in getattr(self.program, "_guards_code", None) or () if ".size()" in g]

        def size_of(source: str, axis: int) -> Expr:
            node = sources.get(placeholder_name(source))
            if node is None:
                raise TorchError(
                    f"{self.name}: expected guards on sizes of inputs, found one on {source}; fix its sizes"
                )
            return self.sizes.expr(node.meta["val"].shape[axis])

        require_guards(self.builder, guards, size_of)

    # Results ----------------------------------------------------------------------------------

    def _results(self, nodes: Sequence[Any]) -> list[Value]:
        """Return the results: those of the user, then buffers and inputs that the program changes."""
        user, state = [], []
        for node, spec in zip(nodes, self.outputs):
            if not hasattr(node, "meta"):
                continue
            value = self.importer.tensor_of(node)
            (user if spec.kind.name == "USER_OUTPUT" else state).append(value)
        if not user and not state:
            raise TorchError(f"{self.name}: expected a tensor as output, found none; return one")
        return [*user, *state]

    def _result_names(self) -> list[str]:
        _pytree = part_of_torch("torch.utils._pytree")

        spec = self.program.call_spec.out_spec
        paths, _ = _pytree.tree_flatten_with_path(
            _pytree.tree_unflatten(range(spec.num_leaves), spec)
        )
        user = [s for s in self.outputs if s.kind.name == "USER_OUTPUT"]
        found = [_path_name(path) for (path, _), s in zip(paths, user) if not _is_constant(s.arg)]
        state = [str(s.target) for s in self.outputs if s.kind.name != "USER_OUTPUT" and s.target]
        return [*found, *state]


def _finite(bound: Any) -> int | None:
    """Return a bound of a size as an integer, or None if it is infinite."""
    return int(bound) if type(bound).__name__ != "IntInfinity" and bound.is_Integer else None


def _keys(path: Any) -> list[Any]:
    """Return the keys of a path in a tree."""
    names = ("key", "idx", "name")
    return [next(getattr(k, n) for n in names if hasattr(k, n)) for k in path]


def _path_name(path: Any) -> str:
    """Return the name of a result: `logits`, `0`, `states.1`."""
    return ".".join(str(key) for key in _keys(path)) or "output"


def placeholder_name(source: str) -> str:
    """Return the name of the input that a guard calls `L['pair'][0]`: `pair_0`."""
    return "_".join(re.findall(r"\w+", source)[1:]).lower()
