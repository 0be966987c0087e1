//===- LinkCode.cpp - Linking modules with readable errors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without its own handler, a context ends the process at an error.
//
//===----------------------------------------------------------------------===//

#include "LinkCode.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace {
struct SymbolCollector : DiagnosticHandler {
  explicit SymbolCollector(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream os(text);
    DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }
  std::string &text;
};
} // namespace

Error sluice::driver::linkCode(Module &code, std::unique_ptr<Module> added) {
  if (code.getDataLayoutStr().empty())
    code.setDataLayout(added->getDataLayout());
  if (code.getTargetTriple().empty())
    code.setTargetTriple(added->getTargetTriple());
  if (added->getDataLayoutStr().empty())
    added->setDataLayout(code.getDataLayout());
  if (added->getTargetTriple().empty())
    added->setTargetTriple(code.getTargetTriple());
  LLVMContext &context = code.getContext();
  std::string text;
  std::unique_ptr<DiagnosticHandler> previous = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<SymbolCollector>(text));
  bool failed = Linker::linkModules(code, std::move(added));
  context.setDiagnosticHandler(std::move(previous));
  if (failed)
    return createStringError(text.empty() ? "modules do not fit" : text);
  return Error::success();
}
