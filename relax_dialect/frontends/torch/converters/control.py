"""Branches, loops, and regions that change how operators run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode, is_node


@converter("higher_order::wrap_with_set_grad_enabled", "higher_order::wrap_with_autocast")
def region(node: TorchNode) -> Any:
    """Inline a region; the conversions of autocast are explicit already (prepare.py)."""
    at = next(i for i, a in enumerate(node.fx.args) if _is_graph(node, a))
    return _values(
        node, node.importer.inline(_graph(node, node.fx.args[at]), node.fx.args[at + 1 :])
    )


@converter("higher_order::cond")
def cond(node: TorchNode) -> Any:
    predicate, then, other, operands = node.fx.args
    operands = [_placed(node, each) for each in operands]

    def branch(graph: Any) -> Any:
        return lambda: _packed(_values(node, node.importer.inline(_graph(node, graph), operands)))

    test = node.as_tensor(predicate, "i1")
    found = node.importer.builder.if_(test, branch(then), branch(other))
    return _unpacked(node, found, len(node.result))


@converter("higher_order::while_loop")
def while_loop(node: TorchNode) -> Any:
    test, body, carried, more = node.fx.args
    more = [_placed(node, each) for each in more]

    def run(graph: Any, state: Sequence[Any]) -> list[Value]:
        return _values(node, node.importer.inline(_graph(node, graph), [*state, *more]))

    found = node.importer.builder.while_(
        lambda *state: op.reshape(run(test, state)[0], []),
        lambda *state: run(body, state),
        *(_placed(node, each) for each in carried),
    )
    return list(found)


@converter("higher_order::scan")
def scan(node: TorchNode) -> Any:
    """A loop over the rows of tensors: the state, and the rows that each iteration writes to results."""
    body, inits, rows, more = node.fx.args
    states, sources = ([_placed(node, each) for each in group] for group in (inits, rows))
    return _loop(node, body, states, sources, [_placed(node, each) for each in more])


@converter("higher_order::map_impl")
def map_rows(node: TorchNode) -> Any:
    body, rows, more = node.fx.args
    sources = [_placed(node, each) for each in rows]
    return _loop(node, body, [], sources, [_placed(node, each) for each in more])


def _loop(
    node: TorchNode, body: Any, states: list[Value], sources: list[Value], more: list[Value]
) -> Any:
    """Emit a loop over rows; results start as zeros, and each iteration replaces a row."""
    examples = list(node.result)
    written = [
        node.emit(op.zeros(node.shape_of(e), node.importer.dtype_of(e)))
        for e in examples[len(states) :]
    ]
    shape: Any = sources[0].shape
    count = shape[0]
    start, one = node.emit(const(0, "i64")), node.emit(const(1, "i64"))
    limit = node.importer.scalars.size(count if count is not None else symbolic.const(0))

    def iteration(index: Value, *state: Value) -> list[Value]:
        inner = [node.emit(op.take(source, index, 0)) for source in sources]
        graph = _graph(node, body)
        found = _values(node, node.importer.inline(graph, [*state[: len(states)], *inner, *more]))
        pairs = zip(state[len(states) :], found[len(states) :])
        at = node.emit(op.reshape(index, [1]))
        rows = [
            node.emit(op.index_put(all_, [at], op.expand_dims(row, [0]))) for all_, row in pairs
        ]
        return [node.emit(op.add(index, one)), *found[: len(states)], *rows]

    found = node.importer.builder.while_(
        lambda index, *_: op.less(index, limit), iteration, start, *states, *written
    )
    return list(found[1:])


def _is_graph(node: TorchNode, argument: Any) -> bool:
    return is_node(argument) and hasattr(node.importer.values.get(argument), "graph")


def _graph(node: TorchNode, argument: Any) -> Any:
    return node.importer.values[argument]


def _placed(node: TorchNode, argument: Any) -> Any:
    """Return an operand as a tensor, emitted before the region that reads it; a SymInt stays one."""
    example = argument.meta["val"] if is_node(argument) else argument
    return node.as_tensor(argument) if hasattr(example, "shape") else argument


def _values(node: TorchNode, outputs: Sequence[Any]) -> list[Any]:
    return [None if each is None else node.as_tensor(each) for each in outputs]


def _packed(values: list[Value]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _unpacked(node: TorchNode, found: Value, count: int) -> list[Value]:
    return [found] if count == 1 else [node.emit(found[i]) for i in range(count)]
