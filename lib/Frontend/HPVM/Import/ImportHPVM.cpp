//===- ImportHPVM.cpp - From canonical HPVM IR to the dfg dialect ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of the importer in order.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/HPVM/ImportHPVM.h"

#include "ImportProgram.h"
#include "mlir/IR/Verifier.h"

using namespace sluice;
using namespace sluice::hpvm;

mlir::FailureOr<ImportedProgram>
sluice::hpvm::importProgram(llvm::Module &module, mlir::MLIRContext &context,
                            Diagnostics &diagnostics,
                            const ImportOptions &options) {
  unsigned errorsBefore = diagnostics.errorCount();
  CanonicalProgram program(module, diagnostics);
  ImportedProgram result;

  checkIntrinsics(module, diagnostics);
  prepareModule(module);
  discoverProgram(program);

  checkFunctions(program);
  checkStructure(program);
  checkQueries(program);
  checkBarriers(program);
  checkPointers(program);
  checkStreams(program);
  checkTargets(program);
  checkHost(program, options);
  checkLaunchArguments(program, result);
  if (diagnostics.errorCount() != errorsBefore)
    return mlir::failure();

  result.module = buildModule(program, context);
  result.unusedNodeFunctions = program.unusedNodeFunctions;
  assert(mlir::succeeded(mlir::verify(*result.module)) &&
         "the rules of HPVM imply those of the dialect");
  return result;
}
