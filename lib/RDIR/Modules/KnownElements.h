//===- KnownElements.h - Elements that declarations tell --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, halos, and what is combined of them have elements that are known
// before a program runs, if their extents are numbers. Here they are worked
// out, of small roots one by one, to hold what is declared against them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_MODULES_KNOWNELEMENTS_H
#define SLUICE_LIB_RDIR_MODULES_KNOWNELEMENTS_H

#include "sluice/RDIR/RDIR.h"

#include <map>
#include <optional>

namespace sluice::rdir {

/// Linear positions in a root, ascending.
using Elements = std::vector<int64_t>;

class KnownElements {
public:
  explicit KnownElements(mlir::SymbolTableCollection &tables)
      : tables(tables) {}

  /// The elements of each color; null if they are not known. Valid as long as
  /// this.
  const std::vector<Elements> *colorsOf(PartitionOp partition);
  /// Those of a root, a partition or a color.
  const Elements *elementsOf(mlir::Operation *declaration,
                             mlir::DenseI64ArrayAttr color);
  /// Whoever lists or looks at elements asks before it does: false if that
  /// would be more, with all that was allowed before, than takes a moment.
  bool mayVisit(uint64_t numElements);
  /// "5", or "(1, 2)".
  std::string elementText(mlir::Operation *declaration, int64_t position);
  std::string colorText(PartitionOp partition, int64_t linear);

private:
  using Extents = llvm::SmallVector<int64_t, 3>;
  using Colors = std::optional<std::vector<Elements>>;

  std::optional<Extents> extentsOf(mlir::Operation *root) const;
  std::optional<Elements> listWhole(mlir::Operation *declaration);
  Colors compute(PartitionOp partition);
  Colors blocks(PartitionOp partition, const Extents &shape,
                const Extents &colors);
  Colors halos(PartitionOp partition, const Extents &shape);
  Colors combine(PartitionOp partition);
  static std::string pointText(const std::optional<Extents> &shape,
                               int64_t position);

  mlir::SymbolTableCollection &tables;
  std::map<mlir::Operation *, Colors> known;
  /// Of roots, and of all colors of partitions.
  std::map<mlir::Operation *, std::optional<Elements>> wholes;
  /// Elements that may still be visited.
  uint64_t budget = 1 << 22;
  /// Partitions that are made from others are followed no deeper.
  unsigned depth = 0;
  static constexpr unsigned maxDepth = 100;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_MODULES_KNOWNELEMENTS_H
