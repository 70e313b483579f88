"""How lit runs the tests of this folder: `lit test/filecheck`."""

import os
import sys
from importlib.util import find_spec

here = os.path.dirname(os.path.abspath(__file__))
# A folder of its own: in this one `lowering` is a folder of tests, which Python would take for the package.
format = os.path.join(here, "lit_format")
sys.path.insert(0, format)
os.environ["RELAX_CACHE_LIMIT"] = "0"  # what is tested is built now
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [format, os.environ.get("PYTHONPATH")]))

from in_process import InProcessTest, load_tools  # noqa: E402

load_tools()

config.name = "Relax on xDSL"  # noqa: F821
config.test_format = InProcessTest()  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = here  # noqa: F821
scripts = os.path.dirname(sys.executable)
config.environment["PATH"] = scripts + os.pathsep + os.environ["PATH"]  # noqa: F821
config.environment["RELAX_CACHE_LIMIT"] = "0"  # noqa: F821
if find_spec("z3"):
    config.available_features.add("z3")  # noqa: F821
