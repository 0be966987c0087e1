//===- fuzz-rdir-mlir.cpp - Fuzzes the text form of rdir ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever text arrives, reading and checking end with a module or with
// diagnostics. A module that was accepted is accepted again after it was
// printed; one that was proven is proven again after its nodes were put in
// order and the orders of rule R* were added.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/CheckModule.h"
#include "sluice/RDIR/Order.h"
#include "sluice/RDIR/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace sluice::rdir;

/// Larger inputs find nothing that smaller ones do not.
static constexpr size_t LargestInput = 16 << 10;

/// Takes a string, as MLIR's lexer looks at the byte after the end.
static mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text,
                                               mlir::MLIRContext &context) {
  return mlir::parseSourceString<mlir::ModuleOp>(text,
                                                 mlir::ParserConfig(&context));
}

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

static void fail(const char *message, mlir::ModuleOp module) {
  llvm::errs() << "fuzz-rdir-mlir: " << message << ":\n" << print(module);
  std::abort();
}

static bool isProven(mlir::ModuleOp module) {
  std::unique_ptr<ImportedModule> imported = importModule(module);
  ModuleCheck check = checkModule(*imported);
  emitFindings(check, /*hasRemarks=*/true);
  return !check.hasErrors();
}

/// What may be done to a module that is proven.
static void transform(mlir::ModuleOp module) {
  std::unique_ptr<ImportedModule> imported = importModule(module);
  for (const auto &graph : imported->graphs) {
    DirectDependences order = taskOrder(graph->graph);
    Schedule steps = schedule(order);
    if (steps.width > order.tasks.size())
      fail("a step with more tasks than there are", module);
  }
  if (failed(addHappensBefore(module)) || failed(mlir::verify(module)))
    fail("cannot be given its orders", module);
  if (!isProven(module))
    fail("not proven with its orders", module);
  if (failed(serializeGraphs(module)) || failed(mlir::verify(module)))
    fail("cannot be put in order", module);
  if (!isProven(module))
    fail("not proven in its order", module);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > LargestInput)
    return -1;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<RDIRDialect>();
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });

  std::string text(reinterpret_cast<const char *>(data), size);
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text, context);
  if (!module)
    return 0;
  if (!parse(print(*module), context))
    fail("not accepted again", *module);
  if (isProven(*module))
    transform(*module);
  return 0;
}
