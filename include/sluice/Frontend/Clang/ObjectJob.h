//===- ObjectJob.h - One source on its way to an object file ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's driver splits a command line into jobs. A job that makes an object
// file of one source is a line for clang's front end, which says everything
// about the source and the object.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_CLANG_OBJECTJOB_H
#define SLUICE_FRONTEND_CLANG_OBJECTJOB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// A job of clang's driver.
struct ObjectJob {
  std::string source, output;
  /// For clang's front end, behind -cc1.
  std::vector<std::string> words;
  /// All words that the user has given to the driver.
  std::vector<std::string> flags;
  /// Somebody wants to know what clang does alone.
  bool saysLeft = false;
};

/// What a job says about the code.
struct ObjectCode {
  /// "x86-64,+avx2,+fma": a CPU, and additional features.
  std::string cpu;
  /// 0 to 3.
  unsigned optimizationLevel = 0;
  /// A debugger is to see variables.
  bool hasVariables = false;
};
ObjectCode codeOf(const ObjectJob &job);

/// Why Sluice cannot write the object that a job asks for, as the end of a
/// sentence: clang alone knows how to instrument code, to share passes, and to
/// compile for other machines. Empty if it can.
std::string whyOnlyClang(const ObjectJob &job);

/// Whether a source may have graphs: with -fopenmp, directives of OpenMP;
/// else calls of HPVM-C and Hetero-C++. Reads the source and those headers that
/// are not the system's, as text.
bool mayConcernSluice(const ObjectJob &job);

/// Writes the object of a module whose passes have run, with everything that
/// the job says about objects. `isOptimized`: code is generated as for -O2 even
/// if the job says -O0.
llvm::Error emitObject(const ObjectJob &job, llvm::Module &module,
                       bool isOptimized, llvm::SmallVectorImpl<char> &object);

} // namespace sluice

#endif // SLUICE_FRONTEND_CLANG_OBJECTJOB_H
