// RUN: not relax-opt %s 2>&1 | filecheck %s

// Tuples of tuples may double their parts with every level.

!t0 = tuple<index, index>
!t1 = tuple<!t0, !t0>
!t2 = tuple<!t1, !t1>
!t3 = tuple<!t2, !t2>
!t4 = tuple<!t3, !t3>
!t5 = tuple<!t4, !t4>
!t6 = tuple<!t5, !t5>
!t7 = tuple<!t6, !t6>
!t8 = tuple<!t7, !t7>
!t9 = tuple<!t8, !t8>
!t10 = tuple<!t9, !t9>
!t11 = tuple<!t10, !t10>
!t12 = tuple<!t11, !t11>
!t13 = tuple<!t12, !t12>

relax.func @f(%x: !t12) -> !t12 {
  %y = relax.tuple %x, %x : (!t12, !t12) -> !t13
  relax.return %x : !t12
}

// CHECK: relax.tuple{{.*}}: expected a tuple of at most 8192 parts in all, or one that is not nested, found one with more; tuples of tuples double with every level: take their parts apart
