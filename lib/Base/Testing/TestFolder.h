//===- TestFolder.h - A folder for one test ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests write to folders that nobody else has, also when several runs of them
// go on at once, and leave nothing behind.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TESTING_TESTFOLDER_H
#define SLUICE_BASE_TESTING_TESTFOLDER_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace sluice::test {

/// A new folder, removed with the object. In a process that a test starts,
/// such as the child of a death test, which begins the test anew, it is the
/// folder of that test: either sees what the other wrote, and the folder stays
/// when the child ends.
class TestFolder {
public:
  TestFolder() {
    // The variable tells children who made the folder, and where it is.
    const char *known = std::getenv(variable);
    const std::string text = known ? known : "";
    const std::string self = std::to_string(::getpid()) + ':';
    if (!text.empty() && !text.starts_with(self)) {
      path = text.substr(text.find(':') + 1);
      return;
    }
    path = ::testing::TempDir() + "sluice-test-XXXXXX";
    if (!::mkdtemp(path.data())) {
      std::perror(path.c_str());
      std::abort();
    }
    owner = ::getpid();
    ::setenv(variable, (self + path).c_str(), /*overwrite=*/1);
  }
  ~TestFolder() {
    if (owner != ::getpid())
      return;
    ::unsetenv(variable);
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TestFolder(const TestFolder &) = delete;

  /// The path of a file in it.
  std::string file(const std::string &name) const { return path + '/' + name; }

  std::string path;

private:
  static constexpr const char *variable = "SLUICE_TEST_FOLDER";
  pid_t owner = -1;
};

} // namespace sluice::test

#endif // SLUICE_BASE_TESTING_TESTFOLDER_H
