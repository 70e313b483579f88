"""The parts of relax-lift-transform-params."""
