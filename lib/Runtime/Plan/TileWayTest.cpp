//===- TileWayTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of ways as it is written and read, and what is wrong with others.
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/Plan/TileWay.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice;

using Kind = TileWay::Kind;

static std::string problemOf(std::string_view text) {
  return parseTunedGraphs(text).status().message();
}

TEST(TileWay, FilesSayWhatWasWritten) {
  std::mt19937 random(18);
  std::vector<TunedGraph> written;
  std::string text = "; a comment\n\n";
  for (unsigned i = 0; i < 200; ++i) {
    TunedGraph tuned{"graph" + std::to_string(i), std::nullopt, {}};
    if (random() % 2)
      tuned.sizeClass = random() % numTileClasses;
    tuned.way.kind = static_cast<Kind>(random() % 4);
    if (tuned.way.kind >= Kind::Strips)
      tuned.way.rows = 1 + random() % maxTileNumber;
    if (tuned.way.kind == Kind::Strips)
      tuned.way.nodes = random() % 5;
    if (tuned.way.kind == Kind::Windows)
      tuned.way.pieces = random() % 5;
    text += formatTunedGraph(tuned);
    written.push_back(tuned);
  }
  Result<std::vector<TunedGraph>> read = parseTunedGraphs(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), written.size());
  for (size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ((*read)[i].graph, written[i].graph);
    EXPECT_EQ((*read)[i].sizeClass, written[i].sizeClass);
    EXPECT_EQ((*read)[i].way, written[i].way) << describeWay(written[i].way);
  }
}

TEST(TileWay, BlanksAndCommentsAreAllowed) {
  Result<std::vector<TunedGraph>> read = parseTunedGraphs(
      "  [ root  4M ] ; of 4 MiB\r\n\tway=windows # of temporary memory\r\n"
      " rows =16\n pieces= 2");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().graph, "root");
  EXPECT_EQ(read->front().sizeClass, 22u);
  EXPECT_EQ(describeWay(read->front().way), "windows, rows = 16, pieces = 2");
  EXPECT_TRUE(parseTunedGraphs("").ok());
}

TEST(TileWay, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(problemOf("\nway = strips"),
            "line 2: expected '[GRAPH]' or '[GRAPH SIZE]' first");
  EXPECT_EQ(problemOf("[root"), "line 1: expected '[GRAPH]' or '[GRAPH SIZE]'");
  EXPECT_EQ(problemOf("[]"), "line 1: the section has no name of a graph");
  EXPECT_EQ(problemOf("[root 3M]"), "line 1: '3M' is no size, expected a power "
                                    "of 2 such as 512K or 4M");
  EXPECT_EQ(problemOf("[root]\nway = one-by-one\n[root]"),
            "line 3: the section of 'root' stands in the file twice");
  EXPECT_EQ(problemOf("[root]\nway = fast"),
            "line 2: 'fast' is no way, expected 'windows', 'strips', "
            "'one-by-one' or 'automatic'");
  EXPECT_EQ(problemOf("[root]\nrows"), "line 2: expected 'NAME = VALUE'");
  EXPECT_EQ(problemOf("[root]\ntile = 2"),
            "line 2: 'tile' is unknown, expected 'way', 'rows', 'nodes' or "
            "'pieces'");
  for (const char *number : {"0", "-1", "2x", "", "1048577", "99999999999"})
    EXPECT_EQ(problemOf(std::string("[root]\nrows = ") + number),
              std::string("line 2: '") + number +
                  "' is no number from 1 to 1048576");
  EXPECT_EQ(problemOf("[root]\nrows = 2\n[other]\n"),
            "line 3: the section of 'root', which ends here, has no 'way'");
  EXPECT_EQ(problemOf("[root]\nway = windows\n"),
            "line 2: the section of 'root', which ends here, has no 'rows'");
  EXPECT_EQ(problemOf("[root]\nway = one-by-one\nrows = 2"),
            "line 3: the section of 'root', which ends here, has 'rows', of "
            "which 'one-by-one' has none");
  EXPECT_EQ(problemOf("[root]\nway = windows\nrows = 2\nnodes = 2"),
            "line 4: the section of 'root', which ends here, has 'nodes', of "
            "which 'windows' has none");
  EXPECT_NE(readTunedGraphs("/nowhere/ways.ini")
                .status()
                .message()
                .find("cannot read '/nowhere/ways.ini'"),
            std::string::npos);
}

TEST(TileWay, ClassesAreSizes) {
  EXPECT_EQ(tileClassOf(0), 0u);
  EXPECT_EQ(tileClassOf(1), 0u);
  EXPECT_EQ(tileClassOf(1023), 9u);
  EXPECT_EQ(tileClassOf(1024), 10u);
  EXPECT_EQ(tileClassOf(UINT64_MAX), numTileClasses - 1);
  EXPECT_EQ(tileClassText(9), "512");
  EXPECT_EQ(tileClassText(22), "4M");
  EXPECT_EQ(tileClassText(47), "128T");
}

TEST(TileWay, TimesAreReadAsTheyWereWritten) {
  TiledTimes one{"root", 22, 1000, 4, true, 7, 12345, 99999};
  TiledTimes other{"other", 3, 1, 2, false, 1, 0, 0};
  std::string text = formatTiledTimes(std::vector{one, other});
  std::vector<TiledTimes> read = parseTiledTimes(text + "cut\t1\t2");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].graph, "root");
  EXPECT_EQ(read[0].sizeClass, 22u);
  EXPECT_EQ(read[0].rows, 1000u);
  EXPECT_EQ(read[0].nodes, 4u);
  EXPECT_TRUE(read[0].mayKeepWindows);
  EXPECT_EQ(read[0].launches, 7u);
  EXPECT_EQ(read[0].fastest, 12345u);
  EXPECT_EQ(read[0].total, 99999u);
  EXPECT_FALSE(read[1].mayKeepWindows);
  EXPECT_TRUE(parseTiledTimes("root\t99\t1\t1\t0\t1\t1\t1\n"
                              "root\t9\t1\t1\t0\t1\t1\n"
                              "root\t9\t1\t1\t0\t1\t1\tx\n"
                              "root\t9\t1\t1\t0\t1\t1\t1\t1\n\t\n\n")
                  .empty());
}
