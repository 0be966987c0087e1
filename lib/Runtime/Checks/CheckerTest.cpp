//===- CheckerTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker alone: what is a race, at which byte, and how often it is
// reported. test/CodeGen/Check has whole programs.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "../Plan/Testing/PlanBuilder.h"

#include <gtest/gtest.h>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
constexpr uint32_t reading = SLUICE_CHECK_READ, writing = SLUICE_CHECK_WRITE,
                   atomic = SLUICE_CHECK_READ | SLUICE_CHECK_WRITE |
                            SLUICE_CHECK_ATOMIC;

const uint32_t oneDimension[] = {1, 1, 1};
const SluiceCheckLeaf plainLeaf = {"root/a", "",           1,      0, 0,
                                   1,        oneDimension, nullptr};

struct CheckerTest : testing::Test {
  CheckerTest() {
    uint32_t access = SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
    builder.buffer("data", access);
    for (const char *name : {"root/a", "root/b", "root/c"})
      builder.node(name, nullptr, {100});
  }
  void begin() {
    const SluicePlan *plan = builder.finish();
    frame.resize(plan->frameSize);
    auto *start = data;
    uint64_t size = sizeof(data);
    std::memcpy(frame.data(), &start, 8);
    std::memcpy(frame.data() + 8, &size, 8);
    checker.begin(*plan, frame.data());
  }
  /// 100 instances of a node run from now on.
  void run(uint32_t node, const SluiceCheckLeaf &leaf = plainLeaf) {
    checker.beginNode(node);
    const int64_t extents[] = {100, 1, 1};
    checker.beginLeaf(leaf, extents);
  }
  void access(uint64_t instance, uint32_t kind, uint64_t offset,
              uint64_t size = 4, uint64_t phase = 0) {
    const SluiceCheckSite *site = nullptr;
    for (const SluiceCheckSite &known : sites)
      if (known.kind == kind)
        site = &known;
    ASSERT_NE(site, nullptr);
    checker.access(*site, data + offset, size, instance, phase, data,
                   sizeof(data));
  }
  /// Everything that was found, or "".
  std::string found() { return checker.end({}).message(); }
  void expect(std::string_view part) {
    std::string text = found();
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  const SluiceCheckSite sites[4] = {
      {"t.c:1:1", "data", reading, SLUICE_CHECK_ARGUMENT, 3, 0},
      {"t.c:2:1", "data", writing, SLUICE_CHECK_ARGUMENT, 3, 0},
      {"t.c:3:1", "data", atomic, SLUICE_CHECK_ARGUMENT, 3, 0},
      {"t.c:4:1", "data", writing | SLUICE_CHECK_COPY, SLUICE_CHECK_ARGUMENT, 3,
       0}};
  alignas(64) unsigned char data[1024];
  PlanBuilder builder;
  std::vector<unsigned char> frame;
  Checker checker;
};
} // namespace

TEST_F(CheckerTest, OneInstanceMayDoWhatItWants) {
  begin();
  run(0);
  for (uint32_t kind : {writing, reading, atomic, writing, reading})
    access(5, kind, 8);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckerTest, InstancesMayShareGranulesButNoBytes) {
  begin();
  run(0);
  for (uint64_t i = 0; i < 100; ++i)
    access(i, writing, i, 1);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckerTest, AccessesThatStraddleGranulesMeetInOneByte) {
  begin();
  run(0);
  access(1, writing, 5, 8);
  access(2, writing, 13, 8);
  EXPECT_EQ(found(), "");
  begin();
  run(0);
  access(1, writing, 5, 8);
  access(2, reading, 12, 8);
  expect("t.c:1:1: instance 2 of node 'root/a' reads bytes 12 to 19 of 'data', "
         "which instance 1 wrote at t.c:2:1");
}

TEST_F(CheckerTest, ManyReadersDoNotHideARace) {
  begin();
  run(0);
  for (uint64_t i = 0; i < 100; ++i)
    access(i, reading, 0);
  // The last reader and the first one conflict with someone else.
  access(99, writing, 0);
  expect("instance 99 of node 'root/a' writes bytes 0 to 3 of 'data', which "
         "instance 0 read at t.c:1:1");
}

TEST_F(CheckerTest, AtomicsConflictWithPlainAccessesOnly) {
  begin();
  run(0);
  for (uint64_t i = 0; i < 100; ++i)
    access(i, atomic, 0);
  EXPECT_EQ(found(), "");
  begin();
  run(0);
  access(0, atomic, 0);
  access(1, reading, 0);
  expect("instance 1 of node 'root/a' reads bytes 0 to 3 of 'data', which "
         "instance 0 atomically updated");
}

TEST_F(CheckerTest, BarriersOrderAGroup) {
  begin();
  run(0);
  access(1, writing, 0, 4, 0);
  access(2, reading, 0, 4, 1);
  access(3, writing, 0, 4, 2);
  EXPECT_EQ(found(), "");
  begin();
  run(0);
  access(1, writing, 0, 4, 1);
  access(2, reading, 0, 4, 1);
  expect("between barriers");
}

TEST_F(CheckerTest, EdgesOrderNodesTransitively) {
  builder.order(0, 1);
  builder.order(1, 2);
  begin();
  run(0);
  access(1, writing, 0);
  run(2);
  access(2, reading, 0);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckerTest, NodesWithoutAWayBetweenThemAreNotOrdered) {
  builder.order(0, 2);
  begin();
  run(0);
  access(1, writing, 0);
  run(1);
  access(1, writing, 0);
  expect("nothing orders 'root/a' and 'root/b': join them by an edge");
}

TEST_F(CheckerTest, OneToOneEdgesOrderEqualIndices) {
  builder.order(0, 1, SLUICE_ONE_TO_ONE);
  builder.order(1, 2, SLUICE_ONE_TO_ONE);
  begin();
  run(0);
  access(7, writing, 0);
  run(2);
  access(7, reading, 0);
  EXPECT_EQ(found(), "");
  begin();
  run(0);
  access(7, writing, 0);
  run(2);
  access(8, reading, 0);
  expect("the one-to-one edge from 'root/a' to 'root/c' orders equal indices "
         "only: make it all-to-all");
}

TEST_F(CheckerTest, AnAllToAllEdgeOnTheWayOrdersAll) {
  builder.order(0, 1, SLUICE_ONE_TO_ONE);
  builder.order(1, 2);
  begin();
  run(0);
  access(7, writing, 0);
  run(2);
  access(8, reading, 0);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckerTest, ChildrenAreOrderedWithinOneInstanceOfTheirParent) {
  const uint8_t order[] = {0, SLUICE_CHECK_ONE_TO_ONE, 0, 0};
  const SluiceCheckStep first = {0, 2, order}, second = {1, 2, order};
  const SluiceCheckLeaf fill = {"root/a/fill", "",    1, 1, 1, 2,
                                oneDimension,  &first};
  const SluiceCheckLeaf use = {"root/a/use", "",     1, 1, 1, 2,
                               oneDimension, &second};
  auto child = [&](const SluiceCheckLeaf &leaf, int64_t parent) {
    const int64_t numbers[] = {parent, 0, 0, 100, 1, 1, 8, 1, 1};
    checker.beginNode(0);
    checker.beginLeaf(leaf, numbers);
  };
  begin();
  child(fill, 3);
  access(5, writing, 0);
  child(use, 3);
  access(5, reading, 0);
  EXPECT_EQ(found(), "");
  begin();
  child(fill, 3);
  access(5, writing, 0);
  child(use, 3);
  access(6, reading, 0);
  expect("instance 6 of parent 3 of node 'root/a/use' reads bytes 0 to 3 of "
         "'data', which instance 5 of parent 3 of node 'root/a/fill' wrote");
  begin();
  child(fill, 3);
  access(5, writing, 0);
  child(use, 4);
  access(5, reading, 0);
  expect("instance 5 of parent 4 of node 'root/a/use'");
}

TEST_F(CheckerTest, LeavesThatDoNotKnowTheirInstanceUseTheAnnouncedOne) {
  begin();
  run(0);
  checker.setInstance(4, 0);
  access(SLUICE_CHECK_CURRENT, writing, 0);
  checker.setInstance(9, 0);
  access(SLUICE_CHECK_CURRENT, writing, 0);
  expect("instance 9 of node 'root/a' writes bytes 0 to 3 of 'data', which "
         "instance 4 wrote");
}

TEST_F(CheckerTest, AnAccessOutsideEndsTheKernel) {
  begin();
  run(0);
  EXPECT_ANY_THROW(access(2, reading, sizeof(data) - 2));
  expect("reads 4 bytes at byte 1022 of 'data', which has 1024 bytes");
}

TEST_F(CheckerTest, SaysEachFindingOnce) {
  begin();
  run(0);
  for (uint64_t i = 0; i < 100; ++i)
    access(i, writing, 0);
  std::string text = found();
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST_F(CheckerTest, KeepsTheFirstFindingsOfMany) {
  begin();
  run(0);
  std::vector<std::string> places;
  std::vector<SluiceCheckSite> many;
  for (int i = 0; i < 30; ++i)
    places.push_back("t.c:" + std::to_string(100 + i) + ":1");
  for (const std::string &place : places)
    many.push_back(
        {place.c_str(), "data", writing, SLUICE_CHECK_ARGUMENT, 3, 0});
  for (int i = 0; i < 30; ++i)
    for (uint64_t instance : {1, 2})
      checker.access(many[i], data + 8 * i, 4, instance, 0, data, sizeof(data));
  std::string text = found();
  EXPECT_NE(text.find("t.c:119:1"), std::string::npos);
  EXPECT_EQ(text.find("t.c:120:1"), std::string::npos);
  EXPECT_NE(text.find("10 findings more in this run of graph 'root'"),
            std::string::npos)
      << text;
}

TEST_F(CheckerTest, LargeCopiesNameTheBytesThatMatter) {
  begin();
  run(0);
  access(1, writing, 500);
  access(2, writing | SLUICE_CHECK_COPY, 0, 1024);
  expect("t.c:4:1: instance 2 of node 'root/a' writes bytes 500 to 503 of "
         "'data'");
}

TEST_F(CheckerTest, NothingIsLeftForTheNextRun) {
  begin();
  run(0);
  access(1, writing, 0);
  EXPECT_EQ(found(), "");
  begin();
  run(0);
  access(2, writing, 0);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckerTest, NewMemoryHasNoPast) {
  begin();
  run(0);
  access(1, writing, 0);
  checker.allocated(data, sizeof(data));
  access(2, writing, 0);
  checker.freed(data);
  access(3, writing, 0);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckerTest, OtherThreadsAreNotChecked) {
  begin();
  EXPECT_EQ(Checker::current(), &checker);
  std::thread([] { EXPECT_EQ(Checker::current(), nullptr); }).join();
  EXPECT_EQ(found(), "");
  EXPECT_EQ(Checker::current(), nullptr);
}

TEST_F(CheckerTest, TheKernelsErrorIsKept) {
  begin();
  EXPECT_EQ(checker.end(Status::misuse("it threw")).message(), "it threw");
  begin();
  run(0);
  access(1, writing, 0);
  access(2, writing, 0);
  std::string text = checker.end(Status::misuse("it threw")).message();
  EXPECT_NE(text.find("\nsluice: error: it threw"), std::string::npos) << text;
}
