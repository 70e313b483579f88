"""Compiles the model while the wheel is built, for any CPU of this architecture."""

from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

import lowering
import relax_dialect


class Build(build_py):
    """Python files, and the model that they load."""

    def run(self) -> None:
        super().run()
        folder = Path(self.build_lib, "relax_classifier", "model")
        program = relax_dialect.load(Path(__file__).with_name("classifier.mlir"))
        lowering.compile(program, "classifier", directory=folder, cpu="generic").close()


class Wheel(bdist_wheel):
    """A wheel for any Python 3, and for this platform."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    """A package that is not pure Python."""

    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=WithLibrary)
