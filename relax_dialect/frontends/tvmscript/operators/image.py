"""Images and boxes."""

SIGNATURES = """
image.affine_grid(data, size, align_corners=True)
image.grid_sample(data, grid: (0, 2, 3, 1), method="bilinear", layout="NCHW", padding_mode="zeros",
    align_corners=False)
image.resize2d(data, size, roi=None, layout="NCHW", method="linear",
    coordinate_transformation_mode="half_pixel", rounding_method="round", cubic_alpha=-0.75,
    cubic_exclude=0, extrapolation_value=0.0, out_dtype=None)
image.resize3d(data, size, roi=None, layout="NCDHW", method="linear",
    coordinate_transformation_mode="half_pixel", rounding_method="", cubic_alpha=-0.75, cubic_exclude=0,
    extrapolation_value=0.0, out_dtype=None)
vision.get_valid_counts(data, score_threshold=0, id_index=0, score_index=1)
vision.non_max_suppression(data, valid_count, indices, max_output_size=-1, iou_threshold=0.5,
    force_suppress=False, top_k=-1, coord_start=2, score_index=1, id_index=0, return_indices=True,
    invalid_to_bottom=False, soft_nms_sigma=0.0, score_threshold=0.0)
vision.roi_align(data, rois, pooled_size, spatial_scale, sample_ratio=-1, aligned=False,
    layout="NCHW", mode="avg")
vision.roi_pool(data, rois, pooled_size, spatial_scale, layout="NCHW")
"""
