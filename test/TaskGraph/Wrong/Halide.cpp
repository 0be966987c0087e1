//===- Halide.cpp - Arguments that generators do not take -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against what Halide says of its generators, which are those of the library's
// own tests (lib/Halide/Testing).
//
// REQUIRES: halide
// RUN: wrong-graphs halide_unknown | \
// RUN:   FileCheck %s --check-prefix=HALIDE_UNKNOWN --implicit-check-not=error:
// RUN: wrong-graphs halide_arity_few | \
// RUN:   FileCheck %s --check-prefix=HALIDE_ARITY_FEW --implicit-check-not=error:
// RUN: wrong-graphs halide_arity_many | \
// RUN:   FileCheck %s --check-prefix=HALIDE_ARITY_MANY --implicit-check-not=error:
// RUN: wrong-graphs halide_element | \
// RUN:   FileCheck %s --check-prefix=HALIDE_ELEMENT --implicit-check-not=error:
// RUN: wrong-graphs halide_rank | \
// RUN:   FileCheck %s --check-prefix=HALIDE_RANK --implicit-check-not=error:
// RUN: wrong-graphs halide_scalar_for_buffer | \
// RUN:   FileCheck %s --check-prefix=HALIDE_SCALAR_FOR_BUFFER --implicit-check-not=error:
// RUN: wrong-graphs halide_buffer_for_scalar | \
// RUN:   FileCheck %s --check-prefix=HALIDE_BUFFER_FOR_SCALAR --implicit-check-not=error:
// RUN: wrong-graphs halide_scalar_width | \
// RUN:   FileCheck %s --check-prefix=HALIDE_SCALAR_WIDTH --implicit-check-not=error:
// RUN: wrong-graphs halide_scalar_kind | \
// RUN:   FileCheck %s --check-prefix=HALIDE_SCALAR_KIND --implicit-check-not=error:
// RUN: wrong-graphs halide_write_to_input | \
// RUN:   FileCheck %s --check-prefix=HALIDE_WRITE_TO_INPUT --implicit-check-not=error:
// RUN: wrong-graphs halide_read_of_output | \
// RUN:   FileCheck %s --check-prefix=HALIDE_READ_OF_OUTPUT --implicit-check-not=error:
// RUN: wrong-graphs halide_input_too_small | \
// RUN:   FileCheck %s --check-prefix=HALIDE_INPUT_TOO_SMALL --implicit-check-not=error:
// RUN: wrong-graphs halide_reversed | \
// RUN:   FileCheck %s --check-prefix=HALIDE_REVERSED --implicit-check-not=error:
// RUN: wrong-graphs halide_parameter_unknown | \
// RUN:   FileCheck %s --check-prefix=HALIDE_PARAMETER_UNKNOWN --implicit-check-not=error:
// RUN: wrong-graphs halide_parameter_value | \
// RUN:   FileCheck %s --check-prefix=HALIDE_PARAMETER_VALUE --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(halide_unknown) {
  // HALIDE_UNKNOWN: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'no_such_generator': generator 'no_such_generator': there is no generator 'no_such_generator' in this program
  graph.createTask(HalideKernel("no_such_generator"), {&graph.createDat(2, 2)});
}

WRONG(halide_arity_few) {
  // HALIDE_ARITY_FEW: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': it has 1 argument, but generator 'test_blur' takes 2: 'input' (input of float64, 2 dimensions) and 'output'
  graph.createTask(HalideKernel("test_blur"), {&graph.createDat(8, 8)});
}

WRONG(halide_arity_many) {
  Dat &dat = graph.createDat(8, 8);
  Dat &out = graph.createDat(6, 6);
  // HALIDE_ARITY_MANY: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': it has 3 arguments, but generator 'test_blur' takes 2
  graph.createTask(HalideKernel("test_blur"), {&dat, &out, &out});
}

WRONG(halide_element) {
  Dat &out = graph.createDat(6, 6);
  // HALIDE_ELEMENT: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': argument 1, 'd1', holds float32, but 'input' (input of float64, 2 dimensions) of generator 'test_blur' wants float64
  graph.createTask(HalideKernel("test_blur"),
                   {&graph.createFloatDat(2, {8, 8}), &out});
}

WRONG(halide_rank) {
  Dat &out = graph.createDat(6, 6);
  // HALIDE_RANK: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': argument 1, 'd1', has 1 dimension, but 'input' (input of float64, 2 dimensions) of generator 'test_blur' wants 2
  graph.createTask(HalideKernel("test_blur"),
                   {&graph.createDoubleDat(1, {8}), &out});
}

WRONG(halide_scalar_for_buffer) {
  Dat &out = graph.createDat(6, 6);
  // HALIDE_SCALAR_FOR_BUFFER: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': argument 1, 's0', is a scalar, but generator 'test_blur' takes 'input'
  graph.createTask(HalideKernel("test_blur"),
                   {&graph.createDoubleScalar(8), &out});
}

WRONG(halide_buffer_for_scalar) {
  Dat &in = graph.createIntDat(32, 1, {8});
  Dat &out = graph.createIntDat(32, 1, {8});
  // HALIDE_BUFFER_FOR_SCALAR: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_scale': argument 2, 'd0', is an array, but generator 'test_scale' takes 'factor' (int32) there
  graph.createTask(HalideKernel("test_scale"), {&in, &in, &out});
}

WRONG(halide_scalar_width) {
  Dat &in = graph.createIntDat(32, 1, {8});
  Dat &out = graph.createIntDat(32, 1, {8});
  // HALIDE_SCALAR_WIDTH: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_scale': argument 2, 's0', is 1099511627776, which does not fit 'factor' (int32) of generator 'test_scale'
  graph.createTask(HalideKernel("test_scale"),
                   {&in, &graph.createIntScalar(64, uint64_t(1) << 40), &out});
}

WRONG(halide_scalar_kind) {
  Dat &in = graph.createIntDat(32, 1, {8});
  Dat &out = graph.createIntDat(32, 1, {8});
  // HALIDE_SCALAR_KIND: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_scale': argument 2, 's0', is float32, but generator 'test_scale' takes 'factor' (int32) there
  graph.createTask(HalideKernel("test_scale"),
                   {&in, &graph.createFloatScalar(2), &out});
}

WRONG(halide_write_to_input) {
  Dat &in = graph.createDat(8, 8);
  Dat &result = graph.createDat(6, 6);
  // HALIDE_WRITE_TO_INPUT: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': argument 1, 'd0', is said to be written only, but 'input'
  graph.createTask(HalideKernel("test_blur"), {out(in), out(result)});
}

WRONG(halide_read_of_output) {
  Dat &source = graph.createDoubleDat(2, {8, 8}, std::vector<double>(64, 1));
  Dat &result = graph.createDoubleDat(2, {6, 6}, std::vector<double>(36, 1));
  // HALIDE_READ_OF_OUTPUT: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': argument 2, 'd1', is said to be read only, but 'output'
  graph.createTask(HalideKernel("test_blur"), {in(source), in(result)});
}

WRONG(halide_input_too_small) {
  Dat &dat = graph.createDat(6, 6);
  Dat &out = graph.createDat(6, 6);
  // HALIDE_INPUT_TOO_SMALL: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': 'd0' has 6 elements in dimension 1, but generator 'test_blur' touches elements 0 to 7 of 'input'
  graph.createTask(HalideKernel("test_blur"), {&dat, &out});
}

/// As a program for the published compiler has them.
WRONG(halide_reversed) {
  Dat &dat = graph.createDat(8, 20);
  Dat &out = graph.createDat(18, 6);
  // HALIDE_REVERSED: Halide.cpp:[[@LINE+2]]:{{[0-9]+}}: error: task 'test_blur': 'd0' has 8 elements in dimension 0, but generator 'test_blur' touches elements 0 to 19 of 'input'
  // HALIDE_REVERSED: note: dimension 0 of Halide is the last one of a dataset, whose elements stand side by side; published programs count the other way round: if 'd0' was written for that order, give its extents reversed, {20, 8}
  graph.createTask(HalideKernel("test_blur"), {&dat, &out});
}

WRONG(halide_parameter_unknown) {
  Dat &dat = graph.createDat(8, 8);
  Dat &out = graph.createDat(6, 6);
  // HALIDE_PARAMETER_UNKNOWN: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': generator 'test_blur' has no parameter 'colour', but taps, p1, p2 and width
  graph.createTask(HalideKernel("test_blur", {{"colour", "red"}}), {&dat, &out});
}

WRONG(halide_parameter_value) {
  Dat &dat = graph.createDat(8, 8);
  Dat &out = graph.createDat(6, 6);
  // HALIDE_PARAMETER_VALUE: Halide.cpp:[[@LINE+1]]:{{[0-9]+}}: error: task 'test_blur': parameter 'taps' of generator 'test_blur' cannot be 'many'
  graph.createTask(HalideKernel("test_blur", {{"taps", "many"}}), {&dat, &out});
}
