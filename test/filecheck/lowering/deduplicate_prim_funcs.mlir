// RUN: relax-opt %s --split-input-file -p relax-deduplicate-prim-funcs | relax-opt --split-input-file | filecheck %s

// Two functions with the same layer under other names of sizes.

// CHECK-LABEL: relax.func @prefill(
// CHECK: relax.call_tir @double(%x)
// CHECK-LABEL: relax.func @decode(
// CHECK: relax.call_tir @double(%x)
// CHECK-LABEL: relax.func @once_more(
// CHECK: relax.call_tir @double(%x)
// CHECK: func.func private @double(%y: tensor<?x?xf32> {relax.dims = ["n", "2 * n"]})
// CHECK-NOT: func.func private
relax.func @prefill(%x: !relax.tensor<[n, 2 * n], f32>) -> !relax.object {
  %y = relax.call_tir @double(%x) : (!relax.tensor<[n, 2 * n], f32>) -> !relax.tensor<[n, 2 * n], f32>
  relax.return %y : !relax.tensor<[n, 2 * n], f32>
}
relax.func @decode(%x: !relax.tensor<[m, 2 * m], f32>) -> !relax.object {
  %y = relax.call_tir @double_1(%x) : (!relax.tensor<[m, 2 * m], f32>) -> !relax.tensor<[m, 2 * m], f32>
  relax.return %y : !relax.tensor<[m, 2 * m], f32>
}
relax.func @once_more(%x: !relax.tensor<[m, 2 * m], f32>) -> !relax.object {
  %y = relax.call_tir @double_2(%x) : (!relax.tensor<[m, 2 * m], f32>) -> !relax.tensor<[m, 2 * m], f32>
  relax.return %y : !relax.tensor<[m, 2 * m], f32>
}
func.func private @double(%y: tensor<?x?xf32> {relax.dims = ["n", "2 * n"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "2 * n"]}) {
  %sum = arith.addf %y, %y : tensor<?x?xf32>
  func.return %sum : tensor<?x?xf32>
}
func.func private @double_1(%z: tensor<?x?xf32> {relax.dims = ["m", "2 * m"]}) -> (tensor<?x?xf32> {relax.dims = ["m", "2 * m"]}) {
  %0 = arith.addf %z, %z : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
func.func private @double_2(%y: tensor<?x?xf32> {relax.dims = ["n", "2 * n"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "2 * n"]}) {
  %sum = arith.addf %y, %y : tensor<?x?xf32>
  func.return %sum : tensor<?x?xf32>
}

// -----

// Sizes that are passed keep their order.

// CHECK-LABEL: relax.func @main(
// CHECK: relax.call_tir @pad(%x)[m, k]
// CHECK: relax.call_tir @pad(%x)[k, m]
// CHECK: func.func private @pad(
// CHECK-NOT: func.func private
relax.func @main(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[m, k]>) -> !relax.object {
  %y = relax.call_tir @pad(%x)[m, k] : (!relax.tensor<[n], f32>) -> !relax.tensor<[m, k], f32>
  %z = relax.call_tir @pad_1(%x)[k, m] : (!relax.tensor<[n], f32>) -> !relax.tensor<[k, m], f32>
  %t = relax.tuple %y, %z : (!relax.tensor<[m, k], f32>, !relax.tensor<[k, m], f32>) -> tuple<!relax.tensor<[m, k], f32>, !relax.tensor<[k, m], f32>>
  relax.return %t : tuple<!relax.tensor<[m, k], f32>, !relax.tensor<[k, m], f32>>
}
func.func private @pad(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}, %k: index {relax.symbol = "k"}) -> (tensor<?x?xf32> {relax.dims = ["m", "k"]}) {
  %empty = tensor.empty(%m, %k) : tensor<?x?xf32>
  func.return %empty : tensor<?x?xf32>
}
func.func private @pad_1(%x: tensor<?xf32> {relax.dims = ["m"]}, %b: index {relax.symbol = "k"}, %a: index {relax.symbol = "n"}) -> (tensor<?x?xf32> {relax.dims = ["k", "n"]}) {
  %empty = tensor.empty(%b, %a) : tensor<?x?xf32>
  func.return %empty : tensor<?x?xf32>
}

// -----

// What differs stays: a number, an operand, the sizes, what a result is, and who may call it.

// CHECK-LABEL: func.func private @first(
// CHECK: func.func private @other_number(
// CHECK: func.func private @other_operand(
// CHECK: func.func private @other_sizes(
// CHECK: func.func private @other_result(
// CHECK: func.func @for_all(
// CHECK-NOT: func.func private @same(
func.func private @first(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %y: tensor<?x?xf32> {relax.dims = ["n", "m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c = arith.constant 1.0 : f32
  %0 = arith.subf %x, %y : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
func.func private @other_number(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %y: tensor<?x?xf32> {relax.dims = ["n", "m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c = arith.constant 2.0 : f32
  %0 = arith.subf %x, %y : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
func.func private @other_operand(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %y: tensor<?x?xf32> {relax.dims = ["n", "m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c = arith.constant 1.0 : f32
  %0 = arith.subf %y, %x : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
func.func private @other_sizes(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %y: tensor<?x?xf32> {relax.dims = ["m", "n"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c = arith.constant 1.0 : f32
  %0 = arith.subf %x, %y : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
func.func private @other_result(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %y: tensor<?x?xf32> {relax.dims = ["n", "m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "2 * m"]}) {
  %c = arith.constant 1.0 : f32
  %0 = arith.subf %x, %y : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
func.func @for_all(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %y: tensor<?x?xf32> {relax.dims = ["n", "m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c = arith.constant 1.0 : f32
  %0 = arith.subf %x, %y : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
func.func private @same(%x: tensor<?x?xf32> {relax.dims = ["b", "a"]}, %y: tensor<?x?xf32> {relax.dims = ["b", "a"]}) -> (tensor<?x?xf32> {relax.dims = ["b", "a"]}) {
  %c = arith.constant 1.0 : f32
  %0 = arith.subf %x, %y : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}

// -----

// Checks name sizes in their messages, and lists of functions are not ours to change.

// CHECK-LABEL: func.func private @checked(
// CHECK: func.func private @checked_1(
// CHECK-NOT: @checked_2(
// CHECK: func.func private @listed(
// CHECK: func.func private @listed_1(
func.func private @checked(%x: tensor<?xf32> {relax.dims = ["n"]}, %c: i1) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  cf.assert %c, "expected {n} to be even"
  func.return %x : tensor<?xf32>
}
func.func private @checked_1(%x: tensor<?xf32> {relax.dims = ["m"]}, %c: i1) -> (tensor<?xf32> {relax.dims = ["m"]}) {
  cf.assert %c, "expected {n} to be even"
  func.return %x : tensor<?xf32>
}
func.func private @checked_2(%x: tensor<?xf32> {relax.dims = ["n"]}, %c: i1) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  cf.assert %c, "expected {n} to be even"
  func.return %x : tensor<?xf32>
}
func.func private @listed(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) attributes {tried = 1 : i64} {
  func.return %x : tensor<?xf32>
}
func.func private @listed_1(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) attributes {tried = 1 : i64} {
  func.return %x : tensor<?xf32>
}
func.func private @table() attributes {functions = [@listed, @listed_1]} {
  func.return
}
