"""Lets every test below import the helpers of this folder: `from mlir_oracle import ...`."""

import os
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("repeatable", derandomize=True, deadline=None)
if "RELAX_EXAMPLES" not in os.environ:
    settings.load_profile("repeatable")
