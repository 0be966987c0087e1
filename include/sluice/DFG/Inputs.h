//===- Inputs.h - Which input a use of a value is ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node also takes values as extents and tokens, before and after its inputs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_INPUTS_H
#define SLUICE_DFG_INPUTS_H

#include "sluice/DFG/DFG.h"

#include <optional>

namespace sluice::dfg {

/// The number of the input that `use` is of a node; none where it is an extent
/// or a token of it, or of no node.
inline std::optional<unsigned> inputNumber(mlir::OpOperand &use) {
  auto node = mlir::dyn_cast<NodeOp>(use.getOwner());
  if (!node)
    return std::nullopt;
  mlir::MutableOperandRange inputs = node.getInputsMutable();
  for (unsigned index = 0; index != inputs.size(); ++index)
    if (&inputs[index] == &use)
      return index;
  return std::nullopt;
}

} // namespace sluice::dfg

#endif // SLUICE_DFG_INPUTS_H
