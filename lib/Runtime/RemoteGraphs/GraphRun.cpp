//===- GraphRun.cpp - One launch on all ranks -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks decide the same, because they decide by values that are the same on
// all ranks: arguments, extents, and outputs of nodes, which rank 0 sends. The
// value of a node is that of its last instance, so rank 0 gets the value from
// the rank of the last slab.
//
//===----------------------------------------------------------------------===//

#include "GraphRun.h"

#include "../Execution/Executor.h"
#include "../Execution/KernelCall.h"
#include "Folds/Accumulate.h"
#include "Folds/ChangedMemory.h"
#include "Folds/SharedFold.h"
#include "RunNodes.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

namespace {
class GraphRun {
public:
  GraphRun(RankState &state, Executor &executor, GraphInstance &instance,
           std::span<const uintptr_t> pointers, const NodeRemark &remark)
      : state(state), executor(executor),
        instance(instance), launch{instance.info, instance.frame, pointers,
                                   state.directory, state.link.numRanks()},
        remark(remark) {}

  void run();

private:
  bool runNode(NodeRun &run);
  bool bringMemory(const std::vector<RankShare> &shares);
  bool runFold(NodeRun &run, const NodeCounts &counts,
               const std::vector<RankShare> &shares);
  bool takeOutputs(const SluicePlanNode &node, uint32_t owner);
  bool tellOutputs(const SluicePlanNode &node, bool hasFailed);
  bool isHome() const { return state.link.rank() == 0; }

  RankState &state;
  Executor &executor;
  GraphInstance &instance;
  const SharedLaunch launch;
  const NodeRemark &remark;
};
} // namespace

/// Moves what shares need and notes what they write.
bool GraphRun::bringMemory(const std::vector<RankShare> &shares) {
  std::vector<RankMove> moves;
  for (const RankShare &share : shares)
    for (const ByteRange &bytes : share.read)
      for (const ByteRange &part : state.directory.trackedIn(bytes))
        state.directory.findMissing(share.rank, part, moves);
  state.directory.arrived(moves);
  for (const RankShare &share : shares)
    for (const ByteRange &bytes : share.written)
      for (const ByteRange &part : state.directory.trackedIn(bytes))
        state.directory.write(share.rank, part);
  Status status = state.move(moves);
  if (!status.ok())
    instance.fail(std::move(status));
  return !instance.failed();
}

/// Runs `body(index)` for all indices, on all workers.
static bool callAll(Executor &executor, GraphInstance &instance,
                    const SluicePlanNode &node,
                    const std::function<void(uint64_t)> &body, uint64_t count) {
  struct Loop {
    GraphInstance &instance;
    const SluicePlanNode &node;
    const std::function<void(uint64_t)> &body;

    static int32_t run(void *context, int64_t index) {
      auto &loop = *static_cast<Loop *>(context);
      Worker &worker = *Worker::current();
      worker.insideKernel = true;
      try {
        loop.body(static_cast<uint64_t>(index));
      } catch (...) {
        loop.instance.fail(kernelError(worker, loop.node));
        return 1;
      }
      worker.insideKernel = false;
      return 0;
    }
  } loop = {instance, node, body};
  executor.parallelFor(Loop::run, &loop, 0, static_cast<int64_t>(count));
  return !instance.failed();
}

/// The shares of a node that reduces or scans, and what all of them come to.
/// False: a rank has failed that this one has something from.
bool GraphRun::runFold(NodeRun &run, const NodeCounts &counts,
                       const std::vector<RankShare> &shares) {
  const SluicePlanNode &node = *run.info->node;
  const uint32_t own = state.link.rank();
  if (own >= shares.size())
    return true;
  if (Status status =
          allocateArrays(node, run.invocation.extents, instance.frame,
                         /*zeroed=*/false, instance.memory);
      !status.ok()) {
    // So that nobody writes there.
    std::memset(instance.frame + node.outputs[node.numOutputs - 1].arrayOffset,
                0, sizeof(void *));
    instance.fail(std::move(status));
  }
  SharedFold fold(state.link, node, run.invocation.extents, instance.frame,
                  shares);
  fold.begin();
  runUnits(executor, instance, run, counts, shares[own].units);
  auto all = [&](const std::function<void(uint64_t)> &body, uint64_t count) {
    return callAll(executor, instance, node, body, count);
  };
  auto one = [&](const std::function<void()> &body) {
    return all([&](uint64_t) { body(); }, 1);
  };
  Result<bool> isGood = fold.finish(instance.failed(), one, all);
  if (isGood.ok())
    return *isGood;
  instance.fail(isGood.takeStatus());
  return false;
}

/// Whether a node makes other values than those of its inputs.
static bool makesValues(const SluicePlanNode &node) {
  return std::any_of(node.outputs, node.outputs + node.numOutputs,
                     [&](const SluicePlanOutput &output) {
                       return output.frameOffset != SLUICE_NO_OFFSET &&
                              !isForward(node, output);
                     });
}

/// Rank 0 gets the outputs of a shared node from `owner`. False: that one has
/// failed, and its error comes at the end of the launch.
bool GraphRun::takeOutputs(const SluicePlanNode &node, uint32_t owner) {
  const bool isOwner = state.link.rank() == owner;
  if (!isOwner && !isHome())
    return true;
  std::vector<char> bytes = {char(instance.failed())};
  forEachOutput(node, instance.frame, [&](char *value, uint64_t size) {
    bytes.insert(bytes.end(), value, value + size);
  });
  RankMessage message = {
      isOwner, isOwner ? 0 : owner, {{bytes.data(), bytes.size()}}};
  if (Status status = state.link.exchange({&message, 1}); !status.ok())
    instance.fail(std::move(status));
  const char *at = bytes.data() + 1;
  if (isHome())
    forEachOutput(node, instance.frame, [&](char *value, uint64_t size) {
      std::memcpy(value, at, size);
      at += size;
    });
  return bytes.front() == 0;
}

/// Rank 0 tells the others what a node returned, or that the launch has failed.
/// False: it has.
bool GraphRun::tellOutputs(const SluicePlanNode &node, bool hasFailed) {
  std::vector<char> bytes;
  if (isHome()) {
    bytes.push_back(char(hasFailed || instance.failed()));
    forEachOutput(node, instance.frame, [&](char *value, uint64_t size) {
      bytes.insert(bytes.end(), value, value + size);
    });
  }
  Status status = state.link.broadcast(bytes);
  if (!status.ok())
    instance.fail(std::move(status));
  if (!isHome()) {
    const char *at = bytes.data() + 1;
    forEachOutput(node, instance.frame, [&](char *value, uint64_t size) {
      std::memcpy(value, at, size);
      at += size;
    });
  }
  return bytes.front() == 0;
}

/// False: the launch has failed, and all ranks know it.
bool GraphRun::runNode(NodeRun &run) {
  const NodeInfo &info = *run.info;
  const SluicePlanNode &node = *info.node;
  NodeCounts counts;
  if (!findExtents(instance, run, counts) || !checkGroup(instance, run))
    return false;
  if (counts.empty) {
    // Only rank 0 has arrays of values.
    if (info.hasArrays && isHome())
      if (Status status =
              allocateArrays(node, run.invocation.extents, instance.frame,
                             /*zeroed=*/true, instance.memory);
          !status.ok())
        instance.fail(std::move(status));
    zeroOutputs(node, instance.frame);
    return true;
  }
  ShareReason reason;
  const auto [shares, compared] =
      shareNode(launch, info, run.invocation.extents, counts, reason);
  if (remark && reason)
    remark(node, reason);
  bringMemory(shares);
  const bool isAlone = shares.size() == 1;
  std::optional<Accumulation> accumulation;
  if (!isAlone && node.share->numAccumulated != 0)
    accumulation.emplace(state, launch, node, shares);
  if (accumulation)
    accumulation->begin();
  ChangedMemory changed(state, launch, node, shares, compared);
  changed.begin();
  if (isAlone && isHome() && info.hasArrays && !instance.failed())
    if (Status status =
            allocateArrays(node, run.invocation.extents, instance.frame,
                           /*zeroed=*/false, instance.memory);
        !status.ok())
      instance.fail(std::move(status));
  bool hasCopies = true;
  if (!isAlone && isFold(node))
    hasCopies = runFold(run, counts, shares);
  else
    for (const RankShare &share : shares)
      if (share.rank == state.link.rank())
        runUnits(executor, instance, run, counts, share.units);
  if (accumulation)
    if (Status status = accumulation->finish(); !status.ok())
      instance.fail(std::move(status));
  if (Status status = changed.finish(); !status.ok())
    instance.fail(std::move(status));
  const bool isLast = info.index + 1 == instance.info.nodes.size();
  // False only where all ranks know it.
  bool isGood = true;
  if (!isAlone && makesValues(node)) {
    isGood = takeOutputs(node, shares.back().rank) && hasCopies;
    if (!isLast)
      isGood = tellOutputs(node, /*hasFailed=*/!isGood);
  } else if (isAlone && !isLast) {
    isGood = tellOutputs(node, /*hasFailed=*/false);
  }
  // After the last one, only rank 0 has results to give.
  setForwards(node, instance.frame);
  return isGood;
}

void GraphRun::run() {
  instance.makeRuns();
  for (uint32_t i = 0; i < instance.info.nodes.size(); ++i)
    if (!runNode(instance.runs[i]))
      break;
  std::string error;
  if (instance.failed() && !isHome())
    error = concat("rank ", state.link.rank(), ": ",
                   instance.takeError().message());
  error = state.link.firstError(std::move(error));
  if (isHome() && !error.empty())
    instance.fail(Status::error(StatusCode::NodeFailed, std::move(error)));
}

void sluice::runOnRanks(RankState &state, Executor &executor,
                        GraphInstance &instance,
                        std::span<const uintptr_t> pointers,
                        const NodeRemark &remark) {
  GraphRun(state, executor, instance, pointers, remark).run();
}
