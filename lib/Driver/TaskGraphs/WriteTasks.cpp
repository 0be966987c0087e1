//===- WriteTasks.cpp - Task graphs as code and as pictures ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All outputs except executables. An output file is either complete or absent.
//
//===----------------------------------------------------------------------===//

#include "../Programs/Lower.h"
#include "TaskCompilation.h"
#include "sluice/Base/Output.h"
#include "sluice/Driver/Draw.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// The content of an object file: LLVM text, or the object itself.
static Expected<std::string>
emitCode(TaskProgram &tasks, const TaskBuildOptions &options, bool isText) {
  std::optional<std::vector<codegen::PlanModel>> models =
      flattenRoots(tasks.program);
  if (!models)
    return createStringError("the graph cannot be flattened");
  codegen::CodeGenOptions codeGen;
  auto machine = lowerTaskProgram(tasks, *models, options, codeGen);
  if (!machine)
    return machine.takeError();
  if (isText) {
    codegen::optimizeProgram(*tasks.program.code, **machine, codeGen);
    std::string text;
    raw_string_ostream os(text);
    tasks.program.code->print(os, nullptr);
    return text;
  }
  SmallVector<char, 0> object;
  if (Error error =
          codegen::emitObject(*tasks.program.code, **machine, codeGen, object))
    return error;
  return std::string(object.begin(), object.end());
}

static Error writeCode(TaskProgram &tasks, const TaskBuildOptions &options,
                       StringRef path) {
  codegen::addTaskMain(*tasks.program.code);
  Expected<std::string> code =
      emitCode(tasks, options, sys::path::extension(path) == ".ll");
  if (!code)
    return code.takeError();
  Status status = checkOutput(path.str(), tasks.dependencies);
  if (status.ok())
    status = writeOutput(path.str(), *code);
  return status.ok() ? Error::success() : createStringError(status.message());
}

bool driver::isTaskForm(StringRef path) {
  StringRef ending = sys::path::extension(path);
  return ending == ".ll" || ending == ".o" || isPictureFile(path);
}

bool driver::writeTaskGraph(mlir::ModuleOp module,
                            const TaskBuildOptions &options, StringRef path) {
  std::unique_ptr<TaskProgram> tasks = readTasks(module, options);
  if (!tasks)
    return false;
  bool isPicture = isPictureFile(path);
  if (!isPicture && !lowerTasks(*tasks, options))
    return false;
  Error error = isPicture ? writePicture(drawTasks(module, options.root), path)
                          : writeCode(*tasks, options, path);
  if (!error)
    return true;
  module.emitError(toString(std::move(error)));
  return false;
}
