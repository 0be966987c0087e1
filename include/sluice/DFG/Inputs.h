//===- Inputs.h - The input to which a use belongs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node also takes extents and tokens as operands, before and after its
// inputs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_INPUTS_H
#define SLUICE_DFG_INPUTS_H

#include "sluice/DFG/DFG.h"

#include <optional>

namespace sluice::dfg {

/// The number of the node input that `use` is. None if the use is an extent or
/// a token, or not an operand of a node.
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
