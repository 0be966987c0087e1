//===- WrittenProgram.cpp - Graphs of .mlir files for tasks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph may be written in the dialect dfg. The code of its leaves is in the
// same file, in files that it names, or in the kernel sources of the task
// graph. It is LLVM IR, or C for functions that leaves call.
//
//===----------------------------------------------------------------------===//

#include "../C/CKernelFiles.h"
#include "../C/CPrune.h"
#include "HPVMProgram.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sluice/Analysis/LeafFolds.h"
#include "sluice/Base/TextLimits.h"
#include "sluice/Diagnostics/Bytecode.h"
#include "sluice/Frontend/HPVM/LowerGotos.h"
#include "sluice/Toolchain/FileHash.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

bool driver::isWrittenGraph(StringRef path) {
  StringRef ending = sys::path::extension(path);
  return ending == ".mlir" || ending == ".mlirbc";
}

namespace {
/// The leaf code of one file with graphs.
class WrittenLeaf {
public:
  WrittenLeaf(Resolution &resolution, mlir::ModuleOp graphs, StringRef path,
              dfg::TaskOp task)
      : resolution(resolution), graphs(graphs), path(path), task(task),
        code(std::make_unique<Module>("leaves", resolution.code.getContext())) {
    adopt(*code);
  }

  /// Reads all of it; null after errors.
  std::unique_ptr<Module> read();

private:
  void adopt(Module &module) const {
    module.setDataLayout(resolution.code.getDataLayout());
    module.setTargetTriple(resolution.code.getTargetTriple());
  }
  bool add(std::unique_ptr<Module> module, StringRef from);
  bool addFile(StringRef file, const std::vector<std::string> &flags);
  bool addNamed(dfg::CodeOp op);
  bool addWritten();
  bool addSources();
  std::vector<dfg::KernelOp> missing();

  Resolution &resolution;
  mlir::ModuleOp graphs;
  StringRef path;
  dfg::TaskOp task;
  std::unique_ptr<Module> code;
};
} // namespace

bool WrittenLeaf::add(std::unique_ptr<Module> module, StringRef from) {
  lowerComputedGotos(*module);
  adopt(*module);
  if (!Linker::linkModules(*code, std::move(module)))
    return true;
  task.emitError() << "'" << from
                   << "' cannot be linked with the leaf code of '" << path
                   << "'";
  return false;
}

bool WrittenLeaf::addFile(StringRef file,
                          const std::vector<std::string> &flags) {
  Diagnostics diagnostics;
  std::optional<CompiledUnit> unit =
      readUnit(file, flags, resolution, diagnostics, task.getLoc());
  if (unit)
    dropMain(*unit, nullptr);
  return emitAll(diagnostics, resolution.module.getContext(),
                 resolution.options.hasRemarks) &&
         unit && add(std::move(unit->module), file);
}

/// Adds a dfg.code, which names a file or contains bitcode.
bool WrittenLeaf::addNamed(dfg::CodeOp op) {
  if (!op.getFile()) {
    // Bitcode is read from a file, by the reader that survives malformed files.
    Expected<std::string> file = writeTemporary(*op.getBitcode(), ".bc");
    if (!file) {
      op.emitError(toString(file.takeError()));
      return false;
    }
    FileRemover remover(*file);
    const bool isGood = addFile(*file, {});
    erase(resolution.dependencies, *file);
    return isGood;
  }
  SmallString<128> file(*op.getFile());
  if (sys::path::is_relative(file)) {
    file = sys::path::parent_path(path);
    sys::path::append(file, *op.getFile());
  }
  std::string hash = fileDigest(file);
  if (hash == *op.getHash())
    return addFile(file, {});
  op.emitError() << "names '" << file << "' with hash '" << *op.getHash()
                 << "', but the file's is '"
                 << (hash.empty() ? "unreadable" : hash) << "'";
  return false;
}

/// Adds the operations of the LLVM dialect in the file.
bool WrittenLeaf::addWritten() {
  mlir::OwningOpRef<mlir::ModuleOp> written =
      mlir::ModuleOp::create(graphs.getLoc());
  for (mlir::Operation &op : make_early_inc_range(*graphs.getBody()))
    if (isa<mlir::LLVM::LLVMDialect>(op.getDialect()))
      op.moveBefore(written->getBody(), written->getBody()->end());
  std::unique_ptr<Module> module =
      mlir::translateModuleToLLVMIR(*written, code->getContext());
  if (module)
    return add(std::move(module), path);
  task.emitError() << "the code in '" << path
                   << "' cannot be translated to LLVM IR";
  return false;
}

/// Kernels whose code is still missing.
std::vector<dfg::KernelOp> WrittenLeaf::missing() {
  std::vector<dfg::KernelOp> kernels;
  for (dfg::KernelOp kernel : graphs.getOps<dfg::KernelOp>()) {
    const Function *leaf = code->getFunction(kernel.getCodeName());
    if (!leaf || leaf->isDeclaration())
      kernels.push_back(kernel);
  }
  return kernels;
}

/// The kernel sources of the task graph.
bool WrittenLeaf::addSources() {
  for (auto source : resolution.module.getOps<dfg::KernelSourceOp>()) {
    std::string file =
        findKernelFile(source.getPath(), resolution, source.getLoc());
    if (isHPVMFile(file) && !addFile(file, flagsOf(source.getFlags())))
      return false;
  }
  for (const std::string &source : resolution.options.kernelSources) {
    std::string file = sys::fs::exists(source)
                           ? source
                           : findKernelFile(source, resolution, task.getLoc());
    if (isHPVMFile(file) && !addFile(file, {}))
      return false;
  }
  return true;
}

std::unique_ptr<Module> WrittenLeaf::read() {
  bool isGood = true;
  for (dfg::CodeOp op : make_early_inc_range(graphs.getOps<dfg::CodeOp>())) {
    isGood &= addNamed(op);
    op.erase();
  }
  isGood = isGood && addWritten();
  if (isGood && !missing().empty())
    isGood = addSources();
  if (!isGood)
    return nullptr;
  for (dfg::KernelOp kernel : missing()) {
    isGood = false;
    kernel.emitError() << "nothing defines the leaf code '"
                       << kernel.getCodeName() << "' of kernel '@"
                       << kernel.getSymName()
                       << "'; name the LLVM IR that does as a kernel source";
  }
  return isGood ? std::move(code) : nullptr;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

bool HPVMProgram::findWrittenRoots() {
  bool isGood = true;
  for (dfg::TaskOp task : tasks) {
    StringRef name = task.getCallee();
    if (roots.contains(name))
      continue;
    if (graphs->lookupSymbol<dfg::GraphOp>(name)) {
      symbols[name] = name.str();
      roots[name].prototype.function = name.str();
      continue;
    }
    isGood = false;
    std::string names;
    for (dfg::GraphOp graph : graphs->getOps<dfg::GraphOp>())
      names += (names.empty() ? "'" : ", '") + graph.getSymName().str() + "'";
    task.emitError() << "'" << path << "' has no graph '" << name
                     << "'; it has " << (names.empty() ? "none" : names);
  }
  return isGood;
}

std::unique_ptr<Module> HPVMProgram::readWrittenGraphs() {
  mlir::MLIRContext *context = resolution.module.getContext();
  mlir::registerBuiltinDialectTranslation(*context);
  mlir::registerLLVMDialectTranslation(*context);
  resolution.dependencies.push_back(path);
  // If there is no such file, its reader reports this.
  if (auto buffer = MemoryBuffer::getFile(path)) {
    const std::string_view content = (*buffer)->getBuffer();
    Status status =
        isBytecode(content)
            ? tryBytecode(content, path, context->getDialectRegistry())
            : checkTextLimits(content, path, TextLanguage::MLIR);
    if (!status.ok()) {
      firstTask.emitError() << status.message();
      return nullptr;
    }
  }
  graphs = mlir::parseSourceFile<mlir::ModuleOp>(path, context);
  if (!graphs)
    return nullptr;
  if (!graphs->getOps<dfg::TaskGraphOp>().empty()) {
    firstTask.emitError() << "'" << path
                          << "' is a task graph, which is no task of another";
    return nullptr;
  }
  if (!findWrittenRoots())
    return nullptr;
  std::unique_ptr<Module> code =
      WrittenLeaf(resolution, *graphs, path, firstTask).read();
  if (!code || mlir::failed(matchFolds(*graphs, *code)))
    return nullptr;
  return code;
}
