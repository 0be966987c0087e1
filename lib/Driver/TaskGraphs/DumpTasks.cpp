//===- DumpTasks.cpp - Task graphs to files -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskProgram.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Copies the object of a compiled kernel to `folder` and names it there.
static bool copyKernel(dfg::HalideKernelOp kernel, StringRef folder) {
  SmallString<128> target(folder);
  sys::path::append(target, sys::path::filename(kernel.getFile()));
  if (std::error_code error = sys::fs::create_directories(folder)) {
    kernel.emitError("cannot make the folder '")
        << folder << "': " << error.message();
    return false;
  }
  if (std::error_code error = sys::fs::copy_file(kernel.getFile(), target)) {
    kernel.emitError("cannot copy '")
        << kernel.getFile() << "' to '" << target << "': " << error.message();
    return false;
  }
  SmallString<128> name(sys::path::filename(folder));
  sys::path::append(name, sys::path::filename(target));
  kernel.setFile(name);
  return true;
}

bool driver::dumpTaskGraph(mlir::ModuleOp module,
                           const TaskBuildOptions &options, StringRef path) {
  std::unique_ptr<TaskProgram> tasks = TaskProgram::resolve(module, options);
  if (!tasks)
    return false;
  for (dfg::HalideKernelOp kernel : module.getOps<dfg::HalideKernelOp>())
    if (sys::path::is_absolute(kernel.getFile()) &&
        !copyKernel(kernel, (path + ".objects").str()))
      return false;
  std::string problem;
  std::unique_ptr<ToolOutputFile> file = mlir::openOutputFile(path, &problem);
  if (!file) {
    module.emitError(problem);
    return false;
  }
  module->print(file->os(), mlir::OpPrintingFlags().enableDebugInfo());
  file->keep();
  return true;
}
