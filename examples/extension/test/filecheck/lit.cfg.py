"""The lit configuration of this folder: `lit test/filecheck`."""

import os
import sys

import lit.formats

config.name = "relax-signal"  # noqa: F821
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = os.path.dirname(os.path.abspath(__file__))  # noqa: F821
tools = os.path.dirname(sys.executable)
config.environment["PATH"] = tools + os.pathsep + os.environ["PATH"]  # noqa: F821
