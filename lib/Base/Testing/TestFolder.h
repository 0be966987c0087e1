//===- TestFolder.h - A folder for one test ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each test writes to a folder of its own, so that several runs at the same
// time do not disturb each other, and leaves nothing behind.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TESTING_TESTFOLDER_H
#define SLUICE_BASE_TESTING_TESTFOLDER_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace sluice::test {

/// A new folder, removed by the destructor. A process that a test starts uses
/// the folder of that test (the child of a death test runs the test again from
/// its beginning): parent and child see each other's files, and the child does
/// not remove the folder.
class TestFolder {
public:
  TestFolder() {
    // The variable tells child processes the path of the folder and the process
    // that made it.
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

/// The bytes of a file; nothing if it cannot be read.
inline std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace sluice::test

#endif // SLUICE_BASE_TESTING_TESTFOLDER_H
