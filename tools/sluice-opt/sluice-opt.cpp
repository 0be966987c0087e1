//===- sluice-opt.cpp - Runs passes over .mlir files ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For people who work on passes or write graphs by hand.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "sluice/DFG/DFG.h"
#include "sluice/RDIR/Passes.h"
#include "sluice/RDIR/RDIR.h"
#include "sluice/Transforms/Transforms.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect,
                  sluice::dfg::DFGDialect, sluice::rdir::RDIRDialect>();
  mlir::registerTransformsPasses();
  sluice::transforms::registerTransformPasses(registry);
  sluice::rdir::registerRDIRPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Sluice pass driver\n", registry));
}
