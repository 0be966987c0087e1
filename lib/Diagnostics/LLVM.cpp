//===- LLVM.cpp - Messages of LLVM's passes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/LLVM.h"

#include "sluice/Diagnostics/Diagnostics.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace sluice;

static Severity levelOf(llvm::DiagnosticSeverity severity) {
  return severity == llvm::DS_Warning ? Severity::Warning : Severity::Remark;
}

static Diagnostic messageOf(const llvm::DiagnosticInfo &info) {
  Diagnostic result;
  result.severity = levelOf(info.getSeverity());
  if (auto *pass =
          llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info)) {
    result.message = pass->getMsg();
    if (pass->isLocationAvailable()) {
      llvm::StringRef file;
      pass->getLocation(file, result.place.line, result.place.column);
      result.place.file = file.str();
    }
    return result;
  }
  llvm::raw_string_ostream os(result.message);
  llvm::DiagnosticPrinterRawOStream printer(os);
  info.print(printer);
  return result;
}

namespace {
class LLVMPrinter final : public llvm::DiagnosticHandler {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error)
      return false;
    // Remarks that were not requested.
    auto *pass = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info);
    if (pass && !pass->isEnabled())
      return true;
    // Nor were those that explain warnings, such as of 'simd' loops.
    auto *analysis = llvm::dyn_cast<llvm::DiagnosticInfoIROptimization>(&info);
    if (analysis && info.getSeverity() == llvm::DS_Remark &&
        analysis->getPassName() ==
            llvm::OptimizationRemarkAnalysis::AlwaysPrint &&
        !isAnyRemarkEnabled())
      return true;
    Diagnostic diagnostic = messageOf(info);
    if (said.insert({diagnostic.place, diagnostic.message}).second)
      printDiagnostic(diagnostic);
    return true;
  }

private:
  std::set<std::pair<SourcePlace, std::string>> said;
};
} // namespace

void sluice::printMessagesOf(llvm::LLVMContext &context) {
  context.setDiagnosticHandler(std::make_unique<LLVMPrinter>());
}
