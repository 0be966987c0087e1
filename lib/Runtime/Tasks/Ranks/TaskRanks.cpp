//===- TaskRanks.cpp - The ranks of a task graph --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All communication between ranks uses one call that gathers equal numbers of
// bytes, of which those of rank 0 are used.
//
//===----------------------------------------------------------------------===//

#include "TaskRanks.h"

#include "../../Cluster/Failures.h"
#include "../../Cluster/OpenCluster.h"
#include "../../Host/HostAPI.h"
#include "TaskTimes.h"

#include "sluice/Base/Text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// The ranks of the process
//===----------------------------------------------------------------------===//

static std::optional<TaskRanks> theRanks;
static bool hasEndedWell = false, hasNamedFailure = false;

/// Runs after all other exit handlers, including Python's, which may use MPI. A
/// rank that ends early ends the others, which would wait for it.
static void leaveRanks(int status, void *) {
  const SluiceCluster &cluster = theRanks->cluster;
  if (hasEndedWell && status == 0)
    return leaveMPI(cluster);
  endAllRanks(cluster, status, hasNamedFailure || endsByError());
}

/// All ranks have found the same problem; rank 0 prints it and ends them.
[[noreturn]] static void waitForTheEnd(const SluiceCluster &cluster) {
  std::vector<char> all(cluster.numRanks);
  cluster.gather(cluster.context, "", 1, all.data());
  std::_Exit(1);
}

static bool hasForms(const SluiceTaskProgram &program) {
  for (uint32_t i = 0; i < program.numTasks; ++i)
    if (program.tasks[i].kind == SLUICE_TASK_FEM)
      return true;
  return false;
}

static bool hasPython(const SluiceTaskProgram &program) {
  for (uint32_t i = 0; i < program.numTasks; ++i)
    if (program.tasks[i].kind == SLUICE_TASK_PYTHON)
      return true;
  return hasForms(program);
}

Status tasks::openTaskRanks(const SluiceTaskProgram &program,
                            std::string placeFile) {
  // Python's modules call MPI from their own thread.
  Result<const SluiceCluster *> cluster =
      hasPython(program) ? openSharedCluster() : openCluster();
  if (!cluster.ok())
    return cluster.takeStatus();
  if (!*cluster)
    return placeFile.empty()
               ? Status()
               : Status::invalidArgument("--place is for several ranks, but "
                                         "this process runs alone");
  theRanks.emplace(TaskRanks{**cluster, std::move(placeFile)});
  ::on_exit(leaveRanks, nullptr);
  const std::string_view name = (*cluster)->name;
  if (!hasForms(program) || name.starts_with("Open MPI"))
    return {};
  if ((*cluster)->rank != 0)
    waitForTheEnd(**cluster);
  return Status::error(StatusCode::System,
                       concat("finite-element tasks use DOLFINx, which is "
                              "made for Open MPI, but this program was started "
                              "by ",
                              name));
}

const TaskRanks *tasks::taskRanks() { return theRanks ? &*theRanks : nullptr; }

void tasks::noteNamedFailure() { hasNamedFailure = true; }

void tasks::endTaskRanks() {
  hasEndedWell = true;
  // Python's modules may finalize MPI before `leaveRanks` runs.
  if (theRanks)
    endWatch(theRanks->cluster);
}

//===----------------------------------------------------------------------===//
// Agreeing
//===----------------------------------------------------------------------===//

namespace {
struct RankWords {
  uint32_t numWorkers, isAlone, isGood, reserved;
};
} // namespace

/// The data of rank 0; its size is equal on all ranks.
template <typename Element>
static void takeFromFirst(const SluiceCluster &cluster,
                          std::vector<Element> &elements) {
  if (elements.empty())
    return;
  std::vector<Element> all(elements.size() * cluster.numRanks);
  cluster.gather(cluster.context, elements.data(),
                 static_cast<uint32_t>(elements.size() * sizeof(Element)),
                 all.data());
  std::copy_n(all.begin(), elements.size(), elements.begin());
}

static Result<std::vector<uint32_t>>
placesOfFile(const TaskRanks &ranks, const SluiceTaskProgram &program) {
  std::vector<uint32_t> places(program.numTasks, PlacingFacts::anywhere);
  if (!ranks.placeFile.empty()) {
    std::ifstream file(ranks.placeFile);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
      return Status::invalidArgument(
          concat("cannot read ", quoted(ranks.placeFile)));
    Result<std::vector<uint32_t>> read = readPlaces(
        program, text.str(), ranks.placeFile, ranks.cluster.numRanks);
    if (!read.ok())
      return read;
    places = std::move(*read);
  }
  if (Status status = addNeeds(program, places); !status.ok())
    return status;
  return places;
}

Result<bool> tasks::agreeOnPlaces(const TaskRanks &ranks,
                                  const SluiceTaskProgram &program,
                                  Result<TaskMap> &map, uint32_t numWorkers,
                                  bool isAlone, std::vector<uint32_t> &places) {
  const SluiceCluster &cluster = ranks.cluster;
  PlacingFacts facts;
  facts.wanted.resize(program.numTasks);
  facts.times.resize(program.numTasks);
  Status problem;
  if (!map.ok())
    problem = map.takeStatus();
  else if (cluster.rank == 0) {
    Result<std::vector<uint32_t>> wanted = placesOfFile(ranks, program);
    if (wanted.ok())
      facts.wanted = std::move(*wanted);
    else
      problem = wanted.takeStatus();
    facts.times = readTimes(program);
  }
  std::vector<RankWords> words = {{numWorkers, isAlone, problem.ok(), 0}};
  takeFromFirst(cluster, words);
  if (!words[0].isGood) {
    if (cluster.rank != 0)
      waitForTheEnd(cluster);
    return problem;
  }
  if (words[0].isAlone)
    return false;
  takeFromFirst(cluster, facts.wanted);
  takeFromFirst(cluster, facts.times);
  facts.numRanks = cluster.numRanks;
  facts.numWorkers = std::max(1u, words[0].numWorkers);
  places = placeTasks(program, *map, facts);
  return true;
}

void tasks::keepTimes(const SluiceCluster &cluster,
                      const SluiceTaskProgram &program,
                      std::vector<uint64_t> times) {
  if (times.empty())
    return;
  const size_t count = times.size();
  std::vector<uint64_t> all(count * cluster.numRanks);
  cluster.gather(cluster.context, times.data(),
                 static_cast<uint32_t>(count * sizeof(uint64_t)), all.data());
  if (cluster.rank != 0)
    return;
  for (size_t i = 0; i < all.size(); ++i)
    times[i % count] = std::max(times[i % count], all[i]);
  writeTimes(program, times);
}
