"""The example notebooks run from their first cell to their last one."""

from pathlib import Path

import pytest
from optional import package

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "notebooks"
SHOWN = {
    "first_program": ["%lv = relax.matmul", "!relax.tensor<[n, 10], f32>", "model.json model.so"],
    "pytorch_to_c": ["relax.layer_norm", "(8, 100, 32) True", "of limit", "int block_main"],
    "pass_and_picture": ["relax.subtract", "@main: proved", "func.func private @exp_subtract"],
}


def test_every_notebook_is_tested():
    assert sorted(SHOWN) == sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.mark.usefixtures("quick_cc")
@pytest.mark.parametrize("name", SHOWN)
def test_notebook(name: str):
    nbclient = package("nbclient", "notebooks")
    for need in ("ipykernel", "igraph", "z3", "torch"):
        package(need, "notebooks")
    import nbformat

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    text = "\n".join(o.get("text") or o["data"]["text/plain"] for o in outputs)
    assert [part for part in SHOWN[name] if part not in text] == []
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in outputs)
