"""Lets every test below import the helpers of this folder: `from mlir_oracle import ...`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
