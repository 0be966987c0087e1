//===- LeafRunner.h - Running compiled leaves -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the range function of a leaf and the oracle on copies of the same data.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_TESTING_LEAFRUNNER_H
#define SLUICE_LIB_CODEGEN_LEAF_TESTING_LEAFRUNNER_H

#include "LeafSetup.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace sluice::codegen::leaftest {

/// Calls a function of a leaf; the entries of the array point to its arguments.
using Caller = void (*)(void **);

/// Calls `define` with the name and the address of each function that the code
/// of leaves calls.
void forEachRuntimeFunction(
    llvm::function_ref<void(llvm::StringRef name, void *address)> define);

/// Runs the range function, whole and in pieces, and compares every byte with
/// the oracle's. Prints the differences; returns the exit status.
int runAndCompare(const Setup &setup, Caller oracle, Caller range);

/// Prints how long the range function takes, beside the function of -peer=.
int measure(const Setup &setup, Caller range);

} // namespace sluice::codegen::leaftest

#endif // SLUICE_LIB_CODEGEN_LEAF_TESTING_LEAFRUNNER_H
