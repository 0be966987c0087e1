//===- CKernels.cpp - Arguments that C functions do not take --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against the prototypes of C kernels, and where these are.
//
// RUN: wrong-graphs c_arity_few | \
// RUN:   FileCheck %s --check-prefix=C_ARITY_FEW --implicit-check-not=error:
// RUN: wrong-graphs c_arity_many | \
// RUN:   FileCheck %s --check-prefix=C_ARITY_MANY --implicit-check-not=error:
// RUN: wrong-graphs c_element | \
// RUN:   FileCheck %s --check-prefix=C_ELEMENT --implicit-check-not=error:
// RUN: wrong-graphs c_rank | \
// RUN:   FileCheck %s --check-prefix=C_RANK --implicit-check-not=error:
// RUN: wrong-graphs c_rank_of_three | \
// RUN:   FileCheck %s --check-prefix=C_RANK_OF_THREE --implicit-check-not=error:
// RUN: wrong-graphs c_scalar_type | \
// RUN:   FileCheck %s --check-prefix=C_SCALAR_TYPE --implicit-check-not=error:
// RUN: wrong-graphs c_scalar_for_pointer | \
// RUN:   FileCheck %s --check-prefix=C_SCALAR_FOR_POINTER --implicit-check-not=error:
// RUN: wrong-graphs c_pointer_for_scalar | \
// RUN:   FileCheck %s --check-prefix=C_POINTER_FOR_SCALAR --implicit-check-not=error:
// RUN: wrong-graphs c_pointer_type | \
// RUN:   FileCheck %s --check-prefix=C_POINTER_TYPE --implicit-check-not=error:
// RUN: wrong-graphs c_write_to_const | \
// RUN:   FileCheck %s --check-prefix=C_WRITE_TO_CONST --implicit-check-not=error:
// RUN: wrong-graphs c_extent_too_large | \
// RUN:   FileCheck %s --check-prefix=C_EXTENT_TOO_LARGE --implicit-check-not=error:
// RUN: wrong-graphs c_result | \
// RUN:   FileCheck %s --check-prefix=C_RESULT --implicit-check-not=error:
// RUN: wrong-graphs c_unknown | \
// RUN:   FileCheck %s --check-prefix=C_UNKNOWN --implicit-check-not=error:
// RUN: wrong-graphs c_nowhere | \
// RUN:   FileCheck %s --check-prefix=C_NOWHERE --implicit-check-not=error:
// RUN: wrong-graphs c_static | \
// RUN:   FileCheck %s --check-prefix=C_STATIC --implicit-check-not=error:
// RUN: wrong-graphs c_variable | \
// RUN:   FileCheck %s --check-prefix=C_VARIABLE --implicit-check-not=error:
// RUN: wrong-graphs c_broken | \
// RUN:   FileCheck %s --check-prefix=C_BROKEN
// RUN: wrong-graphs c_flag | FileCheck %s --check-prefix=C_FLAG
// RUN: wrong-graphs c_replicated_unknown | \
// RUN:   FileCheck %s --check-prefix=C_REPLICATED_UNKNOWN --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

static CKernel kernel(const char *name) {
  return CKernel(name, "Inputs/kernels.c");
}

WRONG(c_arity_few) {
  // C_ARITY_FEW: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'add' takes 10 parameters, but the arguments of the task become 5
  graph.createTask(kernel("add"), {&graph.createDoubleDat(1, {4})});
}

WRONG(c_arity_many) {
  Dat &dat = graph.createDat(2, 2);
  // C_ARITY_MANY: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'twice' takes 7 parameters, but the arguments of the task become 14
  graph.createTask(kernel("twice"), {&dat, &graph.createDat(2, 2)});
}

WRONG(c_element) {
  // C_ELEMENT: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: parameter 1 'buffer' of 'twice' is 'double *', but 'd0' holds 'float'
  graph.createTask(kernel("twice"), {&graph.createFloatDat(2, {4, 4})});
}

WRONG(c_rank) {
  // C_RANK: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'twice' takes 7 parameters, but the arguments of the task become 5
  graph.createTask(kernel("twice"), {&graph.createDoubleDat(1, {4})});
}

WRONG(c_rank_of_three) {
  // C_RANK_OF_THREE: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'twice' takes 7 parameters, but the arguments of the task become 9
  graph.createTask(kernel("twice"), {&graph.createDoubleDat(3, {4, 2, 2})});
}

WRONG(c_scalar_type) {
  Dat &dat = graph.createFloatDat(1, {4});
  // C_SCALAR_TYPE: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: parameter 6 'factor' of 'scale' is 'float', but the value of 's0' is 'double'
  graph.createTask(kernel("scale"), {&dat, &graph.createDoubleScalar(2)});
}

WRONG(c_scalar_for_pointer) {
  // C_SCALAR_FOR_POINTER: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: parameter 1 'result' of 'measure' is 'int *', but the value of 's0' is 'int32_t'
  graph.createTask(kernel("measure"), {&graph.createIntScalar(32, 1)});
}

WRONG(c_pointer_for_scalar) {
  Scalar &scalar = graph.createDoubleScalar(2);
  Dat &dat = graph.createFloatDat(1, {4});
  // C_POINTER_FOR_SCALAR: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: parameter 6 'factor' of 'scale' is 'float', but the address of 's0' is expected there
  graph.createTask(kernel("scale"), {&dat, &graph.createPtrScalar(&scalar)});
}

WRONG(c_pointer_type) {
  Scalar &scalar = graph.createIntScalar(64, 1);
  // C_POINTER_TYPE: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: parameter 1 'result' of 'measure' is 'int *', but 's0' holds 'int64_t'
  graph.createTask(kernel("measure"), {&graph.createPtrScalar(&scalar)});
}

WRONG(c_write_to_const) {
  Dat &a = graph.createDoubleDat(1, {4});
  Dat &b = graph.createDoubleDat(1, {4});
  // C_WRITE_TO_CONST: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: parameter 6 'b_buffer' of 'add' is 'const double *', but the task says that it writes 'd1'
  graph.createTask(kernel("add"), {&a, out(b)});
}

WRONG(c_extent_too_large) {
  Dat &dat = graph.createUIntDat(8, 1, {200});
  // C_EXTENT_TOO_LARGE: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: parameter 4 'n' of 'fill' is 'int8_t', but the extent of dimension 0 of 'd0' is 200, which does not fit
  graph.createTask(kernel("fill"), {&dat, &graph.createIntScalar(8, 1)});
}

WRONG(c_result) {
  // C_RESULT: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'half' returns 'double', but a kernel returns nothing, or 'int' as its status
  graph.createTask(kernel("half"), {&graph.createDoubleScalar(1)});
}

WRONG(c_unknown) {
  // C_UNKNOWN: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: no kernel source defines 'thrice'
  graph.createTask(kernel("thrice"), {&graph.createDat(2, 2)});
}

WRONG(c_nowhere) {
  // C_NOWHERE: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: no kernel source defines 'nowhere_at_all'
  graph.createTask(CKernel("nowhere_at_all"), {&graph.createDat(2, 2)});
}

WRONG(c_static) {
  // C_STATIC: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: no kernel source defines 'hidden'
  graph.createTask(kernel("hidden"), {&graph.createDoubleScalar(1)});
}

WRONG(c_variable) {
  // C_VARIABLE: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: no kernel source defines 'not_a_function'
  graph.createTask(kernel("not_a_function"));
}

WRONG(c_broken) {
  // C_BROKEN: broken.c:1:13: error: expected parameter declarator
  // C_BROKEN: broken.c:1:11: note: to match this '('
  // C_BROKEN: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}broken.c' does not compile
  graph.createTask(CKernel("broken", "Inputs/broken.c"));
}

WRONG(c_flag) {
  // C_FLAG: error: unknown argument: '-no-such'
  // C_FLAG: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: clang refused its options
  graph.createTask(CKernel("measure", "Inputs/kernels.c", {"-no-such"}));
}

WRONG(c_replicated_unknown) {
  // C_REPLICATED_UNKNOWN: CKernels.cpp:[[@LINE+1]]:{{[0-9]+}}: error: no kernel source defines 'nowhere_at_all'
  graph.createTask(CKernel("nowhere_at_all")).replicate({4});
}
