//===- HPVMProgram.h - An HPVM program whose graphs are tasks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task may be a whole HPVM graph. This class represents one imported source,
// and checks whether a task's arguments match its graphs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HPVM_HPVMPROGRAM_H
#define SLUICE_LIB_FRONTEND_KERNELS_HPVM_HPVMPROGRAM_H

#include "../C/CPrototype.h"
#include "sluice/Analysis/Races.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace sluice::driver {

/// True for sources, and for files that end in .ll and .bc.
bool isHPVMFile(llvm::StringRef path);

/// A graph that a task names.
struct HPVMRoot {
  dfg::GraphOp graph;
  /// The declaration, with C types.
  CPrototype prototype;
  /// Pairs of pointer arguments that must refer to different memory.
  std::vector<std::pair<unsigned, unsigned>> disjoint;
};

/// One source, imported for all tasks that name it.
class HPVMProgram {
public:
  /// `task` is the first one of them.
  HPVMProgram(Resolution &resolution, std::string path,
              std::vector<std::string> flags, dfg::TaskOp task)
      : resolution(resolution), path(std::move(path)), flags(std::move(flags)),
        firstTask(task) {}

  /// Adds a task of this source. Call this before `read`.
  void want(dfg::TaskOp task) { tasks.push_back(task); }
  /// Imports, checks and links the source. False after errors.
  bool read();
  /// The graph of a task that was added.
  const HPVMRoot &root(dfg::TaskOp task) const {
    return roots.find(task.getCallee())->second;
  }

  bool isFrom(llvm::StringRef other,
              const std::vector<std::string> &otherFlags) const {
    return path == other && flags == otherFlags;
  }

private:
  bool findRoots(llvm::Module &code);
  llvm::Function *findRoot(llvm::Module &code, dfg::TaskOp task);
  bool importGraphs(llvm::Module &code);
  /// The graphs of a .mlir file, and the code of their leaves; null after
  /// errors.
  std::unique_ptr<llvm::Module> readWrittenGraphs();
  bool findWrittenRoots();
  /// Checks the graphs, and finds the roots among them.
  bool checkGraphs(llvm::Module &code, Diagnostics &diagnostics);
  void rename(llvm::Module &code);
  /// True if the same source is also searched for C kernels.
  bool isForCKernels() const;
  /// Replaces definitions that the C kernels' code also contains. False after
  /// errors.
  bool shareWithCKernels(llvm::Module &code, const llvm::StringSet<> &leaves);
  bool link(std::unique_ptr<llvm::Module> code);

  Resolution &resolution;
  std::string path;
  std::vector<std::string> flags;
  dfg::TaskOp firstTask;
  std::vector<dfg::TaskOp> tasks;

  mlir::OwningOpRef<mlir::ModuleOp> graphs;
  llvm::StringMap<HPVMRoot> roots;
  /// Symbols of the roots before they are imported.
  llvm::StringMap<std::string> symbols;
  RaceReport races;
};

/// True for .mlir and .mlirbc.
bool isWrittenGraph(llvm::StringRef path);

/// Checks the arguments of `task` against the ports of its graph. False after
/// errors.
bool matchPorts(dfg::TaskOp task, const HPVMRoot &root);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HPVM_HPVMPROGRAM_H
