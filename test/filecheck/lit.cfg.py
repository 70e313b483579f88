"""How lit runs the tests of this folder: `lit test/filecheck`."""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))

from in_process import InProcessTest  # noqa: E402

config.name = "Relax on xDSL"  # noqa: F821
config.test_format = InProcessTest()  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = here  # noqa: F821
scripts = os.path.dirname(sys.executable)
config.environment["PATH"] = scripts + os.pathsep + os.environ["PATH"]  # noqa: F821
