//===- Given.h - Scalars that get their values when they run ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that runs a graph again with other numbers, or another graph that
// is alike but for them, need not compile anything.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_GIVEN_H
#define SLUICE_DFG_GIVEN_H

#include "llvm/ADT/StringRef.h"

namespace sluice::dfg {

/// The attribute of a `dfg.scalar` whose value the process that runs the graph
/// sets, so that one program is for all values. It is the value of now, for
/// messages; that of the op stands for all: no other one has more bits.
inline constexpr llvm::StringLiteral givenName = "dfg.given";

} // namespace sluice::dfg

#endif // SLUICE_DFG_GIVEN_H
