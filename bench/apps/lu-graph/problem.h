//===- problem.h - The factorization A = L U in one launch -------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors the matrix of lu, which is checked in the same way.
//
//===----------------------------------------------------------------------===//

#include "../lu/problem.h"
