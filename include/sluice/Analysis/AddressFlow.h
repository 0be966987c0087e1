//===- AddressFlow.h - Where something is written through an address ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closures of C++, references and small objects carry addresses to functions
// that write there.
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

/// Follows the address of a variable, or that of a buffer, to where something
/// is written through it: into functions whose code is here, and into objects
/// such as closures that hold it and go into functions themselves.
///
/// A pointer is the address itself, or leads to an object that holds it at some
/// byte, or to one that holds such a pointer, as a function's variable for
/// `this` does.
class AddressFlow {
public:
  /// Whether a call writes through the pointer that is this operand of it.
  using WritesByCall = std::function<bool(const llvm::Use &)>;

  /// `mayBeLost`: where the address goes to places that are not followed,
  /// nothing is written.
  AddressFlow(bool mayBeLost, WritesByCall writesByCall)
      : mayBeLost(mayBeLost), writesByCall(std::move(writesByCall)) {}

  /// True if nothing is written; `use` is one of the address.
  bool check(const llvm::Use &use) { return check(use, {}) && checkFollowed(); }
  bool checkAll(const llvm::Value &address) {
    return follow(address, {}, nullptr) && checkFollowed();
  }
  /// What writes, or the call that leads there; null if nothing is known to.
  const llvm::Instruction *getWrite() const { return write; }

private:
  /// How to get from a pointer to the address: by loads, the first of which is
  /// the last number, each at so many bytes from where the pointer leads; empty
  /// for the address itself.
  using Path = std::vector<int64_t>;
  static constexpr size_t maxLoads = 4;
  /// With more paths than this a value counts as going round in a loop.
  static constexpr size_t maxPaths = 8;

  /// A pointer whose uses are to be checked, and the call that led to it.
  struct Followed {
    const llvm::Value *pointer;
    Path path;
    const llvm::Instruction *outermost;
  };

  bool check(const llvm::Use &use, const Path &path);
  bool checkFollowed();
  /// True: the uses of `pointer` are checked later.
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
  /// What functions return of what they were given.
  std::map<const llvm::Function *, std::set<Path>> returned;
  /// The calls that were followed, each with the one that led to it.
  std::map<const llvm::Function *,
           std::map<const llvm::CallBase *, const llvm::Instruction *>>
      calls;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_ADDRESSFLOW_H
