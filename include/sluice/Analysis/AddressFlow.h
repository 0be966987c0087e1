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
  bool check(const llvm::Use &use) { return check(use, {}); }
  bool checkAll(const llvm::Value &address) { return checkAll(address, {}); }
  /// What writes, or the call that leads there; null if nothing is known to.
  const llvm::Instruction *getWrite() const { return write; }

private:
  /// How to get from a pointer to the address: by loads, the first of which is
  /// the last number, each at so many bytes from where the pointer leads; empty
  /// for the address itself.
  using Path = std::vector<int64_t>;
  static constexpr size_t maxLoads = 4;

  bool check(const llvm::Use &use, const Path &path);
  bool checkAll(const llvm::Value &pointer, const Path &path);
  bool checkLoaded(const llvm::Instruction &load, const Path &path);
  bool checkMoved(const llvm::Instruction &pointer, const Path &path);
  bool checkStore(const llvm::Use &use, const Path &path);
  bool checkHolder(const llvm::Value &place, Path path);
  bool checkCall(const llvm::Use &use, const Path &path);
  bool checkReturn(const llvm::Use &use, const Path &path);
  bool noteWrite(const llvm::Instruction &instruction);

  const bool mayBeLost;
  const WritesByCall writesByCall;
  const llvm::Instruction *write = nullptr, *outermost = nullptr;
  std::set<std::pair<const llvm::Value *, Path>> seen;
  /// What functions return of what they were given.
  std::map<const llvm::Function *, std::set<Path>> returned;
  std::set<const llvm::Function *> followed;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_ADDRESSFLOW_H
