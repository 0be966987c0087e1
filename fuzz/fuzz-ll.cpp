//===- fuzz-ll.cpp - Fuzzes the importer of HPVM IR -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever valid LLVM IR arrives, the importer ends with diagnostics or with a
// dfg module that verifies.
//
//===----------------------------------------------------------------------===//

#include "sluice/DFG/DFG.h"
#include "sluice/Frontend/HPVM/ImportHPVM.h"
#include "sluice/Frontend/HPVM/ParseText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <cstdlib>
#include <string>

/// Larger inputs find nothing that smaller ones do not.
static constexpr size_t LargestInput = 32 << 10;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > LargestInput)
    return -1;
  llvm::LLVMContext llvmContext;
  std::string text(reinterpret_cast<const char *>(data), size);
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = sluice::parseText(
      llvm::MemoryBufferRef(text, "input.ll"), llvmContext, error);
  if (!module)
    return 0;

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect,
                      sluice::dfg::DFGDialect>();
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  sluice::Diagnostics diagnostics;
  auto program = sluice::hpvm::importProgram(*module, context, diagnostics);
  if (succeeded(program) && failed(mlir::verify(*program->module))) {
    llvm::errs() << "fuzz-ll: the dfg module does not verify\n";
    std::abort();
  }
  if (failed(program) && !diagnostics.hasErrors()) {
    llvm::errs() << "fuzz-ll: failed without a message\n";
    std::abort();
  }
  return 0;
}
