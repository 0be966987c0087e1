//===- RegionTable.h - An rdir program as the runtime's table ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a program's statements (RegionProgram.h) to the table that the runtime
// reads (sluice-c/RegionProgram.h): first in memory, where only the pointers to
// code and to variables are missing, then as constant data beside the code that
// calls the functions of the user.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_REGIONTABLE_H
#define SLUICE_CODEGEN_REGIONTABLE_H

#include "sluice-c/RegionProgram.h"
#include "sluice/CodeGen/RegionProgram.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Allocator.h"

namespace sluice::codegen {

/// The table of one program, which must live as long.
struct RegionTable {
  explicit RegionTable(const RegionProgram &program);

  llvm::MutableArrayRef<SluiceRegionParameter> parameters() const;
  llvm::MutableArrayRef<SluiceRegionPartition> partitions() const;

  /// States which tasks of a graph wait for which; see SluiceRegionOrders.
  void setOrders(unsigned graph,
                 llvm::ArrayRef<SluiceOrderCondition> conditions,
                 llvm::ArrayRef<uint32_t> firstPredecessor,
                 llvm::ArrayRef<uint32_t> predecessors);

  SluiceRegionProgram *program = nullptr;
  /// Tasks and host statements.
  llvm::MapVector<SluiceRegionStatement *, const RegionStatement *> tasks;
  /// By the place of the pointer: the function or variable it will refer to.
  /// Until then it only tells different ones apart.
  llvm::DenseMap<const void *, std::string> symbols;

private:
  friend class RegionTableBuilder;
  llvm::BumpPtrAllocator memory;
};

/// What the orders between the points of a graph, with the parameters as the
/// program has them, depend on; nothing if they cannot be known before it runs.
std::optional<std::vector<SluiceOrderCondition>>
orderConditions(const RegionProgram &program, const RegionGraph &graph);

/// Adds to a module with the target's layout: the table, callers of the user's
/// functions, the variables of the parameters, and main().
void emitRegionTable(const RegionProgram &program, const RegionTable &table,
                     llvm::Module &module);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_REGIONTABLE_H
