//===- AssumedExtents.h - Extents that a proof took as usual ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The race check finds some graphs free of races only for extents below a power
// of two, since arithmetic in 32 bits may wrap around beyond. It says so by the
// attribute `dfg.usual`, an exponent for each extent, 0 for those without a
// limit. Launches with more instances are refused.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_ASSUMEDEXTENTS_H
#define SLUICE_DFG_ASSUMEDEXTENTS_H

#include "sluice-c/UsualExtents.h"
#include "sluice/DFG/DFG.h"

namespace sluice::dfg {

inline constexpr llvm::StringLiteral usualName = "dfg.usual";

/// The exponents that the race check tries, the largest limit first.
inline constexpr unsigned usualExponents[] = SLUICE_USUAL_EXPONENTS;
inline constexpr unsigned leastUsualExponent = 16;

/// The exponent of the limit of a dimension; 0 if there is no limit.
unsigned usualExponent(NodeOp node, unsigned dimension);
/// Adds a limit; the smaller one of two limits holds.
void addUsualExponent(NodeOp node, unsigned dimension, unsigned exponent);
mlir::LogicalResult verifyUsual(mlir::Operation *op, mlir::Attribute value);

} // namespace sluice::dfg

#endif // SLUICE_DFG_ASSUMEDEXTENTS_H
