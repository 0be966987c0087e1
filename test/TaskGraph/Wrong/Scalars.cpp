//===- Scalars.cpp - Scalars that cannot be -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widths and values of scalars, and pointers to them.
//
// RUN: wrong-graphs scalar_width | \
// RUN:   FileCheck %s --check-prefix=SCALAR_WIDTH --implicit-check-not=error:
// RUN: wrong-graphs scalar_too_large | \
// RUN:   FileCheck %s --check-prefix=SCALAR_TOO_LARGE --implicit-check-not=error:
// RUN: wrong-graphs scalar_too_small | \
// RUN:   FileCheck %s --check-prefix=SCALAR_TOO_SMALL --implicit-check-not=error:
// RUN: wrong-graphs pointer_to_nothing | \
// RUN:   FileCheck %s --check-prefix=POINTER_TO_NOTHING --implicit-check-not=error:
// RUN: wrong-graphs pointer_to_pointer | \
// RUN:   FileCheck %s --check-prefix=POINTER_TO_POINTER --implicit-check-not=error:
// RUN: wrong-graphs pointer_to_foreign | \
// RUN:   FileCheck %s --check-prefix=POINTER_TO_FOREIGN --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(scalar_width) {
  // SCALAR_WIDTH: Scalars.cpp:[[@LINE+1]]:{{[0-9]+}}: error: integers have 8, 16, 32 or 64 bits, not 7
  graph.createIntScalar(7);
}

WRONG(scalar_too_large) {
  // SCALAR_TOO_LARGE: Scalars.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the value 256 does not fit into 8 bits
  graph.createIntScalar(8, 256);
}

WRONG(scalar_too_small) {
  // SCALAR_TOO_SMALL: Scalars.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the value -129 does not fit into 8 bits
  graph.createIntScalar(8, -129);
}

WRONG(pointer_to_nothing) {
  // POINTER_TO_NOTHING: Scalars.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the scalar of this pointer is null or belongs to no graph
  graph.createPtrScalar(nullptr);
}

WRONG(pointer_to_pointer) {
  // POINTER_TO_POINTER: Scalars.cpp:[[@LINE+3]]:{{[0-9]+}}: error: a pointer to a pointer: pass the scalar itself
  // POINTER_TO_POINTER: Scalars.cpp:[[@LINE+1]]:{{[0-9]+}}: note: the scalar is created here
  PtrScalar &first = graph.createPtrScalar(&graph.createDoubleScalar(1));
  graph.createPtrScalar(&first);
}

WRONG(pointer_to_foreign) {
  TaskGraph other("other");
  DoubleScalar &scalar = other.createDoubleScalar(1);
  // POINTER_TO_FOREIGN: Scalars.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the scalar of this pointer belongs to graph 'other', not to 'wrong'
  graph.createPtrScalar(&scalar);
  // POINTER_TO_FOREIGN: Scalars.cpp:[[@LINE-3]]:{{[0-9]+}}: note: the scalar is created here
}
