//===- SealTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that random damage to cache entries is always detected.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Seal.h"

#include "TestFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace sluice;
namespace fs = std::filesystem;

TEST(Seal, HoldsForItsNameAndContentOnly) {
  std::string entry = "content" + sealOf("name", "content");
  EXPECT_EQ(sealOf("name", "content").size(), sealSize);
  EXPECT_EQ(unsealed("name", entry), "content");
  EXPECT_EQ(unsealed("other", entry), std::nullopt);
  EXPECT_EQ(unsealed("name", "content"), std::nullopt);
  EXPECT_EQ(unsealed("name", ""), std::nullopt);
  EXPECT_EQ(unsealed("name", sealOf("name", "")), "");
}

TEST(Seal, ShowsEveryDamage) {
  std::mt19937 random(7);
  for (int i = 0; i != 20000; ++i) {
    std::string content(random() % 300, '\0');
    for (char &c : content)
      c = char(random());
    std::string entry = content + sealOf("name", content), damaged = entry;
    switch (random() % 4) {
    case 0:
      damaged[random() % damaged.size()] ^= char(1 << random() % 8);
      break;
    case 1:
      damaged.resize(random() % damaged.size());
      break;
    case 2:
      damaged += char(random());
      break;
    case 3:
      std::swap(damaged[random() % damaged.size()],
                damaged[random() % damaged.size()]);
      break;
    }
    bool isSound = unsealed("name", damaged).has_value();
    EXPECT_EQ(isSound, damaged == entry);
  }
}

TEST(Seal, DamagedEntriesAreRemoved) {
  test::TestFolder own;
  const std::string &folder = own.path, path = own.file("entry");
  ASSERT_TRUE(writeSealed(path, "content").ok());
  EXPECT_EQ(readSealed(path), "content");
  uint64_t size = 0;
  EXPECT_TRUE(isSealed(path, &size));
  EXPECT_EQ(size, 7u);
  EXPECT_TRUE(sealInto(path, folder + "/copy", /*isProgram=*/true).ok());
  EXPECT_EQ(readSealed(folder + "/copy")->size(), 7 + sealSize);
  fs::rename(path, folder + "/renamed");
  EXPECT_FALSE(isSealed(folder + "/renamed"));
  EXPECT_FALSE(fs::exists(folder + "/renamed"));
  EXPECT_FALSE(isSealed(path));
}
