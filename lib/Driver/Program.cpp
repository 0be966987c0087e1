//===- Program.cpp - A program on its way through the compiler ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Program.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sluice/CodeGen/CodeGen.h"
#include "sluice/Frontend/HPVM/Compile.h"
#include "sluice/Frontend/HPVM/Import.h"
#include "sluice/Frontend/HPVM/ParseText.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
enum class FileKind { Source, IR, Graph, Unknown };

/// Reads the files of one program.
class Reader {
public:
  explicit Reader(const ProgramOptions &options)
      : options(options), program(std::make_unique<Program>()) {
    program->graphContext = createGraphContext();
    mlir::registerBuiltinDialectTranslation(*program->graphContext);
    mlir::registerLLVMDialectTranslation(*program->graphContext);
  }

  std::unique_ptr<Program> run();

private:
  void readFile(const std::string &path);
  void readSource(const std::string &path);
  void readIR(const std::string &path);
  void readGraphs(const std::string &path);
  bool importGraphs();
  void addCode(std::unique_ptr<Module> module);
  void fail(const Twine &message);

  const ProgramOptions &options;
  std::unique_ptr<Program> program;
  Diagnostics diagnostics;
  std::vector<std::unique_ptr<Module>> modules;
  bool failed = false;
};
} // namespace

static FileKind kindOf(StringRef path) {
  return StringSwitch<FileKind>(sys::path::extension(path))
      .Cases({".c", ".cc", ".cpp", ".cxx", ".C"}, FileKind::Source)
      .Cases({".ll", ".bc"}, FileKind::IR)
      .Case(".mlir", FileKind::Graph)
      .Default(FileKind::Unknown);
}

void Reader::fail(const Twine &message) {
  errs() << "sluice: error: " << message << '\n';
  failed = true;
}

void Reader::readIR(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot read '" + path + "': " + buffer.getError().message());
  SMDiagnostic error;
  std::unique_ptr<Module> module =
      parseText((*buffer)->getMemBufferRef(), program->codeContext, error);
  if (!module) {
    error.print("sluice", errs());
    failed = true;
    return;
  }
  program->dependencies.push_back(path);
  program->code = std::move(module);
}

void Reader::readFile(const std::string &path) {
  switch (kindOf(path)) {
  case FileKind::Source:
    return;
  case FileKind::IR:
    return readIR(path);
  case FileKind::Graph:
    return;
  case FileKind::Unknown:
    return fail("'" + path +
                "' has no known ending; expected .c, .cc, .cpp, "
                ".cxx, .ll, .bc, .mlir, .o, .a or .so");
  }
}

bool Reader::importGraphs() {
  auto imported =
      hpvm::importProgram(*program->code, *program->graphContext, diagnostics);
  if (mlir::failed(imported))
    return false;
  auto note = [](CallBase *call, const std::optional<hpvm::Layout> &layout) {
    if (layout)
      codegen::setHostLayout(*call, {layout->size, layout->argumentOffsets,
                                     layout->resultOffsets});
  };
  for (const hpvm::LaunchSite &launch : imported->launches)
    note(launch.call, launch.layout);
  for (const hpvm::PushSite &push : imported->pushes)
    note(push.call, push.layout);
  for (Function *function : imported->unusedNodeFunctions)
    program->unusedNodeFunctions.push_back(function->getName().str());
  program->graphs = std::move(imported->module);
  return true;
}

std::unique_ptr<Program> Reader::run() {
  for (const std::string &path : options.files)
    readFile(path);
  bool isGood = !failed && importGraphs();
  diagnostics.print(errs());
  return isGood ? std::move(program) : nullptr;
}

std::unique_ptr<Program> driver::readProgram(const ProgramOptions &options) {
  return Reader(options).run();
}
