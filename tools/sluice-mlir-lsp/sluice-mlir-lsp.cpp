//===- sluice-mlir-lsp.cpp - MLIR's language server -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own server with Sluice's dialects: it completes operations, types and
// attributes of .mlir files. 'sluice lsp' provides Sluice's knowledge about
// graphs.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "sluice/Base/Stack.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Device/Versions.h"
#include "sluice/RDIR/RDIR.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

static constexpr char tool[] = "sluice-mlir-lsp";

static int serve(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect,
                  sluice::dfg::DFGDialect, sluice::rdir::RDIRDialect>();
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << sluice::device::versionText(tool, SLUICE_VERSION,
                                      SLUICE_LLVM_VERSION);
  });
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

int main(int argc, char **argv) {
  return sluice::runOnLargeStack(tool, [&] { return serve(argc, argv); });
}
