//===- Oracle.h - Running one instance at a time ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the instances of one work-group, each on its own stack, switching at
// barriers. This slow and simple execution is the reference for generated code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_TESTING_ORACLE_H
#define SLUICE_LIB_CODEGEN_LEAF_TESTING_ORACLE_H

#include <cstdint>
#include <functional>

namespace sluice::codegen {

/// Calls `runInstance(i)` for 0 <= i < count. An instance that calls
/// `oracleBarrier` continues when all others have ended or reached a barrier.
void runGroup(int64_t count, const std::function<void(int64_t)> &runInstance);

extern "C" void oracleBarrier();

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_TESTING_ORACLE_H
