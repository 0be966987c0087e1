//===- LeafReport.cpp - What passes did to leaves -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/LeafReport.h"
#include "Stages.h"
#include "sluice/Driver/TracedNodes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
/// Collects remarks about functions of nodes, and passes all other messages to
/// the handler that the context had before.
class RemarkCollector final : public DiagnosticHandler {
public:
  RemarkCollector(RemarkChoice choice, std::vector<LeafRemark> &remarks,
                  std::unique_ptr<DiagnosticHandler> others)
      : choice(choice), remarks(remarks), others(std::move(others)) {}

  std::unique_ptr<DiagnosticHandler> takeOthers() { return std::move(others); }

  bool handleDiagnostics(const DiagnosticInfo &info) override;
  bool isAnalysisRemarkEnabled(StringRef pass) const override {
    return isLeafPass(pass) ||
           (choice == RemarkChoice::CommandLine &&
            DiagnosticHandler::isAnalysisRemarkEnabled(pass));
  }
  bool isMissedOptRemarkEnabled(StringRef pass) const override {
    return isLeafPass(pass) ||
           (choice == RemarkChoice::CommandLine &&
            DiagnosticHandler::isMissedOptRemarkEnabled(pass));
  }
  bool isPassedOptRemarkEnabled(StringRef pass) const override {
    return isLeafPass(pass) ||
           (choice == RemarkChoice::CommandLine &&
            DiagnosticHandler::isPassedOptRemarkEnabled(pass));
  }
  bool isAnyRemarkEnabled() const override {
    return choice == RemarkChoice::LeafPasses ||
           DiagnosticHandler::isAnyRemarkEnabled();
  }

private:
  bool isLeafPass(StringRef pass) const {
    return choice == RemarkChoice::LeafPasses && pass.starts_with("sluice-");
  }

  const RemarkChoice choice;
  std::vector<LeafRemark> &remarks;
  std::unique_ptr<DiagnosticHandler> others;
};
} // namespace

bool RemarkCollector::handleDiagnostics(const DiagnosticInfo &info) {
  const auto *pass = dyn_cast<DiagnosticInfoOptimizationBase>(&info);
  if (!pass || info.getSeverity() != DS_Remark)
    return others && others->handleDiagnostics(info);
  StringRef function = pass->getFunction().getName();
  if (!pass->isEnabled() || !pass->isLocationAvailable() ||
      !function.consume_front("sluice."))
    return true;
  LeafRemark remark;
  remark.text = pass->getMsg();
  remark.function = function.str();
  StringRef file;
  pass->getLocation(file, remark.place.line, remark.place.column);
  remark.place.file = file.str();
  remarks.push_back(std::move(remark));
  return true;
}

std::vector<LeafRemark> driver::reportLeaves(Program &program,
                                             const BuildOptions &options,
                                             RemarkChoice choice) {
  std::vector<LeafRemark> remarks;
  LLVMContext &context = program.codeContext;
  auto collector = std::make_unique<RemarkCollector>(
      choice, remarks, context.getDiagnosticHandler());
  RemarkCollector &collecting = *collector;
  context.setDiagnosticHandler(std::move(collector));
  (void)optimizeOnly(program, options);
  context.setDiagnosticHandler(collecting.takeOthers());
  return remarks;
}

/// Whether the function belongs to the node with this path.
static bool isFunctionOf(StringRef function, StringRef path) {
  return function.consume_front(path) &&
         (function.empty() || function.starts_with("."));
}

std::vector<std::string> driver::remarksAbout(StringRef path,
                                              ArrayRef<LeafRemark> remarks) {
  std::vector<std::string> texts;
  for (const LeafRemark &remark : remarks) {
    if (!isFunctionOf(remark.function, path) &&
        none_of(pathsOfFused(remark.function), [&](const std::string &part) {
          return isFunctionOf(part, path);
        }))
      continue;
    std::string text = (sys::path::filename(remark.place.file) + ":" +
                        Twine(remark.place.line) + ": " + remark.text)
                           .str();
    if (!is_contained(texts, text))
      texts.push_back(std::move(text));
  }
  return texts;
}
