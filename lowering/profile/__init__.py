"""Profiles of compiled models: the seconds of each kernel, beside the limits of this machine.

>>> profile(relax_dialect.load("model.mlir"), [x, w])
"""

from lowering.profile.measuring import profile
from lowering.profile.profile_report import Profile, ProfiledKernel

__all__ = ["Profile", "ProfiledKernel", "profile"]
