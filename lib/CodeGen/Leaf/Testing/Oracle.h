//===- Oracle.h - One instance at a time ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the instances of one work-group, each on a stack of its own, switching
// at barriers. Slow and simple: what generated code is compared with.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_TESTING_ORACLE_H
#define SLUICE_LIB_CODEGEN_LEAF_TESTING_ORACLE_H

#include <cstdint>
#include <functional>

namespace sluice::codegen {

/// Calls `runInstance(i)` for 0 <= i < count. An instance that calls
/// `oracleBarrier` goes on when all others have ended or come to a barrier.
void runGroup(int64_t count, const std::function<void(int64_t)> &runInstance);

extern "C" void oracleBarrier();

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_TESTING_ORACLE_H
