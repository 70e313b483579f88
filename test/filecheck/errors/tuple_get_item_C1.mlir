// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tuple has two fields.

relax.func @f(%t: tuple<!relax.object, !relax.object>) -> !relax.object {
  %y = relax.tuple_get_item %t {index = 2 : i64} : (tuple<!relax.object, !relax.object>) -> !relax.object
  relax.return %y : !relax.object
}

// CHECK: tuple_get_item_C1.mlir:6:8: error: @f: relax.tuple_get_item (%y): expected an index from 0 to 1 for 2 fields (C1), found 2; fields are counted from zero{{$}}
