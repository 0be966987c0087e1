//===- PlacementTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices are opened, and what each policy answers.
//
//===----------------------------------------------------------------------===//

#include "Testing/PlacementTest.h"

#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
class Placements : public PlacementTest {};

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST_F(Placements, NothingIsOpenedWithoutCodeForDevices) {
  start();
  PlacedPlan plan({cpu});
  plan.finish();
  plan.plan.deviceModule = nullptr;
  PlanInfo &info = prepare(plan.plan);
  EXPECT_EQ(NamedDevice::numOpened, 0u);
  EXPECT_FALSE(placement->isNeeded(info));
}

TEST_F(Placements, NamedDevicesAreOpenedOnceInTheirOrder) {
  options.names = {"opencl:1", "cuda"};
  start();
  PlacedPlan first({gpu}), second({gpu});
  prepare(first.finish());
  prepare(second.finish());
  ASSERT_EQ(devices->devices().size(), 2u);
  EXPECT_EQ(NamedDevice::numOpened, 2u);
  EXPECT_STREQ(devices->at(1)->name(), "opencl:1");
  EXPECT_STREQ(devices->at(2)->name(), "cuda:0");
  EXPECT_EQ(devices->at(2)->number, 2u);
  EXPECT_EQ(devices->at(0), nullptr);
}

TEST_F(Placements, ADeviceThatCannotBeOpenedIsAnErrorInEveryLaunch) {
  options.names = {"opencl:0", "opencl:7"};
  start();
  PlacedPlan plan({gpu});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(prepareError(plan.finish()),
              "SLUICE_DEVICE names 'opencl:7', which cannot be used: there is "
              "no such device");
  options.names = {"opencl:0", "opencl"};
  start();
  EXPECT_EQ(prepareError(plan.finish()),
            "SLUICE_DEVICE names 'opencl', which cannot be used: it is "
            "'opencl:0', which is in use already");
}

TEST_F(Placements, WithoutNamesTheFirstAcceleratorIsTaken) {
  options.names = {};
  start();
  PlacedPlan plan({gpu, cpu, either});
  PlanInfo &info = prepare(plan.finish());
  ASSERT_EQ(devices->devices().size(), 1u);
  EXPECT_STREQ(devices->at(1)->name(), "opencl:1");
  std::vector<NodePlace> places = chooseAll(info);
  EXPECT_EQ(places[0].place, 1u);
  EXPECT_EQ(places[1].place, hostPlace);
}

TEST_F(Placements, WithoutDevicesEverythingRunsOnTheHost) {
  options.names = {};
  options.find = NamedDevice::findNothing;
  start();
  PlacedPlan plan({gpu, either});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_FALSE(placement->isNeeded(info));
  for (const NodePlace &place : chooseAll(info))
    EXPECT_EQ(place.place, hostPlace);
}

TEST_F(Placements, TheHostAloneOpensNothing) {
  options.names = {};
  options.hostOnly = true;
  setPolicy("constant:opencl:0");
  start();
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_EQ(placement->placeNode(info, nullptr, "opencl:0").message(), "");
  EXPECT_EQ(NamedDevice::numOpened, 0u);
  EXPECT_EQ(choose(info), hostPlace);
}

TEST_F(Placements, TheBudgetReachesTheDevice) {
  options.memory = 4096;
  start();
  PlacedPlan plan({gpu});
  prepare(plan.finish());
  EXPECT_EQ(devices->at(1)->place().allocate(4097).status().code(),
            StatusCode::Exhausted);
  EXPECT_TRUE(devices->at(1)->place().allocate(4096).ok());
}

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

TEST_F(Placements, HintsDecideByThemselves) {
  setPolicy("node");
  start();
  PlacedPlan plan({cpu, gpu, either});
  std::vector<NodePlace> places = chooseAll(prepare(plan.finish()));
  EXPECT_EQ(places[0].place, hostPlace);
  EXPECT_EQ(places[1].place, 1u);
  EXPECT_EQ(places[2].place, 1u);
  EXPECT_FALSE(places[2].wantsTiming);
}

TEST_F(Placements, ConstantIsOnePlaceForAllButNodesOfTheHost) {
  setPolicy("constant:opencl:1");
  start();
  PlacedPlan plan({cpu, gpu, either});
  std::vector<NodePlace> places = chooseAll(prepare(plan.finish()));
  EXPECT_EQ(places[0].place, hostPlace);
  EXPECT_EQ(places[1].place, 2u);
  EXPECT_EQ(places[2].place, 2u);
  setPolicy("constant:host");
  start();
  EXPECT_EQ(chooseAll(prepare(plan.finish()))[1].place, hostPlace);
  setPolicy("constant:device");
  start();
  EXPECT_EQ(chooseAll(prepare(plan.finish()))[1].place, 1u);
}

TEST_F(Placements, APolicyMayOpenADeviceThatNobodyElseNames) {
  options.names = {};
  setPolicy("constant:opencl:3");
  start();
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  MemoryPlace place = choose(info);
  ASSERT_NE(place, hostPlace);
  EXPECT_STREQ(devices->at(place)->name(), "opencl:3");
}

TEST_F(Placements, APolicyMayNotNameADeviceThatTheUserLeftOut) {
  setPolicy("constant:cuda:0");
  start();
  PlacedPlan plan({gpu});
  EXPECT_EQ(prepareError(plan.finish()),
            "SLUICE_PLACEMENT: 'cuda:0' is none of the devices that "
            "SLUICE_DEVICE names; there are 'opencl:0', 'opencl:1'");
}

TEST_F(Placements, IterationsTakeTurns) {
  setPolicy("iteration");
  start();
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  for (uint64_t i = 0; i < 9; ++i)
    EXPECT_EQ(choose(info, i), i % 3);
  setPolicy("iteration:opencl:1,host,host");
  start();
  PlanInfo &other = prepare(plan.finish());
  for (uint64_t i = 0; i < 9; ++i)
    EXPECT_EQ(choose(other, i), i % 3 ? hostPlace : 2u);
}

TEST_F(Placements, StatusTakesTheDeviceWithTheLeastToDo) {
  setPolicy("status");
  start();
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_EQ(choose(info), 1u);
  devices->at(1)->kernelsEnqueued(1);
  EXPECT_EQ(choose(info), 2u);
  devices->at(2)->kernelsEnqueued(1);
  EXPECT_EQ(choose(info), 1u);
  devices->at(1)->kernelsEnqueued(1);
  devices->at(2)->kernelsEnqueued(1);
  EXPECT_EQ(choose(info), hostPlace);
  devices->at(2)->kernelsEnded(1);
  EXPECT_EQ(choose(info), 2u);
}

TEST_F(Placements, SharesAreForKernelsThatKnowWhatTheyTouch) {
  options.share = true;
  start();
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_FALSE(chooseAll(info)[0].isShared);
  plan.kernel.touch = [](const unsigned char *, const int64_t *, uint64_t,
                         uint64_t, SluiceDeviceRange *) {};
  EXPECT_TRUE(chooseAll(info)[0].isShared);
  EXPECT_EQ(placement->placeNode(info, nullptr, "host").message(), "");
  EXPECT_FALSE(chooseAll(info)[0].isShared);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_F(Placements, ProgramsPlaceNodesAndWhatIsBelow) {
  start();
  PlacedPlan plan({gpu, gpu});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_EQ(placement->placeNode(info, "graph/n1", "opencl:1").message(), "");
  EXPECT_EQ(chooseAll(info)[0].place, 1u);
  EXPECT_EQ(chooseAll(info)[1].place, 2u);
  EXPECT_EQ(placement->placeNode(info, "graph", "host").message(), "");
  EXPECT_EQ(chooseAll(info)[0].place, hostPlace);
  EXPECT_EQ(chooseAll(info)[1].place, hostPlace);
  EXPECT_EQ(placement->placeNode(info, nullptr, "default").message(), "");
  EXPECT_EQ(chooseAll(info)[1].place, 1u);
}

TEST_F(Placements, AProgramMayPlaceANodeOfTheHostOnADevice) {
  start();
  PlacedPlan plan({cpu});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_EQ(choose(info), hostPlace);
  EXPECT_EQ(placement->placeNode(info, "graph/n0", "device").message(), "");
  EXPECT_EQ(choose(info), 1u);
}

TEST_F(Placements, ANodeWithoutCodeIsSaidIfAProgramWantsItOnADevice) {
  start();
  PlacedPlan plan({cpu}, 64, "codeless");
  plan.builder.at(0).device = nullptr;
  PlanInfo &info = prepare(plan.finish());
  testing::internal::CaptureStderr();
  for (const char *where :
       {"host", "constant:host", "iteration:host", "node", "default"})
    EXPECT_EQ(placement->placeNode(info, "codeless/n0", where).message(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  for (const char *where : {"iteration", "opencl:0"})
    EXPECT_EQ(placement->placeNode(info, "codeless/n0", where).message(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sluice: warning: node 'codeless/n0' runs on the host: it has no "
            "code for devices; give it a hint, or build the program with "
            "--hint=either\n");
}

TEST_F(Placements, WhatIsSaidBeforeEveryLaunchIsKeptOnce) {
  start();
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  auto kept = [&](const char *where) {
    EXPECT_EQ(placement->placeNode(info, nullptr, where).message(), "");
    return info.nodes[0].placement->choice.load();
  };
  const PlacementChoice *host = kept("host"), *device = kept("opencl:0");
  EXPECT_NE(host, device);
  EXPECT_EQ(kept("constant:host"), host);
  EXPECT_EQ(kept("device"), device);
  EXPECT_NE(kept("iteration:host"), host);
}

TEST_F(Placements, WrongNamesAreErrorsThatNameTheRightOnes) {
  start();
  PlacedPlan plan({gpu, gpu});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_EQ(placement->placeNode(info, "graph/n", "host").message(),
            "graph 'graph' has no node 'graph/n'; its nodes are 'graph/n0', "
            "'graph/n1'");
  EXPECT_EQ(placement->placeNode(info, "graph/n0", "cuda:3").message(),
            "'cuda:3' is none of the devices that SLUICE_DEVICE names; there "
            "are 'opencl:0', 'opencl:1'");
  EXPECT_NE(placement->placeNode(info, "graph/n0", "gpu")
                .message()
                .find("'gpu' is no policy, expected"),
            std::string::npos);
  EXPECT_NE(placement->setPolicy("constant:gpu")
                .message()
                .find("names the place 'gpu'"),
            std::string::npos);
  options.names = {};
  start();
  PlanInfo &other = prepare(plan.finish());
  EXPECT_EQ(placement->placeNode(other, "graph/n0", "cuda:9").message(),
            "device 'cuda:9' cannot be used: there is no such device");
}

TEST_F(Placements, AProgramsPolicyGoesBeforeTheSetting) {
  setPolicy("constant:host");
  start();
  PlacedPlan plan({gpu});
  PlanInfo &info = prepare(plan.finish());
  EXPECT_EQ(choose(info), hostPlace);
  EXPECT_EQ(placement->setPolicy("constant:opencl:1").message(), "");
  EXPECT_EQ(choose(info), 2u);
  EXPECT_EQ(placement->placeNode(info, "graph/n0", "opencl:0").message(), "");
  EXPECT_EQ(choose(info), 1u);
  EXPECT_EQ(placement->placeNode(info, "graph/n0", "default").message(), "");
  EXPECT_EQ(placement->setPolicy("default").message(), "");
  EXPECT_EQ(choose(info), hostPlace);
}

TEST_F(Placements, FunctionsAreAskedWithAllThereIsToKnow) {
  start();
  PlacedPlan plan({gpu, either});
  PlanInfo &info = prepare(plan.finish());
  devices->at(2)->kernelsEnqueued(1);
  bytes = 1000;
  std::vector<std::string> asked;
  placement->setFunction(
      [](void *context, const SluicePlacementQuery *query) -> int {
        static_cast<std::vector<std::string> *>(context)->push_back(
            concat(query->graph, ' ', query->node, ' ', query->iteration, ' ',
                   query->size, ' ', query->target, ' ', query->numDevices, ' ',
                   query->devices[1].name, ' ', query->devices[1].isUsable, ' ',
                   query->devices[1].numInFlight));
        return query->target == SLUICE_TARGET_GPU ? 2 : 99;
      },
      &asked);
  std::vector<NodePlace> places = chooseAll(info, 5);
  EXPECT_EQ(places[0].place, 2u);
  EXPECT_EQ(places[1].place, hostPlace) << "a place that does not exist";
  EXPECT_EQ(asked, (std::vector<std::string>{
                       "graph graph/n0 5 1064 2 2 opencl:1 1 1",
                       "graph graph/n1 5 1064 3 2 opencl:1 1 1"}));
  EXPECT_EQ(placement->placeNode(info, "graph/n0", "opencl:0").message(), "");
  EXPECT_EQ(choose(info), 1u) << "placed nodes are not asked for";
  placement->setFunction(
      [](void *, const SluicePlacementQuery *) { return -1; }, nullptr);
  EXPECT_EQ(placement->placeNode(info, "graph/n0", "default").message(), "");
  EXPECT_EQ(choose(info), 1u) << "as without a function";
  placement->setFunction(nullptr, nullptr);
  EXPECT_EQ(choose(info), 1u);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(Placements, ADeviceThatFailsIsLeftAndSaidOnce) {
  start();
  PlacedPlan plan({gpu, gpu});
  PlanInfo &info = prepare(plan.finish());
  NamedDevice::isLost = true;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i)
    placement->nodeFailed(info.nodes[0], 1,
                          Status::error(StatusCode::System, "bus error"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sluice: warning: node 'graph/n0' failed on device opencl:0: bus "
            "error; the host goes on without it\n");
  EXPECT_FALSE(devices->at(1)->isUsable());
  EXPECT_EQ(chooseAll(info)[1].place, 2u) << "the next device";
}

TEST_F(Placements, ANodeThatFailsLeavesTheDeviceToOthers) {
  start();
  PlacedPlan plan({gpu, gpu}, 64, "alone");
  PlanInfo &info = prepare(plan.finish());
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i)
    placement->nodeFailed(info.nodes[0], 1,
                          Status::error(StatusCode::System, "no registers"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sluice: warning: node 'alone/n0' cannot run on device opencl:0: "
            "no registers; it runs on the host\n");
  EXPECT_EQ(chooseAll(info)[0].place, 2u);
  EXPECT_EQ(chooseAll(info)[1].place, 1u);
}

TEST_F(Placements, MemoryThatIsShortThreeTimesIsTooShort) {
  options.names = {"opencl:0"};
  start();
  PlacedPlan plan({gpu}, 64, "large");
  PlanInfo &info = prepare(plan.finish());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(choose(info), 1u);
    placement->nodeFailed(info.nodes[0], 1,
                          Status::error(StatusCode::Exhausted, "no room"));
  }
  EXPECT_EQ(choose(info), hostPlace);
}

TEST_F(Placements, ModulesThatCannotBeBuiltAreTriedOnce) {
  NamedDevice::failsToLoad = true;
  options.names = {"opencl:0"};
  start();
  PlacedPlan plan({gpu, gpu}, 64, "unbuilt");
  PlanInfo &info = prepare(plan.finish());
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i)
    for (const NodePlace &place : chooseAll(info))
      EXPECT_EQ(place.place, hostPlace);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("node 'unbuilt/n0' cannot run on device opencl:0: line "
                      "1: no such thing; it runs on the host\n"),
            std::string::npos)
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2);
  EXPECT_EQ(NamedDevice::numLoads, 1u);
}

TEST_F(Placements, NodesWithoutCodeAreSaidOnceIfADeviceWasNamed) {
  start();
  PlacedPlan plan({gpu}, 64, "coded"), other({gpu}, 64, "unnamed");
  plan.builder.at(0).device = nullptr;
  plan.builder.at(0).deviceProblem = "a.c:7:3: it calls 'printf'";
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(choose(prepare(plan.finish())), hostPlace);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sluice: warning: node 'coded/n0' runs on the host: a.c:7:3: it "
            "calls 'printf'\n");
  options.names = {};
  start();
  other.builder.at(0).device = nullptr;
  other.builder.at(0).deviceProblem = "a.c:7:3: it calls 'puts'";
  testing::internal::CaptureStderr();
  prepare(other.finish());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Placements, ThreadsMayChooseAndChangeRulesAtOnce) {
  start();
  PlacedPlan plan({gpu, either, either});
  PlanInfo &info = prepare(plan.finish());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 200; ++i) {
        for (uint32_t n = 0; const NodePlace &place : chooseAll(info, i)) {
          EXPECT_LE(place.place, 2u);
          if (place.wantsTiming)
            placement->addTiming(info.nodes[n], place, 1000 + i);
          ++n;
        }
        if (t == 0 && i % 10 == 0)
          EXPECT_TRUE(
              placement
                  ->placeNode(info, "graph/n0", i % 20 ? "host" : "opencl:1")
                  .ok());
        if (t == 1 && i % 50 == 0)
          EXPECT_TRUE(placement->saveHistory().ok());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
} // namespace
