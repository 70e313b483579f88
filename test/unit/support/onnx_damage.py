"""Damage to ONNX models: of their bytes, and of what they say."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import onnx
from onnx import AttributeProto, TensorProto, defs, helper

NUMBERS = (0, 1, -1, 2, 3, 7, 8, 255, 4096, 1 << 20, 1 << 31, (1 << 31) - 1, 1 << 40, 1 << 62)
NUMBERS += ((1 << 63) - 1, -(1 << 63), -(1 << 31))
CODES = (*range(30), 99, 1 << 20, -1)
NAMES = (
    "",
    "x",
    "y",
    "'",
    '"',
    "a\nb",
    "a\0b",
    "%x",
    "é漢字",
    "n" * 3000,
    "../x",
    "{}",
    "@main",
    "\\",
)
LOCATIONS = ("weights.bin", "../secret.bin", "link.bin", "/etc/hostname", "", ".", "..", "none.bin")
LOCATIONS += ("model.onnx", "sub/../../secret.bin", "a\0b", "weights.bin/", "/dev/zero", "~/x")
OPERATORS = sorted({schema.name for schema in defs.get_all_schemas()})

# Bytes ---------------------------------------------------------------------------------------------


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def changed_bytes(data: bytes, rng: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if found:
            found[rng.randrange(len(found))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
    return bytes(found)


def moved_bytes(data: bytes, rng: random.Random) -> bytes:
    a, b, c = sorted(rng.randrange(len(data) + 1) for _ in range(3))
    return rng.choice((data[:a] + data[b:], data[:b] + data[a:], data[:a] + data[b:c] + data[a:]))


def long_number(data: bytes, rng: random.Random) -> bytes:
    """A number as protobuf writes it, put over others: lengths and sizes that lie."""
    number, written = rng.choice(NUMBERS) % (1 << 64), bytearray()
    while number > 127:
        written.append(number % 128 + 128)
        number //= 128
    written.append(number)
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes(written) + data[at + rng.randrange(3) :]


OF_BYTES = (cut, changed_bytes, moved_bytes, long_number)

# Meaning -------------------------------------------------------------------------------------------


def graphs(model: Any) -> Iterator[Any]:
    """The graphs and functions of a model, those inside of nodes too."""
    work = [model.graph, *model.functions]
    while work:
        graph = work.pop()
        yield graph
        for node in graph.node:
            work += [a.g for a in node.attribute if a.HasField("g")]


def nodes(model: Any) -> list[Any]:
    return [node for graph in graphs(model) for node in graph.node]


def tensors(model: Any) -> list[Any]:
    found = list(model.graph.initializer)
    return found + [a.t for node in nodes(model) for a in node.attribute if a.HasField("t")]


def names(model: Any) -> list[str]:
    found = [name for node in nodes(model) for name in (*node.input, *node.output)]
    return [*found, *(v.name for v in model.graph.input), rng_name(found)]


def rng_name(found: Sequence[str]) -> str:
    return f"{found[0]}x" if found else "x"


def picked(values: Sequence[Any], rng: random.Random) -> Any:
    return rng.choice(values) if values else None


def change_link(model: Any, rng: random.Random) -> None:
    """A node reads or gives another value: circles, values twice, values that are none."""
    node = picked(nodes(model), rng)
    if node is not None:
        side = rng.choice((node.input, node.output))
        name = rng.choice((*names(model), *NAMES))
        if side and rng.random() < 0.7:
            side[rng.randrange(len(side))] = name
        elif side and rng.random() < 0.5:
            del side[rng.randrange(len(side))]
        else:
            side.append(name)


def change_nodes(model: Any, rng: random.Random) -> None:
    graph = rng.choice(list(graphs(model)))
    if graph.node:
        copy = onnx.NodeProto.FromString(rng.choice(graph.node).SerializeToString())
        if rng.random() < 0.5:
            del graph.node[rng.randrange(len(graph.node))]
        else:
            graph.node.append(copy)


def change_operator(model: Any, rng: random.Random) -> None:
    node = picked(nodes(model), rng)
    if node is not None:
        if rng.random() < 0.8:
            node.op_type = rng.choice((*OPERATORS, *NAMES))
        else:
            node.domain = rng.choice(("ai.onnx", "ai.onnx.ml", "com.microsoft", *NAMES))


def change_attribute(model: Any, rng: random.Random) -> None:
    node = picked([node for node in nodes(model) if node.attribute], rng)
    if node is None:
        return
    attribute = rng.choice(node.attribute)
    kind = rng.randrange(5)
    if kind == 0:
        node.attribute.remove(attribute)
    elif kind == 1:
        attribute.type = rng.choice(list(AttributeProto.AttributeType.values()))
    elif kind == 2:
        attribute.name = rng.choice((*NAMES, "axis", "axes", "to", "k", "mode"))
    elif attribute.ints and rng.random() < 0.8:
        attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(NUMBERS)
    else:
        value = rng.choice(
            (*NUMBERS, 0.5, -1e30, float("nan"), float("inf"), "", "é", [], [1, -1], [0.5])
        )
        if value != []:
            attribute.CopyFrom(helper.make_attribute(attribute.name, value))


def add_attribute(model: Any, rng: random.Random) -> None:
    """Another value for an attribute that the operator has."""
    node = picked(nodes(model), rng)
    if node is None:
        return
    schemas = [s for s in defs.get_all_schemas() if s.name == node.op_type]
    if schemas and schemas[0].attributes:
        name = rng.choice(sorted(schemas[0].attributes))
        kept = [a for a in node.attribute if a.name != name]
        del node.attribute[:]
        value: Any = rng.choice(
            (rng.choice(NUMBERS), [rng.choice(NUMBERS) for _ in range(3)], 0.5, "x")
        )
        node.attribute.extend([*kept, helper.make_attribute(name, value)])


def change_tensor(model: Any, rng: random.Random) -> None:
    tensor = picked(tensors(model), rng)
    if tensor is None:
        return
    kind = rng.randrange(5)
    if kind == 0:
        tensor.data_type = rng.choice(CODES)
    elif kind == 1 and tensor.dims:
        tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(NUMBERS)
    elif kind == 2:
        tensor.dims.append(rng.choice(NUMBERS))
    elif kind == 3:
        tensor.raw_data = tensor.raw_data[: rng.randrange(9)]
    else:
        move_outside(tensor, rng)


def move_outside(tensor: Any, rng: random.Random) -> None:
    """The data of a tensor is said to be in a file."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (
        ("location", rng.choice(LOCATIONS)),
        ("offset", str(rng.choice((0, 0, 4, *NUMBERS)))),
        ("length", str(rng.choice(NUMBERS))),
    ):
        if key == "location" or rng.random() < 0.3:
            tensor.external_data.add(key=key, value=value)


def change_input(model: Any, rng: random.Random) -> None:
    value = picked([*model.graph.input, *model.graph.output], rng)
    if value is None:
        return
    tensor, kind = value.type.tensor_type, rng.randrange(6)
    if kind == 0:
        tensor.elem_type = rng.choice(CODES)
    elif kind == 1 and tensor.shape.dim:
        tensor.shape.dim[rng.randrange(len(tensor.shape.dim))].dim_value = rng.choice(NUMBERS)
    elif kind == 2 and tensor.shape.dim:
        tensor.shape.dim[rng.randrange(len(tensor.shape.dim))].dim_param = rng.choice(NAMES)
    elif kind == 3:
        tensor.ClearField("shape")
    elif kind == 4:
        tensor.shape.dim.add().dim_value = rng.choice(NUMBERS)
    else:
        value.name = rng.choice((*names(model), *NAMES))


def change_opset(model: Any, rng: random.Random) -> None:
    opset = picked(model.opset_import, rng)
    if opset is not None:
        opset.version = rng.choice((*range(30), *NUMBERS))


def change_name(model: Any, rng: random.Random) -> None:
    """One name everywhere, so that the model stays whole."""
    old, new = rng.choice(names(model)), rng.choice(NAMES)
    for node in nodes(model):
        for side in (node.input, node.output):
            for at, name in enumerate(side):
                side[at] = new if name == old else name
    for value in (*model.graph.input, *model.graph.output, *model.graph.initializer):
        value.name = new if value.name == old else value.name


def nest(model: Any, rng: random.Random) -> None:
    """The graph inside of a branch of itself, some times."""
    for _ in range(rng.choice((1, 2, 40))):
        inner = onnx.GraphProto.FromString(model.graph.SerializeToString())
        del inner.input[:]
        node = helper.make_node("If", [rng.choice(names(model))], [v.name for v in inner.output])
        node.attribute.extend(
            [helper.make_attribute(f"{b}_branch", inner) for b in ("then", "else")]
        )
        del model.graph.node[:]
        model.graph.node.append(node)
        if model.ByteSize() > 1 << 16:
            return


def call_itself(model: Any, rng: random.Random) -> None:
    """The nodes in a function, which may call itself."""
    inputs, outputs = [v.name for v in model.graph.input], [v.name for v in model.graph.output]
    call = helper.make_node("F", inputs, outputs, domain="own")
    body = [call] if rng.random() < 0.3 else list(model.graph.node)
    own = helper.make_opsetid("own", 1)
    function = helper.make_function("own", "F", inputs, outputs, body, [*model.opset_import, own])
    model.functions.append(function)
    model.opset_import.append(own)
    del model.graph.node[:]
    model.graph.node.append(call)


Damage = Callable[[Any, random.Random], None]
OF_MODELS: Sequence[Damage] = (
    change_link, change_nodes, change_operator, change_attribute, change_attribute, add_attribute,
    add_attribute, change_tensor, change_tensor, change_input, change_input, change_opset, change_name,
    nest, call_itself,
)  # fmt: skip
