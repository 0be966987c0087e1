//===- Order.cpp - Reads of what nobody writes ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from the order of the tasks.
//
// RUN: wrong-graphs read_of_nothing | \
// RUN:   FileCheck %s --check-prefix=READ_OF_NOTHING --implicit-check-not=error:
// RUN: wrong-graphs read_before_write | \
// RUN:   FileCheck %s --check-prefix=READ_BEFORE_WRITE --implicit-check-not=error:
// RUN: wrong-graphs read_of_part | \
// RUN:   FileCheck %s --check-prefix=READ_OF_PART --implicit-check-not=error:
// RUN: wrong-graphs scalar_of_nothing | \
// RUN:   FileCheck %s --check-prefix=SCALAR_OF_NOTHING --implicit-check-not=error:
// RUN: wrong-graphs pointer_of_nothing | \
// RUN:   FileCheck %s --check-prefix=POINTER_OF_NOTHING --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

static CKernel kernel(const char *name) {
  return CKernel(name, "Inputs/kernels.c");
}

WRONG(read_of_nothing) {
  Dat &dat = graph.createDat(2, 2);
  // READ_OF_NOTHING: Order.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'look' reads 'd0', which has no value yet: no task before it writes there, and it has no initial value
  graph.createTask(kernel("look"), {in(dat)});
}

WRONG(read_before_write) {
  Dat &a = graph.createDoubleDat(1, {4});
  Dat &b = graph.createDoubleDat(1, {4});
  // READ_BEFORE_WRITE: Order.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'add' reads 'd1', which has no value yet
  graph.createTask(kernel("add"), {&a, in(b)});
  graph.createTask(kernel("add"), {&b, in(a)});
}

WRONG(read_of_part) {
  Dat &a = graph.createDat(4, 2);
  graph.createTask(kernel("twice"), {&graph.createSubDat(a, {{0, 2}, {}})});
  // READ_OF_PART: Order.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'look' reads a part of 'd0', which has no value yet
  graph.createTask(kernel("look"), {in(graph.createSubDat(a, {{2, 4}, {}}))});
}

WRONG(scalar_of_nothing) {
  Dat &dat = graph.createUIntDat(8, 1, {4});
  // SCALAR_OF_NOTHING: Order.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'fill' reads 's0' by value, which has no value yet
  graph.createTask(kernel("fill"), {&dat, &graph.createIntScalar(8)});
}

WRONG(pointer_of_nothing) {
  IntScalar &scalar = graph.createIntScalar(32);
  PtrScalar &pointer = graph.createPtrScalar(&scalar);
  // POINTER_OF_NOTHING: Order.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'glance' reads 's0', which has no value yet
  graph.createTask(kernel("glance"), {in(pointer)});
}
