//===- PlacementTimesTest.cpp ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places that are chosen by times, and times that outlive their process.
//
//===----------------------------------------------------------------------===//

#include "Testing/PlacementTest.h"

using namespace sluice;
using namespace sluice::test;

namespace {
class PlacementTimes : public PlacementTest {};

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

TEST_F(PlacementTimes, HistoryTriesAllPlacesThenTakesTheFastest) {
  start();
  PlacedPlan plan({either});
  PlanInfo &info = prepare(plan.finish());
  const uint64_t times[] = {3000, 1000, 2000};
  unsigned counts[3] = {};
  for (uint64_t i = 0; i < 40; ++i) {
    NodePlace place = chooseAll(info, i)[0];
    ++counts[place.place];
    if (place.wantsTiming)
      placement->addTiming(info.nodes[0], place, times[place.place]);
  }
  EXPECT_EQ(counts[0], 3u);
  EXPECT_EQ(counts[1], 34u);
  EXPECT_EQ(counts[2], 3u);
}

TEST_F(PlacementTimes, TheFirstRunOfAKernelDoesNotDecide) {
  options.names = {"opencl:0"};
  start();
  PlacedPlan plan({either});
  PlanInfo &info = prepare(plan.finish());
  std::vector<bool> areCold;
  for (uint64_t i = 0; i < 7; ++i) {
    NodePlace place = chooseAll(info, i)[0];
    EXPECT_EQ(place.place, i < 3 ? hostPlace : 1u);
    areCold.push_back(place.isCold);
    if (place.wantsTiming)
      placement->addTiming(info.nodes[0], place,
                           place.isCold               ? 1000000
                           : place.place == hostPlace ? 1000
                                                      : 500);
  }
  EXPECT_EQ(areCold, (std::vector<bool>{0, 0, 0, 1, 0, 0, 0}));
}

TEST_F(PlacementTimes, SizesAreInstancesAndBytes) {
  start();
  PlacedPlan plan({either}, 100);
  PlanInfo &info = prepare(plan.finish());
  bytes = 1 << 20;
  EXPECT_EQ(chooseAll(info)[0].size, (1u << 20) + 100);
  bytes = UINT64_MAX;
  EXPECT_EQ(chooseAll(info)[0].size, UINT64_MAX);
}

TEST_F(PlacementTimes, ExtentsOfArgumentsCountAndImpossibleOnesDoNot) {
  start();
  PlacedPlan plan({});
  uint32_t node = plan.builder.node(
      "graph/sized", [](const SluiceInvocation *, uint64_t, uint64_t) {},
      [](const unsigned char *frame, int64_t *extents) {
        std::memcpy(extents, frame + 8, 8);
        extents[1] = extents[2] = 2;
      });
  plan.builder.at(node).device = &plan.kernel;
  plan.builder.at(node).target = gpu;
  plan.builder.at(node).deviceProblem = "";
  PlanInfo &info = prepare(plan.finish());
  bytes = 10;
  EXPECT_EQ(chooseAll(info)[0].size, 10u + 40u);
  bytes = UINT64_MAX - 100;
  EXPECT_EQ(chooseAll(info)[0].size, UINT64_MAX - 100);
}

//===----------------------------------------------------------------------===//
// Times from run to run
//===----------------------------------------------------------------------===//

TEST_F(PlacementTimes, TimesAreKeptForTheNextProcess) {
  start();
  PlacedPlan plan({either});
  PlanInfo &info = prepare(plan.finish());
  const uint64_t times[] = {1000, 3000, 2500};
  for (uint64_t i = 0; i < 20; ++i) {
    NodePlace place = chooseAll(info, i)[0];
    if (place.wantsTiming)
      placement->addTiming(info.nodes[0], place, times[place.place]);
  }
  EXPECT_EQ(placement->saveHistory().message(), "");
  std::vector<DeviceTiming> kept = readDeviceHistory(cache.path);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].hash, plan.hash);
  EXPECT_EQ(kept[0].program, "placed.c");
  EXPECT_EQ(kept[0].node, "graph/n0");
  EXPECT_EQ(kept[0].place, "host, 4 workers");
  EXPECT_EQ(kept[1].place, "opencl:0, test opencl:0");
  EXPECT_EQ(kept[1].median(), 3000u);
  EXPECT_EQ(kept[0].sizeClass, 6u);

  start();
  PlanInfo &again = prepare(plan.finish());
  for (uint64_t i = 0; i < 10; ++i)
    EXPECT_EQ(choose(again, i), hostPlace);
  plan.hash = "another program";
  PlanInfo &other = prepare(plan.finish());
  unsigned numElsewhere = 0;
  for (uint64_t i = 0; i < 10; ++i)
    numElsewhere += choose(other, i) != hostPlace;
  EXPECT_EQ(numElsewhere, 6u);
}

TEST_F(PlacementTimes, TimesThatAreNotToBeKeptAreNot) {
  setPolicy("history:off");
  start();
  PlacedPlan plan({either});
  PlanInfo &info = prepare(plan.finish());
  NodePlace place = chooseAll(info)[0];
  EXPECT_TRUE(place.wantsTiming);
  placement->addTiming(info.nodes[0], place, 5);
  EXPECT_EQ(placement->saveHistory().message(), "");
  EXPECT_NE(::access(deviceHistoryFile(cache.path).c_str(), F_OK), 0);
}

TEST_F(PlacementTimes, ChangesShowInTraces) {
  std::string path = cache.path + "/t.json";
  Result<std::unique_ptr<Trace>> trace = Trace::create(path, 1);
  ASSERT_TRUE(trace.ok());
  setPolicy("iteration:opencl:0,opencl:0,host");
  start(trace->get());
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  for (uint64_t i = 0; i < 6; ++i)
    choose(info, i);
  EXPECT_TRUE((*trace)->write(true).ok());
  std::string text;
  char block[4096];
  std::FILE *file = std::fopen(path.c_str(), "r");
  while (size_t size = std::fread(block, 1, sizeof(block), file))
    text.append(block, size);
  std::fclose(file);
  auto count = [&](const char *part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos;
         at = text.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("\"graph/n0 on opencl:0\""), 2u) << text;
  EXPECT_EQ(count("\"graph/n0 on host\""), 2u);
  EXPECT_EQ(count("\"policy\":\"iteration\""), 4u);
  EXPECT_EQ(count("\"labels\":\"test opencl:1\""), 1u);
  start();
}
} // namespace
