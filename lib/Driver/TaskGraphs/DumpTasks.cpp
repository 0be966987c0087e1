//===- DumpTasks.cpp - Task graphs to files -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For `--dump`: writes the graph and the compiled kernels as files, for
// inspection and for linking by hand.
//
//===----------------------------------------------------------------------===//

#include "TaskCompilation.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Seal.h"
#include "sluice/Toolchain/FileHash.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Copies the object of a compiled kernel to `folder`, and renames it in the
/// graph.
static bool copyKernel(dfg::HalideKernelOp kernel, StringRef folder) {
  SmallString<128> target(folder);
  sys::path::append(target, sys::path::filename(kernel.getFile()));
  if (std::error_code error = sys::fs::create_directories(folder)) {
    kernel.emitError("cannot make the folder '")
        << folder << "': " << error.message();
    return false;
  }
  std::string file = kernel.getFile().str();
  auto buffer = MemoryBuffer::getFile(file);
  if (!buffer) {
    kernel.emitError("cannot copy '")
        << file << "': " << buffer.getError().message();
    return false;
  }
  // Entries of the cache have a seal.
  std::string_view whole = (*buffer)->getBuffer();
  Status status =
      writeOutput(target.str().str(),
                  unsealed(std::string_view(sys::path::filename(file)), whole)
                      .value_or(whole));
  if (!status.ok()) {
    kernel.emitError("cannot copy '") << file << "': " << status.message();
    return false;
  }
  // The hash excludes the seal, as does the comparison when the module is read.
  kernel.setHash(fileDigest(target));
  SmallString<128> name(sys::path::filename(folder));
  sys::path::append(name, sys::path::filename(target));
  kernel.setFile(name);
  return true;
}

bool driver::dumpTaskGraph(mlir::ModuleOp module,
                           const TaskBuildOptions &options, StringRef path) {
  std::unique_ptr<TaskProgram> tasks = readTasks(module, options);
  if (!tasks)
    return false;
  for (dfg::HalideKernelOp kernel : module.getOps<dfg::HalideKernelOp>())
    if (sys::path::is_absolute(kernel.getFile()) &&
        !copyKernel(kernel, (path + ".objects").str()))
      return false;
  std::string text;
  raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  Status status = sluice::checkOutput(path.str(), tasks->dependencies);
  if (status.ok())
    status = writeOutput(path.str(), text);
  if (!status.ok())
    module.emitError(status.message());
  return status.ok();
}
