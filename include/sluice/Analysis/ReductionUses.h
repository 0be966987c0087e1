//===- ReductionUses.h - How a leaf uses a reduction ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In memory that is reduced, an instance of a leaf sees the values that earlier
// instances of the chunk left in a copy. So it may only update elements there
// with the declared operator. In memory that is scanned, it may use only its
// own element.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_REDUCTIONUSES_H
#define SLUICE_ANALYSIS_REDUCTIONUSES_H

#include "sluice/Analysis/LeafReductions.h"

#include <string>
#include <vector>

namespace sluice {

/// A use of memory that is reduced other than an update by the operator.
struct ReductionMisuse {
  const llvm::Instruction *place;
  const llvm::Argument *memory;
  /// "reads an element for another purpose than to update it".
  std::string what;
};

/// Inlines the calls by which a leaf updates its declared reductions, if the
/// code of the functions is in the module. Must run before the search for
/// misuses.
void inlineUpdates(llvm::Function &leaf);

/// All misuses of the memory of `reduction` in a leaf with variables in
/// registers.
std::vector<ReductionMisuse>
findReductionMisuses(const LeafReduction &reduction);

/// The same for a scan; findReductionMisuses calls it.
std::vector<ReductionMisuse> findScanMisuses(const LeafReduction &scan);

} // namespace sluice

#endif // SLUICE_ANALYSIS_REDUCTIONUSES_H
