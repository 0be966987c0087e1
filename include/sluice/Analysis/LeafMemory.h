//===- LeafMemory.h - Globals that leaves use, pointers they write --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of memory beyond declared ports that a plan must state about a leaf,
// so that the runtime can order nodes that share memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFMEMORY_H
#define SLUICE_ANALYSIS_LEAFMEMORY_H

#include "llvm/IR/Function.h"

#include <map>
#include <string>
#include <vector>

namespace sluice {

/// An attribute of leaves whose memory may hold pointers. Two pointers at
/// different places are taken to lead to different memory, which holds neither
/// of them; RaceReport::followedPointers says where that matters. In other
/// leaves, nothing is known of memory behind loaded pointers.
inline constexpr llvm::StringLiteral followsPointersAttribute =
    "sluice.follows-pointers";

/// An attribute of leaves of programs with threads of their own, which may use
/// the same memory by atomic operations while the leaf runs.
inline constexpr llvm::StringLiteral hasThreadsAttribute = "sluice.has-threads";

/// How memory is used. If both are false, only its address is taken.
struct MemoryUseKinds {
  bool isRead = false;
  bool isWritten = false;
};

/// The mutable global variables, by name, that `leaf` and the functions it
/// calls use. Thread-local variables belong to an instance and are left out. A
/// variable whose address escapes counts as read and written.
std::map<std::string, MemoryUseKinds> globalsUsedBy(const llvm::Function &leaf);

/// True if `object`, the base of an address, is memory of the thread that runs
/// an instance: `errno`, or a thread-local variable.
bool isOfThread(const llvm::Value &object);

/// An attribute of parameters of leaves: the program itself fills their memory,
/// so it does not have arbitrary contents.
inline constexpr llvm::StringLiteral filledAttribute = "sluice.filled";

/// Marks a leaf whose pointers always point to different memory.
inline constexpr llvm::StringLiteral apartAttribute = "sluice.apart";

/// An attribute of leaves: no launch has more instances.
inline constexpr llvm::StringLiteral mostInstancesAttribute =
    "sluice.most-instances";

/// For every parameter, whether `leaf` itself writes through it.
std::vector<bool> parametersWrittenBy(const llvm::Function &leaf);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFMEMORY_H
