"""The three networks of PP-OCR v4: they find text in a picture, rotate lines the right way up, and read
them.

They are files of the package rapidocr-onnxruntime, of which nothing else is needed:

    pip install --no-deps rapidocr-onnxruntime==1.4.4
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

PACKAGE = "rapidocr_onnxruntime"
INSTALL = "pip install --no-deps rapidocr-onnxruntime==1.4.4"
FILES = {
    "detector": "ch_PP-OCRv4_det_infer.onnx",
    "classifier": "ch_ppocr_mobile_v2.0_cls_infer.onnx",
    "recogniser": "ch_PP-OCRv4_rec_infer.onnx",
}


def are_here() -> bool:
    """Returns whether the package is installed; it is not imported, since it requires OpenCV."""
    return find_spec(PACKAGE) is not None


def file_of(network: str) -> Path:
    """Return the ONNX file of one of the networks."""
    package = find_spec(PACKAGE)
    if package is None or package.origin is None:
        raise FileNotFoundError(f"{FILES[network]}: expected the package that has it; {INSTALL}")
    return Path(package.origin).parent / "models" / FILES[network]
