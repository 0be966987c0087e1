//===- RegionTable.h - An rdir program as the runtime's table ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a program's statements (RegionModel.h) to the table that the
// runtime reads (sluice-c/RegionProgram.h): first in memory, without the
// pointers to code and variables, then as constant data with the code that
// calls the user's functions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_REGIONTABLE_H
#define SLUICE_CODEGEN_REGIONTABLE_H

#include "sluice-c/RegionProgram.h"
#include "sluice/CodeGen/RegionModel.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Allocator.h"

namespace sluice::codegen {

/// The table of one program; the program must outlive it.
struct RegionTable {
  explicit RegionTable(const RegionModel &program);

  llvm::MutableArrayRef<SluiceRegionParameter> parameters() const;
  llvm::MutableArrayRef<SluiceRegionPartition> partitions() const;

  /// Records the dependences between the tasks of a graph; see
  /// SluiceRegionOrders.
  void setOrders(unsigned graph,
                 llvm::ArrayRef<SluiceOrderCondition> conditions,
                 llvm::ArrayRef<uint32_t> firstPredecessor,
                 llvm::ArrayRef<uint32_t> predecessors);

  SluiceRegionProgram *program = nullptr;
  /// Tasks and host statements.
  llvm::MapVector<SluiceRegionStatement *, const RegionStatement *> tasks;
  /// For the address of each pointer, the function or variable to which it will
  /// refer. Until then the pointer only identifies it.
  llvm::DenseMap<const void *, std::string> symbols;

private:
  friend class RegionTableBuilder;
  llvm::BumpPtrAllocator memory;
};

/// The conditions on which the order between the points of a graph depends, for
/// the program's current parameters; none if the order cannot be known before
/// the program runs.
std::optional<std::vector<SluiceOrderCondition>>
orderConditions(const RegionModel &program, const RegionGraph &graph);

/// Adds to a module with the target's layout: the table, callers of the user's
/// functions, the variables of the parameters, and main().
void emitRegionTable(const RegionModel &program, const RegionTable &table,
                     llvm::Module &module);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_REGIONTABLE_H
