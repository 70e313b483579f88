"""One file per family of operators, found by its place."""

from relax_dialect.families import modules_of

FAMILIES = modules_of(__name__, __path__)

NO_PEER = {
    "layout_transform": "no library takes index maps; numpy's reshape and transpose are its tests' oracle",
    "random_bits": "no library here has the generator; its tests have one in whole numbers of Python",
    "random_normal": "the same",
    "random_uniform": "the same",
    "tree_leaves": "a step of ONNX's ensembles of trees, whose scores are compared with ONNX Runtime's",
    "requantize": "a step within the quantized products of ONNX Runtime, which has no node for it",
}
"""Why operators have none."""
