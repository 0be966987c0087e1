//===- Given.h - Scalars that get their values at run time ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that runs a graph again with other numbers, or another graph that
// differs only in numbers, need not compile anything.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_GIVEN_H
#define SLUICE_DFG_GIVEN_H

#include "llvm/ADT/StringRef.h"

namespace sluice::dfg {

/// The attribute of a `dfg.scalar` whose value is set by the process that runs
/// the graph, so that one program serves all values. The attribute contains the
/// current value, for messages. The op's value stands for all values: no other
/// value has more bits.
inline constexpr llvm::StringLiteral givenName = "dfg.given";

} // namespace sluice::dfg

#endif // SLUICE_DFG_GIVEN_H
