"""The parts of relax-split-call-tir-by-pattern."""
