//===- AssumedExtents.cpp - Extents that a proof took as usual ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing the attribute.
//
//===----------------------------------------------------------------------===//

#include "sluice/DFG/AssumedExtents.h"

#include <algorithm>

using namespace mlir;
using namespace sluice;
using sluice::dfg::NodeOp;

unsigned dfg::usualExponent(NodeOp node, unsigned dimension) {
  auto exponents = node->getAttrOfType<DenseI8ArrayAttr>(usualName);
  return exponents && dimension < exponents.size() ? exponents[dimension] : 0;
}

void dfg::addUsualExponent(NodeOp node, unsigned dimension, unsigned exponent) {
  if (exponent == 0 || dimension >= node.getExtents().size())
    return;
  SmallVector<int8_t> exponents;
  for (unsigned i = 0, e = node.getExtents().size(); i != e; ++i)
    exponents.push_back(int8_t(usualExponent(node, i)));
  int8_t &known = exponents[dimension];
  known = int8_t(known == 0 ? exponent : std::min<unsigned>(known, exponent));
  node->setAttr(usualName, DenseI8ArrayAttr::get(node.getContext(), exponents));
}

LogicalResult dfg::verifyUsual(Operation *op, Attribute value) {
  auto node = dyn_cast<NodeOp>(op);
  auto exponents = dyn_cast<DenseI8ArrayAttr>(value);
  auto isExponent = [](int8_t exponent) {
    return exponent == 0 || (exponent >= int8_t(leastUsualExponent) &&
                             exponent <= int8_t(usualExponents[0]));
  };
  if (node && exponents &&
      exponents.size() == int64_t(node.getExtents().size()) &&
      llvm::all_of(exponents.asArrayRef(), isExponent))
    return success();
  return op->emitOpError("attribute '")
         << usualName
         << "' needs a number, 0 or 16 to 30, for each extent of a 'dfg.node'";
}
