//===- fuzz-mlir.cpp - Fuzzes the text form of dfg ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever text arrives, parsing and verifying end with a module or with
// diagnostics; and a module that was accepted is accepted again after it was
// printed. Task graphs have an order, which the region analysis proves.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/TaskOrder.h"
#include "sluice/DFG/DFG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <cstdint>
#include <cstdlib>
#include <string>

/// Larger inputs find nothing that smaller ones do not.
static constexpr size_t LargestInput = 16 << 10;

/// Takes a string, as MLIR's lexer looks at the byte after the end.
static mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text,
                                               mlir::MLIRContext &context) {
  return mlir::parseSourceString<mlir::ModuleOp>(text,
                                                 mlir::ParserConfig(&context));
}

/// Explicit reads may be wrong, the order may not.
static void checkTaskGraphs(mlir::ModuleOp module) {
  bool isOrdered = true;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.str().find("neither waits") != std::string::npos)
          isOrdered = false;
        return mlir::success();
      });
  for (auto graph : module.getOps<sluice::dfg::TaskGraphOp>())
    sluice::checkTaskGraph(sluice::inferTaskOrder(graph), /*hasRemarks=*/true);
  if (isOrdered)
    return;
  llvm::errs() << "fuzz-mlir: tasks without an order\n";
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > LargestInput)
    return -1;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect,
                      sluice::dfg::DFGDialect>();
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });

  std::string text(reinterpret_cast<const char *>(data), size);
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text, context);
  if (!module)
    return 0;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  module->print(os);
  if (!parse(printed, context)) {
    llvm::errs() << "fuzz-mlir: not accepted again:\n" << printed;
    std::abort();
  }
  checkTaskGraphs(*module);
  return 0;
}
