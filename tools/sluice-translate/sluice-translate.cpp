//===- sluice-translate.cpp - From HPVM programs to the dfg dialect -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the HPVM front end's output for a program, for tests and for
// developers.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Device/Versions.h"
#include "sluice/Frontend/HPVM/ImportHPVM.h"
#include "sluice/Frontend/HPVM/ReadIR.h"
#include "sluice/Frontend/Sources/Sources.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
enum class Output { Clang, Canonical, DFG, LLVM, Layouts };
} // namespace

static cl::OptionCategory category("sluice-translate options");
static cl::list<std::string> inputFiles(cl::Positional, cl::OneOrMore,
                                        cl::desc("FILE.{c,cc,cpp,ll,bc}..."),
                                        cl::cat(category));
static cl::opt<Output> output(
    "print", cl::desc("what to print"), cl::init(Output::DFG),
    cl::values(
        clEnumValN(Output::Clang, "clang", "what clang makes of each source"),
        clEnumValN(Output::Canonical, "canonical", "canonical HPVM IR, linked"),
        clEnumValN(Output::DFG, "dfg", "the graphs"),
        clEnumValN(Output::LLVM, "llvm", "the leaf and host code"),
        clEnumValN(Output::Layouts, "layouts",
                   "how launches and pushes lay out their arguments")),
    cl::cat(category));
static cl::opt<bool> isLegacy("legacy",
                              cl::desc("text is as LLVM 9 wrote it for HPVM"),
                              cl::cat(category));
static cl::opt<HPVMVersion>
    version("hpvm-version", cl::desc("whose integers target hints are"),
            cl::init(HPVMVersion::V1_0),
            cl::values(clEnumValN(HPVMVersion::V0_5, "0.5", ""),
                       clEnumValN(HPVMVersion::V1_0, "1.0", "")),
            cl::cat(category));
static cl::list<std::string>
    clangArguments("clang", cl::desc("an argument for clang, e.g. -DN=3"),
                   cl::value_desc("argument"), cl::cat(category));

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Expected<CompiledUnit> read(llvm::StringRef path,
                                         llvm::LLVMContext &context,
                                         Diagnostics &diagnostics) {
  bool isSource = llvm::StringSwitch<bool>(llvm::sys::path::extension(path))
                      .Cases({".c", ".cc", ".cpp", ".cxx", ".C"}, true)
                      .Default(false);
  if (!isSource)
    return readIR(path, {.isLegacy = isLegacy, .version = version}, context,
                  diagnostics);
  CompileOptions options;
  options.arguments.assign(clangArguments.begin(), clangArguments.end());
  options.version = version;
  return compileSource(path, options, context, diagnostics);
}

/// Reads, lowers and links all files; null on errors.
static std::unique_ptr<llvm::Module> readProgram(llvm::LLVMContext &context,
                                                 Diagnostics &diagnostics) {
  std::vector<CompiledUnit> units;
  bool isGood = true;
  for (const std::string &path : inputFiles) {
    llvm::Expected<CompiledUnit> unit = read(path, context, diagnostics);
    if (unit) {
      units.push_back(std::move(*unit));
      continue;
    }
    llvm::errs() << "sluice-translate: error: "
                 << llvm::toString(unit.takeError()) << '\n';
    isGood = false;
  }
  if (output == Output::Clang && isGood)
    for (CompiledUnit &unit : units)
      unit.module->print(llvm::outs(), nullptr);
  std::unique_ptr<llvm::Module> module = linkUnits(units, context, diagnostics);
  return isGood ? std::move(module) : nullptr;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printLayout(const std::optional<hpvm::ArgumentLayout> &layout) {
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

static bool importAndPrint(llvm::Module &module, Diagnostics &diagnostics) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto program = hpvm::importProgram(module, context, diagnostics);
  if (mlir::failed(program))
    return false;
  if (output == Output::LLVM)
    module.print(llvm::outs(), nullptr);
  else if (output == Output::Layouts)
    printLayouts(*program);
  else
    program->module->print(llvm::outs());
  return true;
}

static int translate(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << device::versionText("sluice-translate", SLUICE_VERSION,
                              SLUICE_LLVM_VERSION);
  });
  cl::ParseCommandLineOptions(argc, argv, "HPVM programs to dfg\n");

  llvm::LLVMContext context;
  Diagnostics diagnostics;
  std::unique_ptr<llvm::Module> module = readProgram(context, diagnostics);
  bool isGood = module != nullptr;
  if (isGood && output == Output::Canonical)
    module->print(llvm::outs(), nullptr);
  else if (isGood && output != Output::Clang)
    isGood = importAndPrint(*module, diagnostics);
  diagnostics.print(llvm::errs());
  return isGood ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  removeTemporariesOnSignals();
  int status = runOnLargeStack("sluice-translate",
                               [&] { return translate(argc, argv); });
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error();
    llvm::errs() << "sluice-translate: error: cannot write to standard output: "
                 << error.message() << '\n';
    return 1;
  }
  return status;
}
