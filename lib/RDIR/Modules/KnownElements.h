//===- KnownElements.h - Elements known from declarations -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of blocks, of halos, of what coordinates decide and of
// combinations of them are known before a program runs if their extents are
// numbers. This class computes them, for small roots one by one, to compare
// them with the declarations.
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

  /// The elements of each color, or null if they are not known. The pointer is
  /// valid for the lifetime of this object.
  const std::vector<Elements> *colorsOf(PartitionOp partition);
  /// The elements of a root, a partition or a color.
  const Elements *elementsOf(mlir::Operation *declaration,
                             mlir::DenseI64ArrayAttr color);
  /// Callers ask this before they list or visit elements. Returns false if the
  /// work, together with all work allowed so far, would take more than a
  /// moment.
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
  /// Adds the elements that are near where a dimension is periodic.
  bool wrapHalos(PartitionOp partition, const Extents &shape,
                 const std::vector<Elements> &inner,
                 std::vector<Elements> &result);
  Colors combine(PartitionOp partition);
  Colors cross(PartitionOp partition);
  Colors blocksOfEach(PartitionOp partition, const Extents &shape,
                      const Extents &colors);
  /// Partitions by the coordinates of elements.
  Colors byMap(PartitionOp partition, const Extents &shape,
               const Extents &colors);
  static std::string pointText(const std::optional<Extents> &shape,
                               int64_t position);

  mlir::SymbolTableCollection &tables;
  std::map<mlir::Operation *, Colors> known;
  /// The elements of roots, and the union of all colors of partitions.
  std::map<mlir::Operation *, std::optional<Elements>> wholes;
  /// The number of elements that may still be visited.
  uint64_t budget = 1 << 22;
  /// The depth of derived partitions; they are followed no deeper than a limit.
  unsigned depth = 0;
  static constexpr unsigned maxDepth = 100;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_MODULES_KNOWNELEMENTS_H
