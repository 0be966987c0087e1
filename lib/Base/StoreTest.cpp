//===- StoreTest.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what the cache finds, what it removes when it is full, and who may use
// it.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Store.h"

#include "TestFolder.h"
#include "sluice/Base/Hash.h"
#include "sluice/Base/Temporary.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace sluice;
using sluice::test::contentOf;
namespace fs = std::filesystem;

using Names = std::set<std::string>;

static std::string key(int number) {
  return ContentHash().add(uint64_t(number)).text();
}

static void put(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// Sets the access and modification times to `minutes` ago.
static void setAge(const std::string &path, int minutes) {
  time_t then = time(nullptr) - 60 * minutes;
  const timespec times[2] = {{then, 0}, {then, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

namespace {
class StoreTest : public testing::Test {
protected:
  /// Adds a file of `size` bytes that was last used `minutes` ago.
  void add(const Store &store, const std::string &name, size_t size,
           int minutesAgo) {
    fs::create_directories(store.getFolder());
    put(store.pathOf(name), std::string(size, 'x'));
    setAge(store.pathOf(name), minutesAgo);
  }
  static Names names(const Store &store) {
    Names found;
    for (const auto &entry : fs::directory_iterator(store.getFolder()))
      found.insert(entry.path().filename());
    return found;
  }

  test::TestFolder own;
  const std::string root = own.file("cache");
  const Store store{StoreKind::Pack, root};
};
} // namespace

TEST_F(StoreTest, KeepsFiles) {
  std::string name = key(1) + ".object";
  EXPECT_FALSE(store.read(name));
  EXPECT_FALSE(fs::exists(root)) << "reading makes no folders";
  ASSERT_TRUE(store.write(name, "content").ok());
  EXPECT_EQ(store.read(name), "content");
  uint64_t size = 0;
  EXPECT_TRUE(store.contains(name, &size));
  EXPECT_EQ(size, 7u);
  EXPECT_FALSE(store.read(key(2) + ".object"));
  struct stat info;
  ASSERT_EQ(::stat(store.getFolder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(StoreTest, AdoptsAndSealsFilesOfOthers) {
  std::string from = own.file("made"), name = key(1), late = key(2) + ".so";
  put(from, "program");
  ASSERT_TRUE(store.adopt(from, name, /*isProgram=*/true).ok());
  EXPECT_EQ(store.read(name), "program");
  EXPECT_EQ(::access(store.pathOf(name).c_str(), X_OK), 0);
  put(store.pathOf(late), "library");
  ASSERT_TRUE(store.seal(late, /*isProgram=*/true).ok());
  ASSERT_TRUE(store.seal(late, /*isProgram=*/true).ok()) << "once is enough";
  EXPECT_EQ(store.read(late), "library");
  EXPECT_FALSE(store.adopt(own.file("none"), key(3), false).ok());
}

TEST_F(StoreTest, SeesEveryDamage) {
  std::string name = key(1), path = store.pathOf(name);
  ASSERT_TRUE(store.write(name, "some content").ok());
  std::string whole = contentOf(path);
  for (size_t i = 0; i != whole.size(); ++i) {
    put(path, whole.substr(0, i));
    EXPECT_FALSE(store.read(name)) << i;
    std::string changed = whole;
    changed[i] = char(changed[i] ^ 1 << i % 8);
    put(path, changed);
    EXPECT_FALSE(store.read(name)) << i;
    EXPECT_FALSE(fs::exists(path)) << i;
  }
  put(path, whole + "x");
  EXPECT_FALSE(store.read(name));
  put(path, whole);
  EXPECT_EQ(store.read(name), "some content");
  fs::copy_file(path, store.pathOf(key(2)));
  EXPECT_FALSE(store.read(key(2))) << "under another name";
}

TEST_F(StoreTest, IgnoresWhatOthersMayWrite) {
  std::string name = key(1), path = store.pathOf(name);
  ASSERT_TRUE(store.write(name, "content").ok());
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_FALSE(store.read(name));
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_TRUE(store.read(name));
  ASSERT_EQ(::chmod(store.getFolder().c_str(), 0777), 0);
  EXPECT_FALSE(store.read(name));
  EXPECT_FALSE(store.write(key(2), "content").ok());
  EXPECT_EQ(names(store), Names{name});
}

TEST_F(StoreTest, WorksWithoutACache) {
  Store none(StoreKind::Pack, "");
  EXPECT_FALSE(none.read(key(1)));
  EXPECT_EQ(none.write(key(1), "content").message(),
            "there is no folder for the cache: set HOME or SLUICE_CACHE_DIR");
  EXPECT_TRUE(none.entries().empty());
  EXPECT_EQ(none.clear(), 0u);
  put(own.file("file"), "no folder");
  Store wrong(StoreKind::Pack, own.file("file"));
  EXPECT_FALSE(wrong.write(key(1), "content").ok());
  ::setenv("SLUICE_CACHE_DIR", own.file("file").c_str(), 1);
  EXPECT_FALSE(Store::open(StoreKind::Halide).ok());
  EXPECT_NE(Store::open(StoreKind::Halide)
                .status()
                .message()
                .find("; SLUICE_CACHE_DIR names another folder for the cache"),
            std::string::npos);
  Result<Store> temporary = Store::openOrTemporary(StoreKind::Halide);
  ASSERT_TRUE(temporary.ok());
  EXPECT_TRUE(temporary->write(key(1), "content").ok());
  EXPECT_EQ(temporary->read(key(1)), "content");
  removeWorkFolder();
  EXPECT_FALSE(temporary->read(key(1)));
  ::unsetenv("SLUICE_CACHE_DIR");
}

TEST_F(StoreTest, ListsAndClearsEntries) {
  add(store, key(1) + ".files", 100, 10);
  add(store, key(1) + "-0123", 50, 20);
  add(store, key(2) + ".object", 7, 5);
  // Files of killed processes, and the user's own.
  add(store, ".sluice-0123456789abcdef.tmp", 9, 30);
  add(store, "notes.txt", 9, 30);
  add(store, "history", 9, 30);
  std::vector<StoreEntry> all = store.entries();
  ASSERT_EQ(all.size(), 2u);
  if (all[0].key != key(1))
    std::swap(all[0], all[1]);
  EXPECT_EQ(all[0].files,
            (std::vector<std::string>{key(1) + "-0123", key(1) + ".files"}));
  EXPECT_EQ(all[0].size, 150u);
  auto age = std::chrono::system_clock::now() - all[0].lastUse;
  EXPECT_GE(age, std::chrono::minutes(9));
  EXPECT_LT(age, std::chrono::minutes(19));
  EXPECT_EQ(store.clear(), 2u);
  EXPECT_EQ(names(store), (Names{"notes.txt", "history"}));
}

TEST_F(StoreTest, WhatWasNotUsedForLongestGoes) {
  const Store other(StoreKind::Variants, root);
  add(store, key(1), 100, 30);
  add(store, key(2), 100, 10);
  add(other, key(3) + ".so", 100, 1);
  add(other, "libffcx_forms_0123.so", 1000, 40); // only forms have such names
  trimCache(root, 300);
  EXPECT_EQ(names(store), (Names{key(1), key(2)}));
  trimCache(root, 299);
  EXPECT_EQ(names(store), Names{key(2)});
  trimCache(root, 150, std::chrono::hours(1));
  EXPECT_EQ(names(store), Names{key(2)}) << "it was used in the last hour";
  trimCache(root, 150);
  EXPECT_EQ(names(store), Names{});
  trimCache(root, 0);
  EXPECT_EQ(names(other), Names{"libffcx_forms_0123.so"});
  trimCache(own.file("nowhere"), 0);
}

TEST_F(StoreTest, ReadingCountsAsUse) {
  for (int i : {1, 2}) {
    ASSERT_TRUE(store.write(key(i), "content").ok());
    setAge(store.pathOf(key(i)), 5);
  }
  std::vector<StoreEntry> before = store.entries();
  EXPECT_TRUE(store.read(key(1)));
  // Files that were used after they were listed are kept.
  for (const StoreEntry &entry : before)
    store.remove(entry);
  EXPECT_EQ(names(store), Names{key(1)});
  auto written = fs::last_write_time(store.pathOf(key(1)));
  EXPECT_TRUE(store.read(key(1)));
  EXPECT_EQ(fs::last_write_time(store.pathOf(key(1))), written);
}

TEST_F(StoreTest, FilesOfFormsGoTogetherAndUnderTheirLock) {
  const Store forms(StoreKind::Forms, root);
  add(forms, "libffcx_forms_0123.c", 10, 30);
  add(forms, "libffcx_forms_0123.cpython-311-x86_64-linux-gnu.so", 10, 30);
  add(forms, "libffcx_forms_0123.cpython-311-x86_64-linux-gnu.so.sha256", 10,
      20);
  add(forms, key(1) + ".forms", 10, 10);
  add(forms, ".lock", 0, 50);
  int lock = ::open(forms.pathOf(".lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  trimCache(root, 0);
  EXPECT_EQ(names(forms).size(), 5u) << "Python compiles";
  ::close(lock);
  trimCache(root, 20);
  EXPECT_EQ(names(forms), (Names{".lock", key(1) + ".forms"}));
}

TEST_F(StoreTest, PinnedFilesStayUntilTheProcessEnds) {
  ::setenv("SLUICE_CACHE_DIR", root.c_str(), 1);
  const std::string name = key(1) + ".o";
  EXPECT_FALSE(store.pin(name).ok());
  ASSERT_TRUE(store.write(name, "object").ok());
  Result<std::string> pinned = store.pin(name);
  ASSERT_TRUE(pinned.ok()) << pinned.status().message();
  EXPECT_EQ(fs::path(*pinned).filename(), name);
  EXPECT_TRUE(contentOf(*pinned).starts_with("object"));
  // A second time, and again after it was recreated.
  EXPECT_TRUE(store.pin(name).ok());
  store.clear();
  EXPECT_TRUE(contentOf(*pinned).starts_with("object"));
  ASSERT_TRUE(store.write(name, "newer").ok());
  EXPECT_TRUE(store.pin(name).ok());
  EXPECT_TRUE(contentOf(*pinned).starts_with("newer"));
  Result<std::string> folder = workFolder();
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(*folder), {}), 2)
      << "the object and the lock";
  removeWorkFolder();
  EXPECT_FALSE(fs::exists(*pinned));
  ::unsetenv("SLUICE_CACHE_DIR");
}

TEST_F(StoreTest, HasALimit) {
  EXPECT_EQ(cacheLimit(root), UINT64_C(2) << 30);
  ASSERT_TRUE(setCacheLimit(root, 1000).ok());
  EXPECT_EQ(cacheLimit(root), 1000u);
  put(root + "/limit", "much");
  EXPECT_EQ(cacheLimit(root), UINT64_C(2) << 30);
  put(own.file("file"), "no folder");
  EXPECT_FALSE(setCacheLimit(own.file("file"), 1000).ok());
}

TEST_F(StoreTest, KeepsTheLimitWhileItIsFilled) {
  ASSERT_TRUE(setCacheLimit(root, 20000).ok());
  // Whatever the process has added before, this triggers at least two checks.
  for (int i = 0; i != 130; ++i) {
    ASSERT_TRUE(store.write(key(i), std::string(1000, 'x')).ok());
    setAge(store.pathOf(key(i)), 200 - i);
  }
  uint64_t size = 0;
  for (const StoreEntry &entry : store.entries())
    size += entry.size;
  EXPECT_LE(size, 90000u);
  EXPECT_TRUE(store.read(key(129)));
  EXPECT_FALSE(store.read(key(0)));
}

TEST_F(StoreTest, ManyMayUseIt) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      for (int k = 0; k < 50; ++k) {
        int number = (i + k) % 7;
        std::string expected = "content " + std::to_string(number);
        std::optional<std::string> content = store.read(key(number));
        EXPECT_TRUE(!content || *content == expected);
        EXPECT_TRUE(store.write(key(number), expected).ok());
        trimCache(root, 200);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &name : names(store))
    EXPECT_EQ(name.size(), 32u) << name;
}
