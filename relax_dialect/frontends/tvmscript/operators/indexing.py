"""Elements by their indices, searched, sorted and written."""

SIGNATURES = """
argsort(data, axis=-1, descending=False, dtype="int32")
sort(x, axis=-1, descending=False)
topk(data, k=1, axis=-1, ret_type="both", largest=True, dtype="int32")
unique(x, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None)
nonzero(x)
bucketize(input_tensor, boundaries, out_int32=False, right=False)
take(x, indices, axis=None, mode="fast")
gather_elements(data, indices, axis=0)
gather_nd(data, indices, batch_dims=0)
index_put(data, indices, values, accumulate=False)
index_tensor(data, indices)
scatter_elements(data, indices, updates, axis=0, reduction="update")
scatter_nd(data, indices, updates, reduction="update")
strided_slice(x, axes, begin, end, strides=None, assume_inbound=False)
dynamic_strided_slice(x, begin, end, strides)
slice_scatter(input_tensor, src, start, end, step, axis=0)
"""
