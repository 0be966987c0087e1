//===- UsualExtents.cpp - Extents that a proof took as usual --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing the attribute.
//
//===----------------------------------------------------------------------===//

#include "sluice/DFG/UsualExtents.h"

using namespace mlir;
using namespace sluice;
using sluice::dfg::NodeOp;

unsigned dfg::usualDims(NodeOp node) {
  auto flags = node->getAttrOfType<DenseBoolArrayAttr>(usualName);
  unsigned dims = 0;
  for (unsigned i = 0; flags && i != flags.size(); ++i)
    dims |= unsigned(flags[i]) << i;
  return dims;
}

void dfg::addUsualDims(NodeOp node, unsigned dims) {
  dims |= usualDims(node);
  SmallVector<bool> flags;
  for (unsigned i = 0, e = node.getExtents().size(); i != e; ++i)
    flags.push_back(dims >> i & 1);
  if (llvm::is_contained(flags, true))
    node->setAttr(usualName, DenseBoolArrayAttr::get(node.getContext(), flags));
}
