//===- WholeFilesTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic writing and private directories.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/WholeFiles.h"

#include "TestFolder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace sluice;
using sluice::test::contentOf;
namespace fs = std::filesystem;

namespace {
class FilesTest : public testing::Test {
protected:
  test::TestFolder own;
  const std::string &folder = own.path;
};
} // namespace

TEST_F(FilesTest, WritesAndReplacesWholeFiles) {
  std::string path = folder + "/a.json";
  ASSERT_TRUE(writeFileAtomically(path, "first").ok());
  ASSERT_TRUE(writeFileAtomically(path, "second").ok());
  EXPECT_EQ(contentOf(path), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(FilesTest, NamesThePathThatCannotBeWritten) {
  Status status = writeFileAtomically(folder + "/none/a.json", "x");
  EXPECT_EQ(status.code(), StatusCode::System);
  EXPECT_EQ(status.message(), "cannot write '" + folder +
                                  "/none/a.json': No such file or directory");
}

TEST_F(FilesTest, CreatesPrivateDirectories) {
  std::string path = folder + "/x/y";
  ASSERT_TRUE(preparePrivateDirectory(path).ok());
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_TRUE(preparePrivateDirectory(path).ok());
}

TEST_F(FilesTest, RefusesWhatOthersMayWrite) {
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  EXPECT_EQ(preparePrivateDirectory(folder).message(),
            "'" + folder + "' may be written by others");
  std::string path = folder + "/a.so";
  ASSERT_TRUE(writeFileAtomically(path, "x").ok());
  EXPECT_TRUE(checkPrivateFile(path).ok());
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_EQ(checkPrivateFile(path).message(),
            "'" + path + "' may be written by others");
  EXPECT_EQ(checkPrivateFile(folder).message(),
            "'" + folder + "' is not a regular file");
}
