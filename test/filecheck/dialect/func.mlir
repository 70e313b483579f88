// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Functions: visibility, attributes, no parameters; symbolic variables that a shape parameter brings in.

relax.func @empty() -> tuple<> {
  %t = relax.tuple : () -> tuple<>
  relax.return %t : tuple<>
}
relax.func private @private(%x: !relax.tensor<[2 * m], f32>, %s: !relax.shape<[m]>) -> !relax.tensor<[2 * m]> attributes {my.note = "kept", my.unit} {
  relax.return %x : !relax.tensor<[2 * m], f32>
}
relax.func @many(%x: !relax.object, %n: index, %t: tensor<?x4xf32>, %f: !relax.func<() -> !relax.object>) -> !relax.object {
  relax.return %n {my.place = 1 : i64} : index
}

// CHECK: relax.func @empty() -> tuple<> {{{$}}
// CHECK-NEXT: %t = relax.tuple : () -> tuple<>{{$}}
// CHECK-NEXT: relax.return %t : tuple<>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.func private @private(%x: !relax.tensor<[2 * m], f32>, %s: !relax.shape<[m]>) -> !relax.tensor<[2 * m]> attributes {my.note = "kept", my.unit} {{{$}}
// CHECK-NEXT: relax.return %x : !relax.tensor<[2 * m], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.func @many(%x: !relax.object, %n: index, %t: tensor<?x4xf32>, %f: !relax.func<() -> !relax.object>) -> !relax.object {{{$}}
// CHECK-NEXT: relax.return %n {my.place = 1 : i64} : index{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "empty", function_type = !relax.func<() -> tuple<>>}> ({{{$}}
// GENERIC-NEXT: %t = "relax.tuple"() : () -> tuple<>{{$}}
// GENERIC-NEXT: "relax.return"(%t) : (tuple<>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
// GENERIC-NEXT: "relax.func"() <{sym_name = "private", function_type = !relax.func<[m] (!relax.tensor<[2 * m], f32>, !relax.shape<[m]>) -> !relax.tensor<[2 * m]>>, sym_visibility = "private"}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[2 * m], f32>, %s: !relax.shape<[m]>):{{$}}
// GENERIC-NEXT: "relax.return"(%x) : (!relax.tensor<[2 * m], f32>) -> (){{$}}
// GENERIC-NEXT: }) {my.note = "kept", my.unit} : () -> (){{$}}
// GENERIC-NEXT: "relax.func"() <{sym_name = "many", function_type = !relax.func<(!relax.object, index, tensor<?x4xf32>, !relax.func<() -> !relax.object>) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.object, %n: index, %t: tensor<?x4xf32>, %f: !relax.func<() -> !relax.object>):{{$}}
// GENERIC-NEXT: "relax.return"(%n) {my.place = 1 : i64} : (index) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
