//===- AddressFlow.h - Finding writes through an address ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closures of C++, references and small objects pass addresses to functions
// that write through them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_ADDRESSFLOW_H
#define SLUICE_ANALYSIS_ADDRESSFLOW_H

#include "llvm/IR/Instructions.h"

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace sluice {

/// Follows the address of a variable or a buffer to the writes through it: into
/// functions with known code, and into objects such as closures that contain
/// the address and are themselves passed to functions.
///
/// A tracked pointer is the address itself, or points to an object that
/// contains the address at some byte, or to an object that contains such a
/// pointer, such as a function's variable for `this`.
class AddressFlow {
public:
  /// Whether a call writes through the pointer that is this operand of the
  /// call.
  using WritesByCall = std::function<bool(const llvm::Use &)>;

  /// `mayBeLost`: places that are not followed are assumed not to write through
  /// the address.
  AddressFlow(bool mayBeLost, WritesByCall writesByCall)
      : mayBeLost(mayBeLost), writesByCall(std::move(writesByCall)) {}

  /// True if nothing is written; `use` is a use of the address.
  bool check(const llvm::Use &use) { return check(use, {}) && checkFollowed(); }
  bool checkAll(const llvm::Value &address) {
    return follow(address, {}, nullptr) && checkFollowed();
  }
  /// The write, or the call that leads to it; null if no write is known.
  const llvm::Instruction *getWrite() const { return write; }

private:
  /// The path from a pointer to the address: a sequence of loads, each at the
  /// given byte offset from the pointer. The last number is the first load.
  /// Empty for the address itself.
  using Path = std::vector<int64_t>;
  static constexpr size_t maxLoads = 4;
  /// A value with more paths than this is assumed to be in a loop.
  static constexpr size_t maxPaths = 8;

  /// A pointer with uses to be checked, and the call that led to it.
  struct Followed {
    const llvm::Value *pointer;
    Path path;
    const llvm::Instruction *outermost;
  };

  bool check(const llvm::Use &use, const Path &path);
  bool checkFollowed();
  /// Returns true if the uses of `pointer` are checked later.
  bool follow(const llvm::Value &pointer, Path path,
              const llvm::Instruction *through);
  bool checkLoaded(const llvm::Instruction &load, const Path &path);
  bool checkMoved(const llvm::Use &use, const Path &path);
  bool checkStore(const llvm::Use &use, const Path &path);
  bool checkAtomic(const llvm::Use &use, const Path &path);
  bool checkStored(const llvm::Value &place, Path path);
  bool checkHolder(const llvm::Value &place, Path path);
  bool checkCall(const llvm::Use &use, const Path &path);
  bool checkReturn(const llvm::ReturnInst &end, const Path &path);
  bool noteWrite(const llvm::Instruction &instruction);

  const bool mayBeLost;
  const WritesByCall writesByCall;
  const llvm::Instruction *write = nullptr, *outermost = nullptr;
  std::deque<Followed> worklist;
  /// The paths of each value, by their lengths.
  std::map<std::pair<const llvm::Value *, size_t>, std::vector<Path>> seen;
  /// For each function, the paths of what it returns of its arguments.
  std::map<const llvm::Function *, std::set<Path>> returned;
  /// The calls that were followed, each with the one that led to it.
  std::map<const llvm::Function *,
           std::map<const llvm::CallBase *, const llvm::Instruction *>>
      calls;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_ADDRESSFLOW_H
