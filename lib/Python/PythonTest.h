//===- PythonTest.h - Python tasks without a runtime ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tests define the three functions of the runtime that the library needs.
// Modules are written to a separate folder.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHON_PYTHONTEST_H
#define SLUICE_LIB_PYTHON_PYTHONTEST_H

#include "TestFolder.h"
#include "sluice-c/TaskProgram.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

struct SluiceTaskRun {
  SluiceTaskProgram program = {};
  std::string path;
};

namespace sluice::python::test {

/// What libSluicePython registered.
extern const SluicePythonHooks *hooks;
/// The function that tasks of this process call.
extern void *currentFunction;

/// A cell for a dictionary, and its release.
class Object {
public:
  SluicePythonArgument argument(bool isReadOnly = false);
  void release();
  ~Object() { release(); }

private:
  void *cell = nullptr;
};

SluicePythonArgument scalar(SluiceElementKind kind, uint32_t bits,
                            void *memory);

class PythonTest : public testing::Test {
public:
  PythonTest();
  ~PythonTest() override;
  /// Writes `name`.py into the folder.
  void write(const std::string &name, const std::string &text);
  /// Returns the error of the task, or an empty string.
  std::string call(const std::string &module, const std::string &function,
                   const std::vector<SluicePythonArgument> &arguments = {});
  std::string assemble(const std::string &module, const std::string &kernel,
                       Object &object,
                       const std::string &generator = "generate");
  /// Ends the run and begins another.
  void restart();
  /// Waits for all jobs that were passed to Python.
  void drain();

  /// A folder that all tests of the process share, for example for compiled
  /// forms.
  const sluice::test::TestFolder &shared = sharedFolder();
  sluice::test::TestFolder own;
  const std::string &folder = own.path;
  SluiceTaskRun run;

private:
  static const sluice::test::TestFolder &sharedFolder();
};

} // namespace sluice::python::test

#endif // SLUICE_LIB_PYTHON_PYTHONTEST_H
