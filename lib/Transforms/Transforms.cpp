//===- Transforms.cpp - Transforms of graphs ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transforms in order:
//   1. flatten-graphs: nodes of different levels become siblings
//   2. remove-dead: removes nodes and ports that no result depends on
//   3. fuse-nodes: chains become one node
//   4. tile-nodes: finds nodes that may run strip by strip
//   5. pipeline-edges: decides how the remaining edges run
//
//===----------------------------------------------------------------------===//

#include "sluice/Transforms/Transforms.h"
#include "TransformFunctions.h"
#include "WrittenLeaves.h"
#include "sluice/Analysis/LeafFolds.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMIRToLLVMTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;

LogicalResult transforms::transformGraphs(ModuleOp graphs, llvm::Module &leaves,
                                          const TransformOptions &options) {
  if (options.flattenGraphs)
    flattenGraphs(graphs, leaves);
  if (options.removeDead)
    removeDead(graphs, leaves);
  if (options.fuseNodes)
    fuseNodes(graphs, leaves);
  if (options.tileNodes)
    tileNodes(graphs, leaves);
  pipelineEdges(graphs, leaves, /*all=*/options.pipelineEdges);
  return verify(graphs);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// A transform over a module that holds its leaf code.
class TransformPass
    : public PassWrapper<TransformPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TransformPass)

  using Function = void (*)(ModuleOp, llvm::Module &);

  TransformPass(StringRef argument, StringRef description, Function function)
      : argument(argument), description(description), function(function) {}

  StringRef getArgument() const override { return argument; }
  StringRef getDescription() const override { return description; }

  void getDependentDialects(DialectRegistry &registry) const override {
    // Dialects that importing LLVM IR produces.
    registry.insert<DLTIDialect, LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    WrittenLeaves leaves(getOperation());
    if (!leaves.get() || failed(matchFolds(getOperation(), *leaves.get())))
      return signalPassFailure();
    function(getOperation(), *leaves.get());
    if (failed(leaves.writeBack()))
      signalPassFailure();
  }

private:
  StringRef argument, description;
  Function function;
};
} // namespace

void transforms::registerTransformPasses(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerLLVMDialectImport(registry);
  auto add = [](StringRef argument, StringRef description,
                TransformPass::Function function) {
    registerPass([=]() -> std::unique_ptr<Pass> {
      return std::make_unique<TransformPass>(argument, description, function);
    });
  };
  add("dfg-flatten-graphs", "children in place of their internal node",
      flattenGraphs);
  add("dfg-remove-dead", "removes what nobody needs", removeDead);
  add("dfg-fuse-nodes", "one node for each chain of nodes", fuseNodes);
  add("dfg-tile-nodes", "which nodes may run strip by strip", tileNodes);
  add("dfg-pipeline-edges", "which one-to-one edges run chunk by chunk",
      [](ModuleOp graphs, llvm::Module &leaves) {
        pipelineEdges(graphs, leaves, true);
      });
}
