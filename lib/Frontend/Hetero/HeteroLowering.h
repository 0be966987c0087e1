//===- HeteroLowering.h - Hetero-C++ to canonical HPVM IR -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LowerHetero.cpp turns functions that are launched into graphs, and
// HeteroLaunchRegions.cpp launches that stand around theirs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HETERO_HETEROLOWERING_H
#define SLUICE_LIB_FRONTEND_HETERO_HETEROLOWERING_H

#include "HeteroGraph.h"

#include "llvm/ADT/StringSet.h"

namespace sluice::hetero {

/// A launch that stands around its graph.
struct LaunchRegion {
  CodeRegion region;
  std::unique_ptr<HeteroGraph> graph;
  /// A value for every port, at the launch.
  llvm::SmallVector<llvm::Value *> arguments;
};

/// Lowers the Hetero-C++ of one unit.
class HeteroLowering {
public:
  /// `failed` receives the symbols of graphs that cannot be built.
  HeteroLowering(CompiledUnit &unit, Diagnostics &diagnostics,
                 llvm::StringSet<> &failed)
      : module(*unit.module), context{unit, diagnostics}, failed(failed) {}

  /// Builds the graphs. An error in one does not hide errors in others.
  void run();
  /// Makes ordinary code of all of it.
  void runSequentially();

private:
  static std::string graphSymbol(const llvm::Twine &function);
  bool buildRoot(llvm::Function &function, const HeteroCall &launch);
  bool addParameters(HeteroGraph &graph, llvm::Function &function,
                     const HeteroCall &launch);
  void buildLaunchRegion(llvm::CallInst &begin);
  bool addItems(LaunchRegion &launch, const HeteroCall &record);
  void addRegionPort(LaunchRegion &launch, llvm::Value *variable,
                     const HeteroItem &item, const HeteroItem *size);
  void checkLeavings(const LaunchRegion &launch);
  void replaceRegion(LaunchRegion &launch);
  void lowerLaunch(llvm::CallInst &call);
  llvm::Value *emitLaunch(llvm::IRBuilder<> &builder, llvm::Function &root,
                          llvm::ArrayRef<llvm::Value *> arguments);
  void dropWaits(llvm::CallInst &begin);
  void removeMarks();
  void markStart();
  llvm::SmallVector<llvm::CallInst *> callsOf(HeteroFunction kind);

  llvm::Module &module;
  HeteroContext context;
  llvm::StringSet<> &failed;
};

} // namespace sluice::hetero

#endif // SLUICE_LIB_FRONTEND_HETERO_HETEROLOWERING_H
