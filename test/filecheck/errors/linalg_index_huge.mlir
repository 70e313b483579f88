// RUN: not relax-opt %s 2>&1 | filecheck %s

// An op in a prim func asks for the counter of a loop that there is not.

func.func private @f(%e: tensor<4xi64>) -> tensor<4xi64> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 99999999999 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<4xi64>
  func.return %r : tensor<4xi64>
}

// CHECK: linalg_index_huge.mlir:8:10: error: @f: linalg.index (%i): expected a loop of the linalg.generic around it, 0 to 0, found 99999999999; correct the number
