//===- LargeValues.h - Structures that stay in memory ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ports of nodes have values, and those of structures may have thousands of
// numbers. LLVM takes loads and stores of a whole structure apart, number by
// number, in time that grows faster than their count. So large ones are loaded
// and stored whole, from where a node's function is made until its kernel is
// (moveLargeValues), and passes that would take them apart do not see them.
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

/// Whether values of the type have so many numbers that they stay in memory.
bool isLargeValue(const llvm::Type *type);
/// Whether they have more numbers than `most`.
bool hasMoreNumbers(const llvm::Type *type, uint64_t most);

/// While it lives, calls that say nothing stand for loads and stores of large
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

/// Whether memory at `address` is only read but by `except`, at places that
/// are taken to be aligned by `most` at most, and nobody else gets to know the
/// address.
bool isOnlyRead(const llvm::Value &address, const llvm::Instruction *except,
                llvm::MaybeAlign most = std::nullopt);

/// Memory to which a large parameter was stored, and nothing else: numbers at
/// known places are taken from the parameter, and memory that nobody reads
/// goes. For passes that want to see where numbers come from.
void readLargeParameters(llvm::Function &function);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LARGEVALUES_H
