//===- LeafMemory.h - Globals that leaves use, pointers they write -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plan must state about a leaf beyond its declared ports, so that the
// runtime can order nodes that share memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFMEMORY_H
#define SLUICE_ANALYSIS_LEAFMEMORY_H

#include "llvm/IR/Function.h"

#include <map>
#include <string>
#include <vector>

namespace sluice {

/// How memory is used; neither: only its address is taken.
struct MemoryUseKinds {
  bool isRead = false;
  bool isWritten = false;
};

/// The mutable global variables that `leaf`, and the functions it calls, use,
/// by name. Thread-local ones belong to an instance and are left out. A
/// variable whose address escapes counts as read and written.
std::map<std::string, MemoryUseKinds> globalsUsedBy(const llvm::Function &leaf);

/// True if `object`, which an address was computed from, is memory of the
/// thread that runs an instance: `errno`, or a thread-local variable.
bool isOfThread(const llvm::Value &object);

/// For every parameter: whether `leaf` itself writes through it.
std::vector<bool> parametersWrittenBy(const llvm::Function &leaf);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFMEMORY_H
