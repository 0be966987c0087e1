//===- sluice-translate.cpp - HPVM programs to the dfg dialect ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows what the HPVM front end makes of a program, for tests and for people
// who work on it.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "sluice/Frontend/HPVM/Import.h"
#include "sluice/Frontend/HPVM/ParseText.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;
namespace cl = llvm::cl;

namespace {
enum class Output { DFG, LLVM, Layouts };
} // namespace

static cl::OptionCategory category("sluice-translate options");
static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE.ll"), cl::cat(category));
static cl::opt<Output> output(
    "print", cl::desc("what to print"), cl::init(Output::DFG),
    cl::values(clEnumValN(Output::DFG, "dfg", "the graphs"),
               clEnumValN(Output::LLVM, "llvm", "the leaf and host code"),
               clEnumValN(Output::Layouts, "layouts",
                          "how launches and pushes lay out their arguments")),
    cl::cat(category));

static void printLayout(const std::optional<hpvm::Layout> &layout) {
  if (!layout) {
    llvm::outs() << " packed\n";
    return;
  }
  llvm::outs() << ' ' << layout->size << " bytes, arguments at";
  for (uint64_t offset : layout->argumentOffsets)
    llvm::outs() << ' ' << offset;
  llvm::outs() << ", results at";
  for (uint64_t offset : layout->resultOffsets)
    llvm::outs() << ' ' << offset;
  llvm::outs() << '\n';
}

static void printLayouts(const hpvm::ImportedProgram &program) {
  for (const hpvm::LaunchSite &launch : program.launches) {
    llvm::outs() << (launch.isStream ? "streaming " : "") << "launch of "
                 << launch.root << ':';
    printLayout(launch.layout);
  }
  for (const hpvm::PushSite &push : program.pushes) {
    llvm::outs() << "push:";
    printLayout(push.layout);
  }
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "HPVM programs to dfg\n");

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!buffer) {
    llvm::errs() << "sluice-translate: error: cannot read '" << inputFile
                 << "': " << buffer.getError().message() << '\n';
    return 1;
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      parseText((*buffer)->getMemBufferRef(), context, error);
  if (!module) {
    error.print("sluice-translate", llvm::errs());
    return 1;
  }
  mlir::MLIRContext mlirContext(mlir::MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics;
  auto program = hpvm::importProgram(*module, mlirContext, diagnostics);
  diagnostics.print(llvm::errs());
  if (mlir::failed(program))
    return 1;
  if (output == Output::LLVM)
    module->print(llvm::outs(), nullptr);
  else if (output == Output::Layouts)
    printLayouts(*program);
  else
    program->module->print(llvm::outs());
  return 0;
}
