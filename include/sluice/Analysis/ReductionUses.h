//===- ReductionUses.h - What a leaf does with a reduction ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance of a leaf sees of memory that is reduced what the chunk before it
// left in a copy. So all that it may do there is to update elements with the
// operator that the leaf has declared. Of memory that is scanned, it may use
// its own element, and no other one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_REDUCTIONUSES_H
#define SLUICE_ANALYSIS_REDUCTIONUSES_H

#include "sluice/Analysis/LeafReductions.h"

#include <string>
#include <vector>

namespace sluice {

/// A use of memory that is reduced which is no update by the operator.
struct ReductionMisuse {
  const llvm::Instruction *place;
  const llvm::Argument *memory;
  /// "reads an element for another purpose than to update it".
  std::string what;
};

/// Inlines the calls by which a leaf updates what it declares as reductions,
/// where the code of the functions is here. To be done before misuses are
/// looked for.
void inlineUpdates(llvm::Function &leaf);

/// All such uses of what `reduction` declares, in a leaf whose variables are in
/// registers.
std::vector<ReductionMisuse>
findReductionMisuses(const LeafReduction &reduction);

/// The same of a scan; findReductionMisuses asks it.
std::vector<ReductionMisuse> findScanMisuses(const LeafReduction &scan);

} // namespace sluice

#endif // SLUICE_ANALYSIS_REDUCTIONUSES_H
