// RUN: python %S/examples.py window | filecheck %s

// No operand is as long as the window: an empty tensor gives its extent.

// CHECK:      %window = tensor.empty() : tensor<3xf32>
// CHECK:      %B = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ((d0 + d1))>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%A, %window : tensor<?xf32>, tensor<3xf32>)
