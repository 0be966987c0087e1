//===- HashTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the cache uses the published hash, for any division into parts.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Hash.h"

#include "TestFolder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace sluice;

TEST(ContentHash, IsStableAndTellsContentsApart) {
  EXPECT_EQ(ContentHash().add("abc").text(), ContentHash().add("abc").text());
  std::set<std::string> seen;
  for (uint64_t i = 0; i < 1000; ++i)
    seen.insert(ContentHash().add(i).text());
  seen.insert(ContentHash().add("ab").add("c").text());
  seen.insert(ContentHash().add("a").add("bc").text());
  seen.insert(ContentHash().add("abc").text());
  EXPECT_EQ(seen.size(), 1003u);
  EXPECT_EQ(seen.begin()->size(), 32u);
}

TEST(ContentHash, CanBeCopiedAndReadInBetween) {
  ContentHash hash;
  hash.add(std::string(1000, 'x'));
  ContentHash copy = hash;
  EXPECT_EQ(copy.text(), hash.text());
  EXPECT_EQ(copy.add("y").text(), hash.add("y").text());
  EXPECT_NE(copy.add("z").text(), hash.text());
}

TEST(ContentHash, ChangesWithEveryBit) {
  std::mt19937 random(3);
  for (size_t size : {1u, 16u, 17u, 128u, 240u, 241u, 4000u}) {
    std::string content(size, '\0');
    for (char &c : content)
      c = char(random());
    const std::string before = ContentHash().add(content).text();
    for (size_t bit = 0; bit < 8 * size; bit += 1 + size / 50) {
      content[bit / 8] ^= char(1 << bit % 8);
      EXPECT_NE(ContentHash().add(content).text(), before)
          << size << ' ' << bit;
      content[bit / 8] ^= char(1 << bit % 8);
    }
  }
}

// The output of `xxh128sum` from Debian's package xxhash.
TEST(HashFile, IsXXH3With128Bits) {
  test::TestFolder folder;
  std::string path = folder.file("file");
  EXPECT_EQ(hashFile(path), "");
  std::ofstream(path, std::ios::binary) << "";
  EXPECT_EQ(hashFile(path), "99aa06d3014798d86001c324468d497f");
  std::ofstream(path, std::ios::binary) << "abc";
  EXPECT_EQ(hashFile(path), "06b05ab6733a618578af5f94892f3950");
  std::ofstream(path, std::ios::binary) << std::string(1 << 20, 'x');
  const std::string whole = hashFile(path);
  std::ofstream(path, std::ios::binary | std::ios::app) << 'x';
  EXPECT_NE(hashFile(path), whole);
  EXPECT_EQ(hashFile(folder.path), "");
}
