// RUN: env xdsl-run %s --verbose --symbol mixed --args "3 : i32" | filecheck %s

// xDSL's own runner, in a fresh process, calls functions of Relax, with prim funcs, and runs Relax ops in functions
// of other dialects. xdsl_run_tensor.mlir runs @main.

// CHECK: {{56.598148|56.5981483 : f32}}
// CHECK: 6

func.func private @double(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call_tir @double(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %y = relax.dataflow {
    %1 = relax.exp %0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %1 : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
func.func @mixed(%i: i32) -> (f32, i32) {
  %a = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = relax.call @main(%a) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  %c = relax.add %b, %a : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  %t = relax.to_builtin %c : (!relax.tensor<[2], f32>) -> tensor<2xf32>
  %c1 = arith.constant 1 : index
  %e = tensor.extract %t[%c1] : tensor<2xf32>
  %two = arith.constant 2 : i32
  %j = arith.muli %i, %two : i32
  func.return %e, %j : f32, i32
}
