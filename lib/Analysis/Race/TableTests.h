//===- TableTests.h - What launches test of tables --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where instances meet only if a table of the host names a place twice, a
// launch can tell: it knows the table, and which of its entries are used.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_TABLETESTS_H
#define SLUICE_LIB_ANALYSIS_RACE_TABLETESTS_H

#include "Graph/Accesses.h"
#include "Machine/Explorer.h"
#include "Overlap/Overlap.h"

namespace sluice::races {

/// Whether no other memory than one object of the host is meant, and no lock or
/// statement of the program keeps some instances apart.
bool isUnprotected(const PlacedAccess &access);

/// Whether the same conditions decide about the execution of two accesses.
bool haveSameDeciders(llvm::ArrayRef<Condition> a, llvm::ArrayRef<Condition> b);

/// Whether a launch can read entries of so many bits.
bool isEntrySize(unsigned bits);

/// The tests that show that instances of `leaf` never meet in `a` and `b`,
/// which they do only if entries of `used` at different places are equal. Empty
/// if a launch cannot tell which entries are used, or if equal entries may be
/// right, as where all instances store the same. `query` is the question about
/// the two, with no derived value that it makes superfluous.
std::vector<TableCondition>
testsOfTables(const PlacedAccesses &accesses, Explorer &explorer,
              const TreeNode &leaf, const PlacedAccess &a,
              const PlacedAccess &b, const OverlapQuery &query,
              const std::vector<TableUse> &used);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_TABLETESTS_H
