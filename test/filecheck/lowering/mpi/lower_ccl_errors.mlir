// RUN: relax-opt %s -p relax-lower-ccl --verify-diagnostics --split-input-file

relax.func @gather(%x: !relax.tensor<[n], f16>, %q: !relax.shape<[?]>) -> !relax.tensor<[?], f16> {
  // expected-error@+1 {{relax.ccl.allgather (%y): expected known sizes, found !relax.tensor<[?], f16>; name them with relax.match_cast first}}
  %y = relax.ccl.allgather %x, %q : (!relax.tensor<[n], f16>, !relax.shape<[?]>) -> !relax.tensor<[?], f16>
  relax.return %y : !relax.tensor<[?], f16>
}

// -----

relax.func @scatter(%x: !relax.tensor<[4, n], f32>, %q: !relax.shape<[?]>) -> !relax.tensor<[4, ?], f32> {
  // expected-error@+1 {{relax.ccl.scatter_from_worker0 (%y): expected known sizes, found !relax.tensor<[4, ?], f32>; name them with relax.match_cast first}}
  %y = relax.ccl.scatter_from_worker0 %x, %q {axis = 1 : i64} : (!relax.tensor<[4, n], f32>, !relax.shape<[?]>) -> !relax.tensor<[4, ?], f32>
  relax.return %y : !relax.tensor<[4, ?], f32>
}

// -----

relax.func @narrow(%x: !relax.tensor<[n], f8E4M3FN>) -> !relax.tensor<[n], f8E4M3FN> {
  // expected-error@+1 {{relax.ccl.broadcast_from_worker0 (%y): expected elements that MPI knows, found f8E4M3FN; convert with relax.astype first}}
  %y = relax.ccl.broadcast_from_worker0 %x : (!relax.tensor<[n], f8E4M3FN>) -> !relax.tensor<[n], f8E4M3FN>
  relax.return %y : !relax.tensor<[n], f8E4M3FN>
}
