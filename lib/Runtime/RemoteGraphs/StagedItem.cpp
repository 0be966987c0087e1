//===- StagedItem.cpp - One item of a stream on several ranks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rank of a stage receives one message from each rank with bytes that it
// needs, and from the previous one also all values that nodes have computed so
// far.
//
//===----------------------------------------------------------------------===//

#include "StagedItem.h"

#include "../Execution/Executor.h"
#include "../Scheduling/Clock.h"
#include "RunNodes.h"

#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Whether the compiler found that a node may run on another rank.
static bool isMovable(const SluicePlanNode &node) {
  return node.share && !node.share->problem[0];
}

/// For each node, whether a stage other than the first may begin with it: at
/// least all nodes that stay on rank 0 come before it, and nodes joined by
/// one-to-one edges stay together.
static std::vector<char> findCuts(const PlanInfo &info) {
  const auto count = static_cast<uint32_t>(info.nodes.size());
  std::vector<char> mayCut(count + 1, true);
  mayCut[0] = false;
  for (const GroupInfo &group : info.groups) {
    const auto [first, last] =
        std::minmax_element(group.nodes.begin(), group.nodes.end());
    for (uint32_t i = *first + 1; i <= *last; ++i)
      mayCut[i] = false;
  }
  for (uint32_t i = 0; i < count; ++i)
    if (!isMovable(*info.nodes[i].node))
      std::fill(mayCut.begin(), mayCut.begin() + i + 1, false);
  return mayCut;
}

std::string sluice::whyNotStaged(const PlanInfo &info) {
  const std::vector<char> mayCut = findCuts(info);
  if (std::find(mayCut.begin(), mayCut.end() - 1, true) != mayCut.end() - 1)
    return "";
  if (info.nodes.size() < 2)
    return "it is a stream of one stage";
  const NodeInfo &last = info.nodes.back();
  if (!last.node->share)
    return "the program was built without what ranks need";
  if (!isMovable(*last.node))
    return concat("it is a stream whose last stage, ", nodeText(*last.node),
                  ", stays there: ", last.node->share->problem);
  return "it is a stream whose stages one-to-one edges join";
}

StageMap sluice::divideStages(const std::vector<char> &mayCut,
                              const std::vector<uint64_t> &times,
                              uint32_t numRanks) {
  const auto count = static_cast<uint32_t>(times.size());
  auto timeOf = [&](uint32_t first, uint32_t end) {
    uint64_t time = 0;
    for (uint32_t i = first; i < end; ++i)
      time += times[i];
    return time;
  };
  // For a number of further stages for the nodes from one on: the time of the
  // longest stage, and the beginning of the second.
  struct Choice {
    uint64_t longest = UINT64_MAX;
    uint32_t next = 0;
  };
  const uint32_t most = std::min(numRanks, count);
  std::vector<std::vector<Choice>> choices(most, std::vector<Choice>(count));
  for (uint32_t first = 0; first < count; ++first)
    choices[0][first] = {timeOf(first, count), count};
  for (uint32_t more = 1; more < most; ++more)
    for (uint32_t first = 0; first < count; ++first)
      for (uint32_t cut = first + 1; cut < count; ++cut) {
        const uint64_t rest = choices[more - 1][cut].longest;
        const uint64_t longest = std::max(timeOf(first, cut), rest);
        Choice &best = choices[more][first];
        if (mayCut[cut] && longest < best.longest)
          best = {longest, cut};
      }
  // Takes the solution with the fewest stages among equally good ones.
  uint32_t more = 0;
  for (uint32_t i = 1; i < most; ++i)
    if (choices[i][0].longest < choices[more][0].longest)
      more = i;
  StageMap map;
  uint32_t first = 0;
  for (uint32_t left = more + 1; left != 0; --left) {
    map.firstNodes.push_back(first);
    first = choices[left - 1][first].next;
  }
  map.firstNodes.push_back(count);
  return map;
}

StageMap sluice::placeStages(const PlanInfo &info,
                             const std::vector<uint64_t> &times,
                             uint32_t numRanks) {
  return divideStages(findCuts(info), times, numRanks);
}

//===----------------------------------------------------------------------===//
// What a stage needs
//===----------------------------------------------------------------------===//

bool sluice::isAllTracked(const RankState &state, const StagedItem &item) {
  const PlanInfo &info = item.instance.info;
  for (size_t i = 0; i < info.pointers.size(); ++i) {
    const uintptr_t start = item.pointers[i];
    if (!start)
      continue;
    uint64_t size = 1;
    if (info.pointers[i].sizeOffset != SLUICE_NO_OFFSET)
      std::memcpy(&size, item.instance.frame + info.pointers[i].sizeOffset,
                  sizeof size);
    if (size && state.directory.objectOf({start, start + size}).isEmpty())
      return false;
  }
  return true;
}

/// The bytes that the nodes of a stage use.
static RankShare useOf(const RankState &state, const StagedItem &item,
                       uint32_t stage) {
  const SharedLaunch launch = {item.instance.info, item.instance.frame,
                               item.pointers, state.directory,
                               state.link.numRanks()};
  RankShare use = {stage, {0, 0}, {}, {}};
  for (uint32_t i = item.map.firstNodes[stage];
       i < item.map.firstNodes[stage + 1]; ++i) {
    RankShare own = wholeNode(launch, item.instance.info.nodes[i], {});
    use.read.insert(use.read.end(), own.read.begin(), own.read.end());
    use.written.insert(use.written.end(), own.written.begin(),
                       own.written.end());
  }
  join(use.read);
  join(use.written);
  return use;
}

/// Whether an earlier item or node has failed, and the values of all nodes
/// before a stage.
static std::vector<StageMail::Piece>
valuesBefore(const StagedItem &item, uint32_t node, char &hasFailed) {
  std::vector<StageMail::Piece> pieces = {{&hasFailed, 1}};
  for (uint32_t i = 0; i < node; ++i) {
    const SluicePlanNode &plan = *item.instance.info.nodes[i].node;
    for (uint32_t k = 0; k < plan.numOutputs; ++k)
      if (const SluicePlanOutput &output = plan.outputs[k];
          output.frameOffset != SLUICE_NO_OFFSET && output.size != 0 &&
          !isForward(plan, output))
        pieces.push_back(
            {reinterpret_cast<char *>(item.instance.frame + output.frameOffset),
             output.size});
  }
  return pieces;
}

/// Sets outputs that are inputs, for all nodes before `node`.
static void forwardBefore(const StagedItem &item, uint32_t node) {
  for (uint32_t i = 0; i < node; ++i)
    setForwards(*item.instance.info.nodes[i].node, item.instance.frame);
}

/// The message from `peer` to the rank of a stage; empty if there is none.
static std::vector<StageMail::Piece>
messageFrom(const RankState &state, const StagedItem &item, uint32_t stage,
            uint32_t peer, std::span<const RankMove> moves, char &hasFailed) {
  std::vector<StageMail::Piece> pieces;
  if (peer + 1 == stage)
    pieces = valuesBefore(item, item.map.firstNodes[stage], hasFailed);
  for (const RankMove &move : moves)
    if (move.from == peer)
      pieces.push_back(
          {reinterpret_cast<char *>(state.memory.at(move.bytes.begin)),
           move.bytes.size()});
  return pieces;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static void runNode(Executor &executor, GraphInstance &instance, NodeRun &run) {
  const NodeInfo &info = *run.info;
  NodeCounts counts;
  if (!findExtents(instance, run, counts) || !checkGroup(instance, run))
    return;
  if (info.hasArrays)
    if (Status status =
            allocateArrays(*info.node, run.invocation.extents, instance.frame,
                           counts.empty, instance.memory);
        !status.ok())
      return instance.fail(std::move(status));
  if (counts.empty)
    zeroOutputs(*info.node, instance.frame);
  else
    runUnits(executor, instance, run, counts, {0, counts.units});
  setForwards(*info.node, instance.frame);
}

bool sluice::runStages(RankState &state, StageMail &mail, Executor &executor,
                       const StagedItem &item, char &hasFailed,
                       std::vector<uint64_t> *times) {
  GraphInstance &instance = item.instance;
  const uint32_t own = state.link.rank();
  const uint32_t numStages = item.map.numStages();
  instance.makeRuns();
  for (uint32_t stage = 0; stage < numStages; ++stage) {
    const RankShare use = useOf(state, item, stage);
    std::vector<RankMove> moves;
    for (const ByteRange &bytes : use.read)
      for (const ByteRange &part : state.directory.trackedIn(bytes))
        state.directory.findMissing(stage, part, moves);
    state.directory.arrived(moves);
    for (const ByteRange &bytes : use.written)
      for (const ByteRange &part : state.directory.trackedIn(bytes))
        state.directory.write(stage, part);
    for (uint32_t peer = 0; peer < state.link.numRanks(); ++peer) {
      if (peer == stage || (own != peer && own != stage))
        continue;
      char failed = char(hasFailed || instance.failed());
      const std::vector<StageMail::Piece> pieces =
          messageFrom(state, item, stage, peer, moves, failed);
      if (pieces.empty())
        continue;
      if (own == peer) {
        mail.send(StageMail::ToStage, stage, item.number, pieces);
      } else {
        mail.receive(peer, item.number, pieces);
        hasFailed |= failed;
      }
    }
    if (own != stage)
      continue;
    forwardBefore(item, item.map.firstNodes[stage]);
    for (uint32_t i = item.map.firstNodes[stage];
         i < item.map.firstNodes[stage + 1]; ++i) {
      if (hasFailed || instance.failed())
        break;
      const uint64_t start = times ? clockNanoseconds() : 0;
      runNode(executor, instance, instance.runs[i]);
      if (times)
        (*times)[i] = clockNanoseconds() - start;
    }
  }
  hasFailed |= instance.failed();
  const uint32_t numNodes = item.map.firstNodes.back();
  if (numStages > 1 && own + 1 == numStages)
    mail.send(StageMail::Result, 0, item.number,
              valuesBefore(item, numNodes, hasFailed));
  if (numStages > 1 && own == 0)
    mail.expect(numStages - 1, item.number,
                valuesBefore(item, numNodes, hasFailed));
  return hasFailed;
}

void sluice::finishStages(const StagedItem &item) {
  forwardBefore(item, item.map.firstNodes.back());
}
