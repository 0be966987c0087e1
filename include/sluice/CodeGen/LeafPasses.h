//===- LeafPasses.h - Names and order of the passes over leaves -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface to the table of passes,
// lib/CodeGen/Leaf/Pipeline/LeafPasses.def.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_LEAFPASSES_H
#define SLUICE_CODEGEN_LEAFPASSES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"

namespace llvm {
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace sluice::codegen {

/// Where passes over leaves run: at steps of code generation, and at the
/// extension points of LLVM's pipeline with these names.
enum class LeafPoint {
  Item,        ///< the code of one instance
  Range,       ///< a function that runs a range of instances
  SharedRange, ///< the same, where other code may run at the same time
  AloneRange,  ///< the same, where nothing else runs
  PipelineStart,
  EarlySimplification,
  Peephole,
  VectorizerStart,
  VectorizerEnd,
  OptimizerLast
};

/// Which rows of the table run, and the parameters of passes.
struct LeafPassOptions {
  bool always = true;
  bool isOptimized = true;
  bool carriesLoads = true;
  bool splitsBorders = true;
  bool makesLanes = true;
  /// See VectorizeLanes.
  unsigned numLanes = 0, numOwnLanes = 0;
};

/// Adds the passes of a point.
void addLeafPasses(llvm::FunctionPassManager &passes, LeafPoint point,
                   const LeafPassOptions &options);
void addLeafPasses(llvm::ModulePassManager &passes, LeafPoint point,
                   const LeafPassOptions &options);

/// Lets `builder` parse the names of the passes in pipelines:
/// "sluice-vectorize-lanes<lanes=4>".
void registerLeafPasses(llvm::PassBuilder &builder);

/// The error reports a name that no pass of the table or of LLVM has, and the
/// nearest one that exists.
llvm::Error checkPassName(llvm::StringRef name);

/// Has LLVM's options such as -print-after= know the passes by their names.
void nameLeafPasses(llvm::PassInstrumentationCallbacks &callbacks);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_LEAFPASSES_H
