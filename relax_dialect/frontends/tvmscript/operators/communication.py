"""Collectives between the workers of a session."""

SIGNATURES = """
ccl.allreduce(x, op_type="sum", in_group=True)
ccl.allgather(x, num_workers, in_group=True)
ccl.broadcast_from_worker0(x)
ccl.scatter_from_worker0(x, num_workers, axis=0)
"""
