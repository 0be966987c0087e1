//===- HPVMKernels.cpp - HPVM graphs of tasks -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task may be a whole HPVM graph. This file finds the source that defines the
// graph, imports it once, and connects it to the tasks.
//
//===----------------------------------------------------------------------===//

#include "../C/CKernelFiles.h"
#include "HPVMProgram.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
struct NamedSource {
  std::string path;
  std::vector<std::string> flags;
};
} // namespace

bool driver::isHPVMFile(StringRef path) {
  return isSourceFile(path) || sys::path::extension(path) == ".ll" ||
         sys::path::extension(path) == ".bc";
}

/// True if the text contains the root's name, as its definition does.
static bool mentions(StringRef path, StringRef root) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer && (*buffer)->getBuffer().contains(root);
}

/// The task's own source, or the kernel source that names its root.
static std::optional<NamedSource> sourceOf(dfg::TaskOp task,
                                           Resolution &resolution) {
  const KernelOptions &options = resolution.options;
  if (task.getSource()) {
    std::string path =
        findKernelFile(*task.getSource(), resolution, task.getLoc());
    if (isHPVMFile(path) || isWrittenGraph(path))
      return NamedSource{path, flagsOf(task.getFlags())};
    task.emitError() << "'" << *task.getSource()
                     << "' is no source of HPVM graphs; expected .c, .cc, "
                        ".cpp, .cxx, .C, .ll, .bc or .mlir";
    return std::nullopt;
  }
  for (auto source : resolution.module.getOps<dfg::KernelSourceOp>()) {
    std::string path =
        findKernelFile(source.getPath(), resolution, source.getLoc());
    if (isHPVMFile(path) && mentions(path, task.getCallee()))
      return NamedSource{path, flagsOf(source.getFlags())};
  }
  for (const std::string &source : options.kernelSources) {
    std::string path = sys::fs::exists(source)
                           ? source
                           : findKernelFile(source, resolution, task.getLoc());
    if (isHPVMFile(path) && mentions(path, task.getCallee()))
      return NamedSource{path, {}};
  }
  task.emitError() << "no kernel source has the graph '" << task.getCallee()
                   << "'; name its source with the kernel";
  return std::nullopt;
}

bool driver::resolveHPVMKernels(Resolution &resolution) {
  bool isGood = true;
  std::vector<std::unique_ptr<HPVMProgram>> programs;
  DenseMap<mlir::Operation *, HPVMProgram *> programOf;
  for (dfg::TaskOp task : resolution.order.tasks) {
    if (task.getKind() != dfg::TaskKind::HPVM)
      continue;
    std::optional<NamedSource> source = sourceOf(task, resolution);
    isGood &= source.has_value();
    if (!source)
      continue;
    auto known = find_if(programs, [&](const auto &program) {
      return program->isFrom(source->path, source->flags);
    });
    if (known == programs.end())
      known = programs.insert(
          programs.end(), std::make_unique<HPVMProgram>(
                              resolution, source->path, source->flags, task));
    (*known)->want(task);
    programOf[task] = known->get();
  }
  SmallPtrSet<HPVMProgram *, 4> unread;
  for (const std::unique_ptr<HPVMProgram> &program : programs)
    if (!program->read())
      unread.insert(program.get());
  isGood &= unread.empty();
  for (auto [number, known] : enumerate(resolution.order.tasks)) {
    dfg::TaskOp task = known;
    HPVMProgram *program = programOf.lookup(task);
    if (!program || unread.contains(program))
      continue;
    isGood &= matchPorts(task, program->root(task));
    resolution.resolved[number].root = program->root(task).graph;
  }
  return isGood;
}
