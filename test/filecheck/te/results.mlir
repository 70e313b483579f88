// RUN: relax-opt %s | filecheck %s
// RUN: xdsl-opt %s | filecheck %s
// RUN: relax-opt %s | xdsl-opt | relax-opt | filecheck %s

// Several results are printed and read in parentheses, as MLIR has them; one stands alone, or in parentheses.

// CHECK:      } -> (tensor<?xf32>, tensor<?xi64>)
// CHECK:      } -> tensor<?xf32>
// CHECK:      } -> tensor<?xf32>
// CHECK-NEXT: func.return
func.func @f(%x: tensor<?xf32>, %y: tensor<?xi64>) -> tensor<?xf32> {
  %a, %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x, %y : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%u: f32, %v: i64):
    linalg.yield %u, %v : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  %c = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : tensor<?xf32>) {
  ^bb0(%u: f32):
    linalg.yield %u : f32
  } -> tensor<?xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%c : tensor<?xf32>) {
  ^bb0(%u: f32):
    linalg.yield %u : f32
  } -> (tensor<?xf32>)
  func.return %d : tensor<?xf32>
}
