//===- PlanInfo.cpp - A checked plan, ready to run ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans come from compiled files, perhaps of another version of the compiler,
// so nothing in them is used before it was checked.
//
//===----------------------------------------------------------------------===//

#include "PlanInfo.h"

#include "sluice-c/UsualExtents.h"
#include "sluice/Base/TableHead.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <bit>

using namespace sluice;

Status PlanInfo::planError(std::string what) const {
  return Status::invalidArgument(
      concat("plan ", quoted(plan.name), ": ", what));
}

Result<std::unique_ptr<PlanInfo>> PlanInfo::create(const SluicePlan &plan) {
  if (Status status = checkTable(plan); !status.ok())
    return status;
  if (plan.deviceModule)
    if (Status status = checkTable(*plan.deviceModule); !status.ok())
      return status;
  std::unique_ptr<PlanInfo> info(new PlanInfo(plan));
  if (Status status = info->checkValues(); !status.ok())
    return status;
  if (Status status = info->layOutStructure(); !status.ok())
    return status;
  if (Status status = info->readNodes(); !status.ok())
    return status;
  info->splitSuccessors();
  if (Status status = info->formGroups(); !status.ok())
    return status;
  info->findEnds();
  info->findMemoryUse();
  if (Status status = info->formTiles(); !status.ok())
    return status;
  info->layOutPlainNodes();
  return info;
}

static bool fitsFrame(const SluicePlan &plan, uint64_t offset, uint64_t size) {
  return offset <= plan.frameSize && size <= plan.frameSize - offset;
}

Status PlanInfo::checkValues() const {
  for (uint32_t i = 0; i < plan.numArguments; ++i) {
    const SluicePlanArgument &argument = plan.arguments[i];
    if (!fitsFrame(plan, argument.frameOffset, argument.size))
      return planError(concat("argument ", quoted(argument.name), " at ",
                              argument.frameOffset, " lies outside of the ",
                              plan.frameSize, " bytes of the frame"));
    bool isPointer = argument.flags & SLUICE_PORT_POINTER;
    if (isPointer && argument.size != sizeof(void *))
      return planError(concat("pointer argument ", quoted(argument.name),
                              " has ", argument.size, " bytes, expected ",
                              sizeof(void *)));
    if (argument.sizeArgument == SLUICE_NO_INDEX)
      continue;
    if (argument.sizeArgument >= plan.numArguments ||
        plan.arguments[argument.sizeArgument].size != 8)
      return planError(concat("argument ", quoted(argument.name),
                              " has no 64-bit size argument ",
                              argument.sizeArgument));
  }
  for (uint32_t i = 0; i < plan.numResults; ++i)
    if (!fitsFrame(plan, plan.results[i].frameOffset, plan.results[i].size))
      return planError(concat("result ", quoted(plan.results[i].name), " at ",
                              plan.results[i].frameOffset,
                              " lies outside of the ", plan.frameSize,
                              " bytes of the frame"));
  for (uint32_t i = 0; i < plan.numDisjointPairs; ++i)
    if (plan.disjointPairs[i].first >= plan.numArguments ||
        plan.disjointPairs[i].second >= plan.numArguments)
      return planError(concat(
          "pair ", i, " names argument ",
          std::max(plan.disjointPairs[i].first, plan.disjointPairs[i].second),
          " of ", plan.numArguments));
  for (uint32_t i = 0; i < plan.numDisjointPairs; ++i)
    for (uint32_t index :
         {plan.disjointPairs[i].first, plan.disjointPairs[i].second})
      if (!(plan.arguments[index].flags & SLUICE_PORT_POINTER))
        return planError(concat("pair ", i, " names argument ", index,
                                ", which is no pointer"));
  for (uint32_t i = 0; i < plan.numTables; ++i)
    if (Status status = checkTableSteps(plan, plan.tables[i]); !status.ok())
      return status;
  return {};
}

/// Memory that device kernels take as the arguments say is used as far as these
/// say. Roots declare arguments for the host's sake; leaves may write more.
void PlanInfo::findMemoryUse() {
  auto hasStatedSize = [&](const SluiceDeviceParameter &parameter) {
    if (parameter.kind != SLUICE_DEVICE_POINTER || parameter.memory)
      return true;
    if (parameter.argument >= plan.numArguments)
      return false;
    uint32_t size = plan.arguments[parameter.argument].sizeArgument;
    return size == SLUICE_NO_INDEX ||
           parameter.sizeOffset == plan.arguments[size].frameOffset;
  };
  for (uint32_t i = 0; i < plan.numArguments; ++i) {
    const SluicePlanArgument &argument = plan.arguments[i];
    bool isPointer = argument.flags & SLUICE_PORT_POINTER;
    pointerOf.push_back(isPointer ? pointers.size() : SLUICE_NO_INDEX);
    if (!isPointer)
      continue;
    uint64_t sizeOffset = SLUICE_NO_OFFSET;
    const bool isStreaming = argument.flags & SLUICE_PORT_STREAM;
    bool movesWithItems = isStreaming;
    if (argument.sizeArgument != SLUICE_NO_INDEX) {
      const SluicePlanArgument &size = plan.arguments[argument.sizeArgument];
      sizeOffset = size.frameOffset;
      movesWithItems |= (size.flags & SLUICE_PORT_STREAM) != 0;
    }
    // Pointers without attributes may be used in any way.
    pointers.push_back({argument.name, argument.frameOffset, sizeOffset,
                        argument.access != SLUICE_ACCESS_IN, isStreaming,
                        movesWithItems});
    numStreamingPointers += isStreaming;
  }
  for (uint32_t i = 0; i < plan.numDisjointPairs; ++i) {
    const PointerPair pair = {pointerOf[plan.disjointPairs[i].first],
                              pointerOf[plan.disjointPairs[i].second]};
    disjointPairs.push_back(pair);
    if (pointers[pair.first].movesWithItems ||
        pointers[pair.second].movesWithItems)
      movingPairs.push_back(pair);
  }
  for (uint32_t i = 0; i < plan.numTables; ++i)
    tables.push_back(std::make_unique<EntryTable>(plan, plan.tables[i]));
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    const SluicePlanNode &node = plan.nodes[i];
    for (uint32_t k = 0; k < node.numOperands; ++k)
      if (const SluicePlanOperand &operand = node.operands[k];
          operand.flags & SLUICE_PORT_POINTER &&
          operand.access & SLUICE_ACCESS_OUT &&
          operand.node == SLUICE_NO_INDEX && operand.index != SLUICE_NO_INDEX &&
          pointerOf[operand.index] != SLUICE_NO_INDEX)
        pointers[pointerOf[operand.index]].isWritten = true;
    for (uint32_t k = 0; node.device && k < node.device->numParameters; ++k)
      usesWholeObjects |= !hasStatedSize(node.device->parameters[k]);
  }
}

Status PlanInfo::layOutStructure() {
  uint64_t offset = 0;
  for (uint32_t i = 0; i < plan.numArguments; ++i) {
    const SluicePlanArgument &argument = plan.arguments[i];
    packedArguments.push_back(offset);
    if (!packedCopies.empty() &&
        packedCopies.back().to + packedCopies.back().size ==
            argument.frameOffset)
      packedCopies.back().size += argument.size;
    else
      packedCopies.push_back({offset, argument.frameOffset, argument.size});
    offset += argument.size;
    hasPointers |= (argument.flags & SLUICE_PORT_POINTER) != 0;
  }
  argumentSize = offset;
  for (uint32_t i = 0; i < plan.numResults; ++i) {
    resultOffsets.push_back(offset - argumentSize);
    packedResults.push_back(offset);
    offset += plan.results[i].size;
  }
  if (offset != plan.packedSize)
    return planError(concat("its packed structure has ", plan.packedSize,
                            " bytes, but the fields have ", offset));
  frameBytes = (plan.frameSize + 63) & ~UINT64_C(63);
  return {};
}

/// They are dimensions of one unit level, and all of the node runs by itself.
Status PlanInfo::checkOrderedDims(const SluicePlanNode &node) const {
  if (node.orderedDims == 0)
    return {};
  const auto level =
      static_cast<uint32_t>(std::countr_zero(node.orderedDims)) / 3;
  if (node.orderedDims >> (3 * level) > 7 || level >= node.numUnitLevels)
    return planError(concat(nodeText(node), " orders the dimensions ",
                            node.orderedDims, ", which are not of one of its ",
                            node.numUnitLevels, " unit levels"));
  bool hasOneToOne = node.numOneToOnePredecessors != 0;
  for (uint32_t i = 0; i < node.numSuccessors; ++i)
    hasOneToOne |= node.successors[i].replication == SLUICE_ONE_TO_ONE;
  if (hasOneToOne)
    return planError(concat(nodeText(node),
                            " has ordered dimensions and one-to-one orders"));
  return {};
}

Status PlanInfo::checkNode(uint32_t index) const {
  const SluicePlanNode &node = plan.nodes[index];
  if (!node.kernel)
    return planError(concat(nodeText(node), " has no kernel"));
  if (node.numIndexLevels > node.numUnitLevels ||
      node.numUnitLevels > node.numLevels)
    return planError(concat(nodeText(node), " has ", node.numIndexLevels,
                            " index levels, ", node.numUnitLevels,
                            " unit levels and ", node.numLevels, " levels"));
  if (node.numLevels && !node.extents && !node.constantExtents)
    return planError(concat(nodeText(node), " has no extents"));
  if (Status status = checkOrderedDims(node); !status.ok())
    return status;
  for (uint32_t i = 0; i < node.numOutputs; ++i) {
    const SluicePlanOutput &output = node.outputs[i];
    bool fits = (output.frameOffset == SLUICE_NO_OFFSET ||
                 fitsFrame(plan, output.frameOffset, output.size)) &&
                (output.arrayOffset == SLUICE_NO_OFFSET ||
                 fitsFrame(plan, output.arrayOffset, sizeof(void *)));
    if (output.arrayLevels > node.numLevels)
      return planError(concat(
          "the array of output ", quoted(output.name), " of ", nodeText(node),
          " spans ", output.arrayLevels, " of ", node.numLevels, " levels"));
    if (!fits)
      return planError(concat("output ", quoted(output.name), " of ",
                              nodeText(node), " lies outside of the ",
                              plan.frameSize, " bytes of the frame"));
  }
  for (uint32_t i = 0; i < node.numShape; ++i)
    if (node.shape[i].size > 8 ||
        !fitsFrame(plan, node.shape[i].frameOffset, node.shape[i].size))
      return planError(concat("shape value ", i, " of ", nodeText(node),
                              " lies outside of the frame"));
  for (uint32_t i = 0; i < node.numUses; ++i)
    if (node.uses[i].memory >= plan.numMemories)
      return planError(concat(nodeText(node), " uses memory ",
                              node.uses[i].memory, " of ", plan.numMemories));
  for (uint32_t i = 0; i < node.numOperands; ++i)
    if (node.operands[i].flags & SLUICE_PORT_POINTER &&
        node.operands[i].node == SLUICE_NO_INDEX &&
        node.operands[i].index != SLUICE_NO_INDEX &&
        node.operands[i].index >= plan.numArguments)
      return planError(concat(nodeText(node), " takes argument ",
                              node.operands[i].index, " of ",
                              plan.numArguments));
  for (uint32_t i = 0; node.touch && i < node.numTouched; ++i)
    if (node.touched[i] >= plan.numArguments)
      return planError(concat(nodeText(node), " touches argument ",
                              node.touched[i], " of ", plan.numArguments));
  if (const SluicePlanShare *share = node.share; share && share->touch) {
    for (uint32_t i = 0; i < share->numTouched; ++i)
      if (share->touched[i] >= plan.numArguments)
        return planError(concat(nodeText(node), " touches argument ",
                                share->touched[i], " of ", plan.numArguments));
    const SluicePlanFold &fold = share->fold;
    if ((fold.combine || fold.join) &&
        (node.numOutputs == 0 || fold.numLevels + 2 > node.numLevels ||
         node.outputs[node.numOutputs - 1].arrayLevels != 2))
      return planError(concat(nodeText(node), " has no copies to join"));
    for (uint32_t i = 0; i < fold.numReduced; ++i)
      if (fold.reduced[i] >= plan.numArguments)
        return planError(concat(nodeText(node), " reduces argument ",
                                fold.reduced[i], " of ", plan.numArguments));
    for (uint32_t i = 0; i < share->numAccumulated; ++i) {
      const SluiceAccumulated &each = share->accumulated[i];
      if (each.argument >= plan.numArguments ||
          each.operation > SLUICE_ACCUMULATE_UMAX || each.elementBytes > 8 ||
          !std::has_single_bit(each.elementBytes))
        return planError(concat(nodeText(node), " accumulates argument ",
                                each.argument, " of ", plan.numArguments,
                                " by operation ", each.operation, " on ",
                                each.elementBytes, " bytes"));
    }
    if (share->slabExtent >= 3 * node.numLevels)
      return planError(concat(nodeText(node), " has slabs along extent ",
                              share->slabExtent, " of ", 3 * node.numLevels));
  }
  for (uint32_t i = 0; i < node.numSuccessors; ++i) {
    uint32_t successor = node.successors[i].node;
    if (successor >= plan.numNodes)
      return planError(concat(nodeText(node), " precedes node ", successor,
                              " of ", plan.numNodes));
    if (successor <= index)
      return planError(concat(nodeText(node), " precedes ",
                              nodeText(plan.nodes[successor]),
                              ", which stands before it"));
  }
  return {};
}

Status PlanInfo::readNodes() {
  nodes.resize(plan.numNodes);
  costs = std::make_unique<NodeCost[]>(plan.numNodes);
  std::vector<uint32_t> found(2 * size_t(plan.numNodes), 0);
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    if (Status status = checkNode(i); !status.ok())
      return status;
    const SluicePlanNode &node = plan.nodes[i];
    NodeInfo &info = nodes[i];
    info.node = &node;
    info.index = i;
    info.extentsOffset = numExtents;
    costs[i].estimate(node.unitCost);
    info.mayReachOther = !node.share || !node.share->reachesInputsOnly;
    mayReachOther |= info.mayReachOther;
    if (node.extents)
      numExtents += 3 * node.numLevels;
    if (node.extents && node.tiling & SLUICE_USUAL_AT_LAUNCH)
      usualNodes.push_back(i);
    for (uint32_t k = 0; k < node.numOutputs; ++k)
      info.hasArrays |= node.outputs[k].arrayOffset != SLUICE_NO_OFFSET;
    for (uint32_t k = 0; k < node.numSuccessors; ++k)
      ++found[2 * node.successors[k].node +
              (node.successors[k].replication == SLUICE_ONE_TO_ONE)];
    if (!node.extents) {
      Result<NodeCounts> counts = countInstances(node, node.constantExtents);
      if (!counts.ok())
        return counts.takeStatus();
      info.constantCounts = *counts;
    }
  }
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    const SluicePlanNode &node = plan.nodes[i];
    if (found[2 * i] != node.numAllToAllPredecessors ||
        found[2 * i + 1] != node.numOneToOnePredecessors)
      return planError(concat(nodeText(node), " states ",
                              node.numAllToAllPredecessors, " all-to-all and ",
                              node.numOneToOnePredecessors,
                              " one-to-one predecessors, but has ",
                              found[2 * i], " and ", found[2 * i + 1]));
  }
  return {};
}

/// An order between single instances is stored as all-to-all, which means the
/// same; the units of both nodes may then be split anywhere.
static bool ordersInstances(const SluicePlan &plan, const SluicePlanNode &node,
                            const SluicePlanSuccessor &successor) {
  return successor.replication == SLUICE_ONE_TO_ONE &&
         (node.numIndexLevels != 0 ||
          plan.nodes[successor.node].numIndexLevels != 0);
}

void PlanInfo::splitSuccessors() {
  size_t total = 0;
  for (uint32_t i = 0; i < plan.numNodes; ++i)
    total += plan.nodes[i].numSuccessors;
  successorPool.reserve(total);
  for (NodeInfo &info : nodes) {
    const SluicePlanNode &node = *info.node;
    std::span<const SluicePlanSuccessor> successors(node.successors,
                                                    node.numSuccessors);
    for (bool oneToOne : {false, true}) {
      size_t start = successorPool.size();
      for (const SluicePlanSuccessor &successor : successors) {
        if (ordersInstances(plan, node, successor) != oneToOne)
          continue;
        successorPool.push_back(successor.node);
        NodeInfo &target = nodes[successor.node];
        ++(oneToOne ? target.numOneToOne : target.numAllToAll);
      }
      (oneToOne ? info.oneToOneSuccessors : info.allToAllSuccessors) = {
          successorPool.data() + start, successorPool.size() - start};
    }
  }
}

static uint32_t findLeader(std::vector<uint32_t> &leader, uint32_t node) {
  while (leader[node] != node)
    node = leader[node] = leader[leader[node]];
  return node;
}

Status PlanInfo::joinGroups(std::vector<uint32_t> &leader) {
  for (const NodeInfo &info : nodes)
    for (uint32_t successor : info.oneToOneSuccessors) {
      const SluicePlanNode &target = plan.nodes[successor];
      if (info.node->numIndexLevels != target.numIndexLevels)
        return planError(
            concat(nodeText(*info.node), " has ", info.node->numIndexLevels,
                   " index levels, but its one-to-one successor ",
                   nodeText(target), " has ", target.numIndexLevels));
      leader[findLeader(leader, successor)] = findLeader(leader, info.index);
    }
  return {};
}

Status PlanInfo::formGroups() {
  std::vector<uint32_t> leader(nodes.size());
  for (uint32_t i = 0; i < nodes.size(); ++i)
    leader[i] = i;
  if (Status status = joinGroups(leader); !status.ok())
    return status;
  std::vector<uint32_t> groupOf(nodes.size(), SLUICE_NO_INDEX);
  for (NodeInfo &info : nodes) {
    if (info.numOneToOne == 0 && info.oneToOneSuccessors.empty())
      continue;
    uint32_t &group = groupOf[findLeader(leader, info.index)];
    if (group == SLUICE_NO_INDEX) {
      group = groups.size();
      groups.emplace_back().numIndexLevels = info.node->numIndexLevels;
    }
    info.group = group;
    info.groupPosition = groups[group].nodes.size();
    groups[group].nodes.push_back(info.index);
  }
  return {};
}

/// Joins the nodes that follow the one before them row by row.
Status PlanInfo::formTiles() {
  for (NodeInfo &info : nodes) {
    const SluicePlanNode &node = *info.node;
    if (!(node.tiling & SLUICE_TILED))
      continue;
    if (info.index == 0)
      return planError(concat(nodeText(node), " follows no node row by row"));
    NodeInfo &before = nodes[info.index - 1];
    for (const NodeInfo *one : {&before, &info})
      if (one->group != SLUICE_NO_INDEX || one->node->numUnitLevels == 0)
        return planError(concat(nodeText(*one->node),
                                " cannot run row by row: it has one-to-one "
                                "orders, or no rows"));
    if (before.tile == SLUICE_NO_INDEX) {
      before.tile = tiles.size();
      TileInfo &made = tiles.emplace_back();
      made.firstNode = before.index;
      made.offsets.emplace_back();
    }
    info.tile = before.tile;
    TileInfo &tile = tiles[info.tile];
    const TileOffset &last = tile.offsets.back();
    tile.offsets.push_back(
        {last.ahead + node.tileAhead, last.behind + node.tileBehind});
    tile.isUsual |= (node.tiling & SLUICE_TILED_USUAL) != 0;
    tile.endNode = info.index + 1;
  }
  for (TileInfo &tile : tiles) {
    findTilePointers(tile);
    tile.windows = findWindows(plan, tile.firstNode, tile.endNode);
    tile.windowMemo = std::make_unique<WindowMemo>();
  }
  if (!tiles.empty())
    tileCost = std::make_unique<TileCost>(plan.name);
  for (const NodeInfo &info : nodes)
    for (uint32_t successor : info.allToAllSuccessors)
      if (uint32_t tile = nodes[successor].tile;
          tile != SLUICE_NO_INDEX && tile != info.tile)
        ++tiles[tile].numArrivals;
  return {};
}

void PlanInfo::findTilePointers(TileInfo &tile) const {
  for (uint32_t i = tile.firstNode; i < tile.endNode; ++i)
    for (uint32_t k = 0; k < plan.nodes[i].numOperands; ++k) {
      const SluicePlanOperand &operand = plan.nodes[i].operands[k];
      if (!(operand.flags & SLUICE_PORT_POINTER) ||
          operand.node != SLUICE_NO_INDEX || operand.index == SLUICE_NO_INDEX)
        continue;
      uint32_t pointer = pointerOf[operand.index];
      if (pointer != SLUICE_NO_INDEX &&
          std::find(tile.pointers.begin(), tile.pointers.end(), pointer) ==
              tile.pointers.end())
        tile.pointers.push_back(pointer);
    }
}

void PlanInfo::findEnds() {
  isChain = true;
  for (NodeInfo &info : nodes) {
    isChain &= info.index + 1 == nodes.size() ||
               std::ranges::count(info.allToAllSuccessors, info.index + 1);
    info.isDirect = !info.hasArrays && info.group == SLUICE_NO_INDEX;
    info.isPlain = info.isDirect && !info.node->extents &&
                   !info.constantCounts.empty &&
                   info.constantCounts.units == 1 && !info.isOrdered();
    if (info.numAllToAll == 0)
      opened.push_back(info.index);
    if (info.numAllToAll == 0 && info.numOneToOne == 0)
      entries.push_back(info.index);
    numSinks += info.isSink();
  }
}

void PlanInfo::layOutPlainNodes() {
  isPlain = !nodes.empty() &&
            std::all_of(nodes.begin(), nodes.end(),
                        [](const NodeInfo &node) { return node.isPlain; });
  if (!isPlain)
    return;
  size_t numOrders = 0;
  for (const NodeInfo &info : nodes)
    numOrders += info.numAllToAll;
  predecessorPool.resize(numOrders);
  uint32_t *room = predecessorPool.data();
  std::vector<uint32_t *> next;
  for (const NodeInfo &info : nodes) {
    plain.push_back({info.node->kernel, info.node->constantExtents, room,
                     info.numAllToAll});
    next.push_back(room);
    room += info.numAllToAll;
  }
  for (const NodeInfo &info : nodes)
    for (uint32_t successor : info.allToAllSuccessors)
      *next[successor]++ = info.index;
  plainCost = std::make_unique<PlainCost>();
  std::vector<uint32_t> depths = plainDepths();
  plainWidth = static_cast<double>(nodes.size()) /
               (1 + *std::max_element(depths.begin(), depths.end()));
}

/// For each node, the number of nodes before it on the longest path to it.
std::vector<uint32_t> PlanInfo::plainDepths() const {
  std::vector<uint32_t> depths(plain.size(), 0);
  for (size_t i = 0; i < plain.size(); ++i)
    for (uint32_t k = 0; k < plain[i].numPredecessors; ++k)
      depths[i] = std::max(depths[i], depths[plain[i].predecessors[k]] + 1);
  return depths;
}

const PlainLists &PlanInfo::plainLists(unsigned numWorkers) const {
  std::call_once(plainListsMade, [&] {
    std::vector<uint32_t> depths = plainDepths();
    std::vector<uint32_t> numAtDepth(plain.size(), 0), place;
    for (uint32_t depth : depths)
      place.push_back(numAtDepth[depth]++);
    thePlainLists.resize(numWorkers);
    for (uint32_t i = 0; i < plain.size(); ++i)
      thePlainLists[uint64_t(place[i]) * numWorkers / numAtDepth[depths[i]]]
          .push_back(i);
  });
  return thePlainLists;
}
