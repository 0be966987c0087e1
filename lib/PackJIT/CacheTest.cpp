//===- CacheTest.cpp - Tests of caching objects ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that objects serve other processes, with many threads and layouts.
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"
#include "ObjectCache.h"

#include "TestFolder.h"
#include "sluice/Base/Hash.h"
#include "sluice/Base/Store.h"

#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;
using namespace sluice::pack::jit::test;
using sluice::test::contentOf;
namespace fs = std::filesystem;

namespace {
/// A folder for the cache that is removed at the end.
class DiskCacheTest : public ::testing::Test {
protected:
  DiskCacheTest() { ::setenv("SLUICE_CACHE_DIR", folder.c_str(), 1); }
  ~DiskCacheTest() override { ::unsetenv("SLUICE_CACHE_DIR"); }
  static void write(const std::string &path, const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
  }

  sluice::test::TestFolder own;
  const std::string &folder = own.path;
};
} // namespace

TEST_F(DiskCacheTest, IgnoresFilesOfOtherKeys) {
  EXPECT_FALSE(findOnDisk("key"));
  keepOnDisk("key", "object");
  EXPECT_EQ(findOnDisk("key"), "object");
  EXPECT_FALSE(findOnDisk("another key"));
  // As if both keys had the same hash.
  std::string name = ContentHash().add("other").text() + ".object";
  ASSERT_TRUE(Store(StoreKind::Pack).write(name, "keyobject").ok());
  EXPECT_FALSE(findOnDisk("other"));
}

/// Compiles in a separate process, and checks the kernel there.
static bool compilesElsewhere(const Layout &layout) {
  pid_t child = ::fork();
  if (child == 0) {
    auto kernel = compiler().compile({&layout, &thisProcessor(), true});
    bool right =
        kernel.ok() && isRight(*kernel, layout, 3, GuardedBuffer::AtEnd);
    ::_exit(right ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(DiskCacheTest, ServesOtherProcesses) {
  Layout layout = layoutOf(strided(321, 24, block(8)), 9999);
  ASSERT_TRUE(compilesElsewhere(layout));
  std::vector<std::string> files;
  for (const auto &entry : fs::directory_iterator(folder + "/pack"))
    files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  fs::file_time_type written = fs::last_write_time(files[0]);
  EXPECT_TRUE(compilesElsewhere(layout));
  EXPECT_EQ(fs::last_write_time(files[0]), written) << "compiled again";

  std::string content = contentOf(files[0]);
  content[content.size() / 2] ^= 0x55;
  write(files[0], content);
  EXPECT_TRUE(compilesElsewhere(layout));
  EXPECT_NE(contentOf(files[0]), content)
      << "the damaged object was not replaced";
}

TEST(MemoryCache, KeepsWhatWasUsedLast) {
  MemoryCache cache(1000);
  auto object = std::make_shared<const std::string>(250, 'x');
  cache.insert("a", object);
  cache.insert("b", object);
  EXPECT_TRUE(cache.find("a"));
  cache.insert("c", object);
  cache.insert("d", object);
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("d"));
  cache.insert("e", std::make_shared<const std::string>(5000, 'x'));
  EXPECT_FALSE(cache.find("e"));
}

static Layout numbered(int64_t i) {
  return layoutOf(strided(20 + i % 7, 16 + i, block(8)), 10000);
}

TEST(Compiler, ServesManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread != 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i != 40; ++i) {
        Layout layout = numbered((i * 7 + thread) % 50);
        auto kernel = compiler().compile({&layout, &thisProcessor(), false});
        if (!kernel.ok() || !isRight(*kernel, layout, 2, GuardedBuffer::AtEnd))
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Resident bytes of this process, or of its mappings.
static int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST(Compiler, FreesCodeWithItsContext) {
  auto cycle = [](int64_t from, int64_t to) {
    for (int64_t i = from; i != to; ++i) {
      Layout layout = numbered(i);
      ASSERT_TRUE(compiler().compile({&layout, &thisProcessor(), false}).ok());
    }
  };
  cycle(1000, 1300);
  int64_t before = residentBytes();
  cycle(2000, 2500);
  // If pages of code and tables remained, they would be 6 MiB.
  EXPECT_LT(residentBytes() - before, 5 << 20);
}

TEST(Compiler, PrintsWhatItEmits) {
  Layout layout = layoutOf(strided(100, 16, block(8)), 1600);
  CompilerInput input{&layout, &thisProcessor(), false};
  auto ir = compiler().printIR(input);
  ASSERT_TRUE(ir.ok());
  EXPECT_NE(ir->find("define void @sluice_pack("), std::string::npos);
  EXPECT_NE(ir->find("define void @sluice_unpack("), std::string::npos);
  auto assembly = compiler().printAssembly(input);
  ASSERT_TRUE(assembly.ok());
  EXPECT_NE(assembly->find("sluice_pack:"), std::string::npos);
}

TEST(Compiler, RefusesOtherVersions) {
  EXPECT_EQ(sluicePackCompiler(compilerInterfaceVersion + 1), nullptr);
}

/// Compiles on two threads and ends the process meanwhile.
[[noreturn]] static void endWhileCompiling(unsigned microseconds) {
  compiler();
  for (int i = 0; i != 2; ++i)
    std::thread([layout = numbered(i)]() mutable {
      for (;; layout.offset += 8)
        (void)compiler().compile({&layout, &thisProcessor(), false});
    }).detach();
  ::usleep(microseconds);
  std::exit(7);
}

TEST(Compiler, LetsTheProcessEndWhileItCompiles) {
  for (unsigned i = 0; i != 12; ++i) {
    pid_t child = ::fork();
    if (child == 0)
      endWhileCompiling(i * 4000);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
}
