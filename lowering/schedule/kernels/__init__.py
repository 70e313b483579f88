"""Kernels while they are scheduled: loop nests, tiles, and groups of stages that share tiles."""
