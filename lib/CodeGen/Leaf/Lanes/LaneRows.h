//===- LaneRows.h - Neighbours of each lane ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes lie apart, but each accesses elements side by side, such as the
// fields of a structure, whole rows are loaded and stored, and shuffles turn
// rows of elements into vectors of lanes:
//
//   lane 0:  a0 b0 c0 d0          a0 a1 a2 a3
//   lane 1:  a1 b1 c1 d1   <->    b0 b1 b2 b3
//   lane 2:  a2 b2 c2 d2          c0 c1 c2 c3
//   lane 3:  a3 b3 c3 d3          d0 d1 d2 d3
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANEROWS_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANEROWS_H

#include "LaneShapes.h"

namespace llvm {
class AAResults;
class TargetTransformInfo;
} // namespace llvm

namespace sluice::codegen {

/// Accesses of one block, of one type and to elements side by side.
struct LaneRow {
  /// In the order of their places.
  llvm::SmallVector<llvm::Instruction *, 8> accesses;
  /// So many rounds of a loop make the row.
  unsigned numRounds = 1;
  /// The first load, or the last store, in the place of which all are done.
  llvm::Instruction *anchor;
  /// The distance from the anchor's element to the first one, in bytes.
  int64_t offset;
  /// The distance between lanes in bytes, if it is known.
  std::optional<int64_t> stride;

  unsigned size() const { return accesses.size() * numRounds; }
  bool isLoad() const { return llvm::isa<llvm::LoadInst>(anchor); }
  llvm::Type *type() const { return llvm::getLoadStoreType(anchor); }
  /// Elements between two lanes where rows follow each other closely: all of
  /// them are accessed as one.
  std::optional<unsigned> period() const;
};

/// The rows of a loop, in blocks that all lanes run; `goAlong`: also rows of
/// several rounds.
class LaneRows {
public:
  LaneRows(const LaneRegions &regions, const LaneShapes &shapes,
           const llvm::TargetTransformInfo &target,
           llvm::ScalarEvolution &evolution, llvm::AAResults &aliases,
           bool goAlong = true);

  /// Null: it is done alone.
  const LaneRow *rowOf(const llvm::Instruction &access) const {
    auto found = numbers.find(&access);
    return found == numbers.end() ? nullptr : &rows[found->second];
  }
  /// Loops inside that go along rows, one element in each round, and how many
  /// rounds make rows if they are unrolled.
  llvm::ArrayRef<std::pair<llvm::Loop *, unsigned>> loopsAlong() const {
    return along;
  }
  /// The accesses of these rows.
  llvm::SmallVector<llvm::Instruction *> accessesAlong() const;
  /// Whether lanes load rows that follow each other closely, and leave out some
  /// of their elements.
  bool leaveGaps() const {
    return llvm::any_of(rows, [](const LaneRow &row) {
      std::optional<unsigned> period = row.period();
      return row.isLoad() && period && row.size() < *period;
    });
  }
  /// Whether lanes store rows that lie apart.
  bool storeApart() const {
    return llvm::any_of(rows, [](const LaneRow &row) {
      return !row.isLoad() && !row.period();
    });
  }
  /// Instructions that an access takes in its row.
  double cost(const LaneRow &row, unsigned numLanes) const;
  /// Whether rows of so many lanes are in registers while they are merged.
  bool fitRegisters(unsigned numLanes) const;
  /// Bytes of a vector register.
  unsigned registerBytes() const { return numBytes; }

private:
  struct Open;

  unsigned numBytes;
  llvm::SmallVector<std::pair<llvm::Loop *, unsigned>> along;
  llvm::SmallVector<LaneRow> rows;
  llvm::DenseMap<const llvm::Instruction *, unsigned> numbers;

  static std::optional<int64_t> distanceOf(llvm::Instruction &access,
                                           const Open &open,
                                           llvm::ScalarEvolution &evolution);
  void addLoop(llvm::Loop &loop, const LaneShapes &shapes,
               llvm::ScalarEvolution &evolution);
  void addBlock(llvm::BasicBlock &block, const LaneShapes &shapes,
                llvm::ScalarEvolution &evolution, llvm::AAResults &aliases);
  void close(Open &open, const LaneShapes &shapes);
  void add(LaneRow row);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANEROWS_H
