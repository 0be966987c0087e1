//===- plain.c - The factorization A = L U by tiles in plain loops --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares one launch with the plain loops of lu.
//
//===----------------------------------------------------------------------===//

#include "../lu/plain.c"
