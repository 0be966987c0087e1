//===- PythonTest.cpp - Python tasks without a runtime --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test runtime: the three functions that the library calls, and the folders
// of the test.
//
//===----------------------------------------------------------------------===//

#include "PythonTest.h"

#include "sluice-c/Runtime.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

using namespace sluice::python::test;
using sluice::test::TestFolder;

const SluicePythonHooks *sluice::python::test::hooks;
void *sluice::python::test::currentFunction;
static thread_local std::string lastError;

extern "C" void sluiceTaskError(const char *message) { lastError = message; }
extern "C" void sluiceSetPythonHooks(const SluicePythonHooks *given) {
  hooks = given;
}
extern "C" void sluiceFail(const SluiceInvocation *, const char *message) {
  throw std::runtime_error(message);
}
extern "C" int sluiceTaskStopping() { return 0; }
extern "C" uint32_t sluiceTaskNumRanks() { return 1; }

extern "C" void *sluiceTaskCurrentFunction() { return currentFunction; }

extern "C" const SluiceTaskProgram *sluiceTaskRunProgram(SluiceTaskRun *run) {
  return &run->program;
}

SluicePythonArgument Object::argument(bool isReadOnly) {
  return {SLUICE_PYTHON_OBJECT, 0, 0, isReadOnly, &cell, {}};
}

void Object::release() {
  if (cell)
    hooks->release(cell);
  cell = nullptr;
}

SluicePythonArgument sluice::python::test::scalar(SluiceElementKind kind,
                                                  uint32_t bits, void *memory) {
  return {
      SLUICE_PYTHON_SCALAR, static_cast<uint32_t>(kind), bits, 1, memory, {}};
}

const TestFolder &PythonTest::sharedFolder() {
  static const TestFolder folder;
  return folder;
}

PythonTest::PythonTest() {
  // Python reads both variables only once.
  setenv("SLUICE_CACHE_DIR", shared.file("cache").c_str(), /*overwrite=*/1);
  setenv("EXTRA_PYTHONPATH", shared.file("extra").c_str(), /*overwrite=*/1);
  run.path = folder;
  run.program.pythonPath = run.path.c_str();
}

PythonTest::~PythonTest() { hooks->end(&run, nullptr); }

void PythonTest::write(const std::string &name, const std::string &text) {
  std::ofstream(folder + "/" + name + ".py") << text;
}

std::string
PythonTest::call(const std::string &module, const std::string &function,
                 const std::vector<SluicePythonArgument> &arguments) {
  lastError = "nothing was said";
  int32_t status =
      sluicePythonCall(&run, module.c_str(), function.c_str(), arguments.data(),
                       uint32_t(arguments.size()));
  return status ? lastError : "";
}

std::string PythonTest::assemble(const std::string &module,
                                 const std::string &kernel, Object &object,
                                 const std::string &generator) {
  lastError = "nothing was said";
  SluicePythonArgument argument = object.argument();
  int32_t status = sluicePythonAssemble(&run, module.c_str(), generator.c_str(),
                                        kernel.c_str(), &argument, 1);
  return status ? lastError : "";
}

void PythonTest::restart() { hooks->end(&run, hooks->begin(&run)); }

void PythonTest::drain() {
  write("nothing", "def nothing(): pass\n");
  EXPECT_EQ(call("nothing", "nothing"), "");
}
