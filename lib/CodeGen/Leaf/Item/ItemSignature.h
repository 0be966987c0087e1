//===- ItemSignature.h - Parameters of item and group functions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two internal functions stand between a leaf and its range function. The *item
// function* runs one instance; everything that depends on the instance's place
// in the graph is a parameter. The *group function* runs a box of instances of
// the last level. Both have the parameters
//
//   ptr invocation, inputs..., ids (3 per level), extents (3 per level),
//   outputs (ptr last, ptr array), i1 lastUnit
//
// In the group function, the box follows: i64 count.x, count.y, count.z and ptr
// scratch. Its ids of the last level are those of the first instance in the
// box.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_ITEMSIGNATURE_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_ITEMSIGNATURE_H

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

class ItemSignature {
public:
  ItemSignature(const RangeSpec &spec)
      : numInputs(spec.inputs.size()), numLevels(spec.levels.size()),
        numOutputs(spec.outputs.size()) {}

  unsigned invocation() const { return 0; }
  unsigned input(unsigned index) const { return 1 + index; }
  unsigned id(unsigned level, unsigned dim) const {
    return 1 + numInputs + 3 * level + dim;
  }
  unsigned extent(unsigned level, unsigned dim) const {
    return id(numLevels, 0) + 3 * level + dim;
  }
  unsigned last(unsigned output) const {
    return extent(numLevels, 0) + 2 * output;
  }
  unsigned array(unsigned output) const { return last(output) + 1; }
  unsigned lastUnit() const { return last(numOutputs); }
  unsigned numItemParameters() const { return lastUnit() + 1; }
  unsigned count(unsigned dim) const { return numItemParameters() + dim; }
  unsigned scratch() const { return count(3); }

  /// Whether `value`, in an item or group function, is an id of the last level.
  bool isOwnId(const llvm::Value *value) const {
    const auto *argument = llvm::dyn_cast<llvm::Argument>(value);
    unsigned first = id(numLevels - 1, 0);
    return argument && argument->getArgNo() >= first &&
           argument->getArgNo() < first + 3;
  }

  const unsigned numInputs;
  const unsigned numLevels;
  const unsigned numOutputs;
};

inline const char *dimensionName(unsigned dim) {
  static const char *const names[] = {"x", "y", "z"};
  return names[dim];
}

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_ITEMSIGNATURE_H
