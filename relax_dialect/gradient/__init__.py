from relax_dialect.gradient.registry import adjoint
from relax_dialect.gradient.transform import gradient

__all__ = ["adjoint", "gradient"]
