//===- RangeBuilder.h - Building the function of a range ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over units and rows of instances, loops over boxes of instances, and
// the function around both are in separate files. They share all data about the
// leaf and the emitted code, so they are one class.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_RANGE_RANGEBUILDER_H
#define SLUICE_LIB_CODEGEN_LEAF_RANGE_RANGEBUILDER_H

#include "../Group/GroupFunction.h"
#include "../Item/ItemSignature.h"
#include "../Panels/Panels.h"

#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/IR/IRBuilder.h"

#include <array>
#include <optional>

namespace sluice::codegen {

/// A dimension of the index space.
struct Axis {
  unsigned level;
  unsigned dim;
};

/// The instances that a piece of code is for.
enum class Part {
  Bulk, ///< most of them
  Edge, ///< Instances of groups that the range cuts, if groups are fused.
  Last  ///< The last unit, whose outputs leave the node.
};

/// The number of rows that justifies copying the data that they share.
inline constexpr int64_t manyRows = 32;

/// One use; not thread-safe.
class RangeBuilder {
public:
  explicit RangeBuilder(const RangeSpec &spec)
      : spec(spec), signature(spec), builder(spec.leaf->getContext()) {}

  /// `mayNarrow`: the result may be wrong for large extents; `fits` then tells
  /// for which extents it is correct.
  llvm::Expected<llvm::Function *> build(bool mayNarrow);

  llvm::Function *fits = nullptr;

private:
  const RangeSpec &spec;
  ItemSignature signature;
  llvm::IRBuilder<> builder;
  llvm::Function *range = nullptr;
  /// Group functions for the bulk, without outputs of the last instance, and
  /// for the rest.
  GroupFunction bulkGroup, restGroup;
  bool isNarrow = false;
  /// Dimensions in which the bulk's own ids count over all groups.
  std::array<bool, 3> fused{};
  llvm::Value *scratch = nullptr;
  llvm::SmallVector<std::array<llvm::Value *, 3>> ids;
  llvm::SmallVector<std::array<llvm::Value *, 3>> extents;
  llvm::SmallVector<llvm::CallInst *> calls;
  llvm::SmallVector<TileColumn> columns;

  unsigned lastLevel() const { return signature.numLevels - 1; }
  unsigned fixedId(unsigned level, unsigned dim) const {
    return 1 + signature.numInputs + 3 * level + dim;
  }
  unsigned extentParameter(unsigned level, unsigned dim) const {
    return fixedId(spec.numFixedLevels, 0) + 3 * level + dim;
  }
  unsigned beginParameter() const {
    return extentParameter(signature.numLevels, 0);
  }
  llvm::Value *parameter(unsigned index) const { return range->getArg(index); }
  std::optional<int64_t> constantExtent(Axis axis) const;
  llvm::SmallVector<Axis> axes(unsigned firstLevel, unsigned endLevel) const;

  const GroupFunction &groupFor(Part part) const {
    return part == Part::Bulk ? bulkGroup : restGroup;
  }
  bool hasLastOutput() const {
    return llvm::any_of(spec.outputs,
                        [](const OutputPort &output) { return output.last; });
  }
  bool countsInstances() const {
    return spec.numUnitLevels == signature.numLevels;
  }
  bool mayFuse() const {
    return spec.options.fuseGroups && !spec.options.reference &&
           signature.numLevels >= 2 &&
           spec.numFixedLevels < signature.numLevels - 1;
  }

  // RangeFunction.cpp: the function, its parameters and its memory.
  void declare(const llvm::Function &item);
  void nameParameters();
  void findIdsAndExtents();
  llvm::Value *numInstances(unsigned firstLevel, unsigned endLevel);
  llvm::Value *scratchSize(const GroupFunction &group);
  void allocateScratch();
  void freeScratch();
  llvm::Error createGroups(bool mayNarrow);
  void inlineCalls();

  // RangeRows.cpp: units that are whole rows, and units that are cut.
  void emitAll();
  void emitRows(llvm::Value *begin, llvm::Value *end, Part part);
  bool knowsWholeRows(Part part) const;
  void emitRow(llvm::Value *count, Part part);
  llvm::Value *numRowsAtOnce(llvm::Value *row, llvm::Value *begin,
                             llvm::Value *end, Part part);
  void emitIfAny(llvm::Value *begin, llvm::Value *end, Part part);
  void emitPart(llvm::Value *begin, llvm::Value *end, Part part);
  void emitFusedInstances(llvm::Value *begin, llvm::Value *end);

  // RangeBoxes.cpp: levels, groups, boxes and tiles.
  void emitUnits(llvm::Value *begin, llvm::Value *end, Part part);
  void emitLevels(unsigned level, Part part);
  void decode(llvm::Value *number, llvm::ArrayRef<Axis> fastestFirst);
  llvm::Value *minimum(llvm::Value *left, llvm::Value *right);
  void emitFusedUnits(llvm::Value *begin, llvm::Value *end);
  void emitFusedBox(llvm::Value *firstGroup, llvm::Value *numGroups);
  void emitBox(llvm::ArrayRef<llvm::Value *> counts, Part part);
  llvm::BasicBlock *emitTile(llvm::ArrayRef<llvm::Value *> counts, Part part,
                             int64_t width);
  TileColumn emitRowsOfTiles(llvm::ArrayRef<llvm::Value *> counts, Part part,
                             int64_t width);
  void emitColumn(llvm::ArrayRef<llvm::Value *> counts, Part part,
                  int64_t width);
  void emitColumns(llvm::ArrayRef<llvm::Value *> counts, Part part);
  llvm::CallInst *callGroup(llvm::ArrayRef<llvm::Value *> counts, Part part);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_RANGE_RANGEBUILDER_H
