//===- LargeValues.h - Structures that stay in memory ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ports of nodes pass values, and values of structure types may contain
// thousands of numbers. LLVM splits loads and stores of a whole structure into
// single numbers, in superlinear time. So large values are loaded and stored
// whole from the time when a node's function is made until its kernel is made
// (moveLargeValues). Passes that would split them do not see them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LARGEVALUES_H
#define SLUICE_ANALYSIS_LARGEVALUES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Alignment.h"

namespace llvm {
class DataLayout;
class Function;
class Instruction;
class Type;
class Value;
} // namespace llvm

namespace sluice {

/// Whether values of the type contain so many numbers that they stay in memory.
bool isLargeValue(const llvm::Type *type);
/// Whether values of the type contain more than `most` numbers.
bool hasMoreNumbers(const llvm::Type *type, uint64_t most);

/// While an object lives, opaque calls replace the loads and stores of large
/// values in a function.
class HiddenLargeValues {
public:
  explicit HiddenLargeValues(llvm::Function &function);
  ~HiddenLargeValues();
  HiddenLargeValues(const HiddenLargeValues &) = delete;
  HiddenLargeValues &operator=(const HiddenLargeValues &) = delete;

private:
  llvm::Function *standIn(bool isLoad, llvm::Type *type);

  llvm::Function &function;
  llvm::DenseMap<llvm::Type *, llvm::Function *> loads, stores;
};

/// Whether memory at `address` is only read, except by `except`, at places with
/// an assumed alignment of at most `most`, and the address does not escape.
bool isOnlyRead(const llvm::Value &address, const llvm::Instruction *except,
                llvm::MaybeAlign most = std::nullopt);

/// For memory to which only a large parameter was stored: takes numbers at
/// known offsets directly from the parameter, and removes memory that nobody
/// reads. For passes that need to see where numbers come from.
void readLargeParameters(llvm::Function &function);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LARGEVALUES_H
