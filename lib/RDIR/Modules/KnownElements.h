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
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <set>

namespace sluice::rdir {

/// Linear positions in a root.
using Elements = std::set<int64_t>;

class KnownElements {
public:
  explicit KnownElements(mlir::SymbolTableCollection &tables)
      : tables(tables) {}

  /// The elements of each color; null if they are not known.
  const std::vector<Elements> *colorsOf(PartitionOp partition);
  /// Those of a root, a partition or a color.
  std::optional<Elements> elementsOf(mlir::Operation *declaration,
                                     mlir::DenseI64ArrayAttr color);
  /// "5", or "(1, 2)".
  std::string elementText(mlir::Operation *declaration, int64_t position);
  std::string colorText(PartitionOp partition, int64_t linear);

private:
  using Extents = llvm::SmallVector<int64_t, 3>;

  std::optional<Extents> extentsOf(mlir::Operation *root) const;
  std::optional<std::vector<Elements>> compute(PartitionOp partition);
  std::vector<Elements> blocks(const Elements &parent, const Extents &shape,
                               const Extents &colors) const;
  static std::string pointText(const std::optional<Extents> &shape,
                               int64_t position);
  Elements widen(const Elements &inner, const Extents &shape,
                 PartitionOp halo) const;

  mlir::SymbolTableCollection &tables;
  llvm::DenseMap<mlir::Operation *, std::optional<std::vector<Elements>>> known;
  /// Elements that may still be worked out.
  int64_t budget = 1 << 18;
  /// Partitions that are made from others are followed no deeper.
  unsigned depth = 0;
  static constexpr unsigned maxDepth = 100;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_MODULES_KNOWNELEMENTS_H
