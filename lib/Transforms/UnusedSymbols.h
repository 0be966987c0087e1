//===- UnusedSymbols.h - Kernels and graphs that lost their nodes *- C++ -*-==//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a transform replaces or removes the last node of a kernel or graph, the
// kernel or graph must be removed, too.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_UNUSEDSYMBOLS_H
#define SLUICE_LIB_TRANSFORMS_UNUSEDSYMBOLS_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace sluice::transforms {

/// A graph that no node uses is a root, so a graph that loses its last node
/// must be erased. Symbols that were unused before stay.
class UnusedSymbols {
public:
  /// Records the currently unused symbols.
  UnusedSymbols(mlir::ModuleOp graphs, llvm::Module &leaves);

  /// Erases kernels and graphs that have become unused, or that were made and
  /// are no longer needed, together with the leaves that the transforms made
  /// for them.
  void erase();

private:
  llvm::StringSet<> findUsed();

  mlir::ModuleOp graphs;
  llvm::Module &leaves;
  llvm::StringSet<> kept;
};

/// `name`, or a name like it that is free in both modules.
std::string freeSymbol(mlir::ModuleOp graphs, const llvm::Module &leaves,
                       const std::string &name);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_UNUSEDSYMBOLS_H
