//===- WindowedNodes.cpp - Nodes that run strip by strip over windows -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for groups of nodes that keep intermediate results
// in windows. Kernels find pointers in the frame, so each region has its own
// frame, in which these pointers are those of the windows.
//
//===----------------------------------------------------------------------===//

#include "TileRows.h"

#include <algorithm>
#include <cstdlib>

using namespace sluice;

namespace {
struct FreeFrame {
  void operator()(unsigned char *frame) const { std::free(frame); }
};
} // namespace

/// One group in one launch.
class Executor::WindowRun {
public:
  WindowRun(Executor &executor, GraphInstance &instance, const TileInfo &tile,
            const TileRun &run);

  /// Returns false if windows do not pay or are not possible; then nothing has
  /// run.
  bool prepare();
  void run();

private:
  static constexpr uint64_t maxStripRows = 32;
  /// At most one in this many rows of a region may be computed twice.
  static constexpr uint64_t leastOwnRows = 8;
  /// Regions per worker, so that a late region delays less.
  static constexpr uint64_t maxShares = 4;
  /// Limit on the windows of a region with a requested size of strips.
  static constexpr uint64_t mostBytes = 1 << 26;

  const SluicePlanNode &planOf(uint32_t node) const {
    return instance.info.plan.nodes[tile.firstNode + node];
  }
  NodeRun &runOf(uint32_t node) const {
    return instance.runs[tile.firstNode + node];
  }
  std::span<const SluiceDeviceRange>
  touch(uint32_t node, uint64_t begin, uint64_t end,
        std::vector<SluiceDeviceRange> &ranges) const;
  uint32_t chooseRegions() const;
  WindowMemo::Fit measure(uint32_t numRegions, uint64_t stripRows,
                          uint64_t limit);
  WindowMemo::Fit chooseStrips(uint32_t numRegions);
  std::vector<unsigned char> memoKey() const;
  WindowMemo::Fit fitWindows();
  bool takeWindows(const std::vector<uint64_t> &capacities);
  void runRegion(uint32_t number);
  bool runPiece(uint32_t node, uint64_t begin, uint64_t end,
                const WindowSet &set, unsigned char *frame,
                std::vector<SluiceDeviceRange> &ranges);
  void copyOutputs(uint32_t node, const unsigned char *frame);

  Executor &executor;
  GraphInstance &instance;
  const TileInfo &tile;
  const TileWay way;
  const uint64_t rows;
  std::vector<uint64_t> nodeRows;
  /// The frame before the nodes run; their outputs appear in the instance's
  /// frame.
  const std::vector<unsigned char> frameBefore;
  std::optional<WindowWalk> walk;
  /// One for each region.
  std::mutex setsMutex;
  std::vector<WindowSet> sets;
};

Executor::WindowRun::WindowRun(Executor &executor, GraphInstance &instance,
                               const TileInfo &tile, const TileRun &run)
    : executor(executor), instance(instance), tile(tile), way(run.way),
      rows(run.rows),
      frameBefore(instance.frame, instance.frame + instance.info.frameBytes) {
  for (uint32_t i = 0; i < tile.endNode - tile.firstNode; ++i)
    nodeRows.push_back(tileRows(planOf(i), runOf(i).invocation.extents));
}

std::span<const SluiceDeviceRange>
Executor::WindowRun::touch(uint32_t node, uint64_t begin, uint64_t end,
                           std::vector<SluiceDeviceRange> &ranges) const {
  const SluicePlanNode &plan = planOf(node);
  ranges.resize(plan.numTouched);
  plan.touch(frameBefore.data(), runOf(node).invocation.extents, begin, end,
             ranges.data());
  return ranges;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Returns 0 if too much would be computed twice.
uint32_t Executor::WindowRun::chooseRegions() const {
  const TileOffset &last = tile.offsets.back();
  const uint64_t twice = last.ahead + last.behind;
  auto regionsOf = [&](uint64_t shares) {
    return std::min<uint64_t>({shares * executor.numWorkers, rows, UINT16_MAX});
  };
  if (way.pieces)
    return static_cast<uint32_t>(regionsOf(way.pieces));
  if (executor.numWorkers == 1)
    return 1;
  for (uint64_t shares = maxShares; shares; shares /= 2)
    if (uint64_t regions = regionsOf(shares);
        regions * twice * leastOwnRows <= rows)
      return static_cast<uint32_t>(regions);
  return 0;
}

/// The sizes of windows for strips of this many rows, if they total at most
/// `limit`; else none.
WindowMemo::Fit Executor::WindowRun::measure(uint32_t numRegions,
                                             uint64_t stripRows,
                                             uint64_t limit) {
  std::vector<SluiceDeviceRange> ranges;
  auto touchRows = [&](uint32_t node, uint64_t begin, uint64_t end) {
    return touch(node, begin, end, ranges);
  };
  walk.emplace(tile.offsets, tile.windows, nodeRows, stripRows, numRegions);
  std::optional<std::vector<uint64_t>> sizes =
      measureWindows(*walk, tile.windows, touchRows, limit);
  return {stripRows, numRegions,
          sizes ? std::move(*sizes) : std::vector<uint64_t>()};
}

/// The maximum number of rows for which windows, and the same rows of other
/// memory, fit the cache.
WindowMemo::Fit Executor::WindowRun::chooseStrips(uint32_t numRegions) {
  const PlanInfo &info = instance.info;
  uint64_t otherBytes = 0;
  for (uint32_t pointer : tile.pointers)
    if (uint64_t offset = info.pointers[pointer].sizeOffset;
        std::none_of(tile.windows.arguments.begin(),
                     tile.windows.arguments.end(), [&](uint32_t argument) {
                       return info.pointerOf[argument] == pointer;
                     }))
      otherBytes += wordAt(instance.frame, offset) / rows;
  const uint64_t cache = executor.tileCache / 4 * 3;
  for (uint64_t strip = maxStripRows; strip; strip /= 2) {
    if (otherBytes * strip >= cache)
      continue;
    if (WindowMemo::Fit fit =
            measure(numRegions, strip, cache - otherBytes * strip);
        !fit.sizes.empty())
      return fit;
  }
  return {};
}

/// The inputs that determine the sizes of windows.
std::vector<unsigned char> Executor::WindowRun::memoKey() const {
  const PlanInfo &info = instance.info;
  std::vector<unsigned char> key = frameBefore;
  for (uint32_t pointer : tile.pointers)
    std::fill_n(key.begin() + info.pointers[pointer].frameOffset, 8, 0);
  key.push_back(static_cast<unsigned char>(way.kind));
  for (uint32_t number : {way.rows, way.pieces})
    for (unsigned byte = 0; byte < 4; ++byte)
      key.push_back(static_cast<unsigned char>(number >> 8 * byte));
  return key;
}

WindowMemo::Fit Executor::WindowRun::fitWindows() {
  const std::vector<unsigned char> key = memoKey();
  if (std::optional<WindowMemo::Fit> known = tile.windowMemo->find(key))
    return std::move(*known);
  WindowMemo::Fit fit;
  if (uint32_t numRegions = chooseRegions())
    fit = way.rows ? measure(numRegions, way.rows, mostBytes)
                   : chooseStrips(numRegions);
  tile.windowMemo->keep(key, fit);
  return fit;
}

bool Executor::WindowRun::takeWindows(const std::vector<uint64_t> &capacities) {
  const PlanInfo &info = instance.info;
  std::vector<WindowSize> sizes;
  for (size_t i = 0; i < capacities.size(); ++i) {
    uint32_t pointer = info.pointerOf[tile.windows.arguments[i]];
    sizes.push_back({wordAt(instance.frame, info.pointers[pointer].sizeOffset),
                     capacities[i]});
  }
  for (uint32_t i = 0; i < walk->regions(); ++i) {
    WindowSet set = executor.windows.take(sizes);
    if (set.empty())
      break;
    sets.push_back(std::move(set));
  }
  if (sets.size() == walk->regions())
    return true;
  for (WindowSet &set : sets)
    executor.windows.give(std::move(set));
  sets.clear();
  return false;
}

bool Executor::WindowRun::prepare() {
  const WindowMemo::Fit fit = fitWindows();
  if (fit.sizes.empty())
    return false;
  walk.emplace(tile.offsets, tile.windows, nodeRows, fit.stripRows,
               fit.numRegions);
  return takeWindows(fit.sizes);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Copies the outputs of a node after its last instance.
void Executor::WindowRun::copyOutputs(uint32_t node,
                                      const unsigned char *frame) {
  const SluicePlanNode &plan = planOf(node);
  for (uint32_t i = 0; i < plan.numOutputs; ++i)
    if (const SluicePlanOutput &output = plan.outputs[i];
        output.frameOffset != SLUICE_NO_OFFSET)
      std::memcpy(instance.frame + output.frameOffset,
                  frame + output.frameOffset, output.size);
}

bool Executor::WindowRun::runPiece(uint32_t node, uint64_t begin, uint64_t end,
                                   const WindowSet &set, unsigned char *frame,
                                   std::vector<SluiceDeviceRange> &ranges) {
  const std::vector<uint32_t> &windows = tile.windows.ofNode[node];
  if (!windows.empty())
    touch(node, begin, end, ranges);
  for (size_t i = 0; i < windows.size(); ++i) {
    if (windows[i] == SLUICE_NO_INDEX)
      continue;
    const SluiceDeviceRange &range = ranges[i];
    const bool isRead = range.readFirst != range.readEnd;
    const bool isWritten = range.writtenFirst != range.writtenEnd;
    int64_t first = isRead ? range.readFirst : range.writtenFirst;
    if (isRead && isWritten)
      first = std::min(range.readFirst, range.writtenFirst);
    const uint64_t offset =
        instance.info.plan.arguments[tile.windows.arguments[windows[i]]]
            .frameOffset;
    const uint64_t address =
        set[windows[i]]->addressFor(wordAt(frameBefore.data(), offset), first);
    std::memcpy(frame + offset, &address, sizeof(address));
  }
  SluiceInvocation invocation = runOf(node).invocation;
  invocation.frame = frame;
  return executor.runRows(runOf(node), invocation, begin, end);
}

void Executor::WindowRun::runRegion(uint32_t number) {
  WindowSet set;
  {
    std::lock_guard lock(setsMutex);
    set = std::move(sets.back());
    sets.pop_back();
  }
  const uint64_t bytes = std::max<uint64_t>(instance.info.frameBytes, 64);
  std::unique_ptr<unsigned char, FreeFrame> frame(
      static_cast<unsigned char *>(std::aligned_alloc(64, bytes)));
  if (!frame) {
    instance.fail(
        Status::error(StatusCode::Exhausted, "there is no memory for a frame"));
  } else {
    std::memcpy(frame.get(), frameBefore.data(), frameBefore.size());
    std::vector<SluiceDeviceRange> ranges;
    walk->region(number, [&](uint32_t node, uint64_t begin, uint64_t end) {
      if (!runPiece(node, begin, end, set, frame.get(), ranges))
        return false;
      if (end == nodeRows[node] && walk->endsIn(node, number))
        copyOutputs(node, frame.get());
      return true;
    });
  }
  std::lock_guard lock(setsMutex);
  sets.push_back(std::move(set));
}

void Executor::WindowRun::run() {
  auto region = [this](uint32_t number) { runRegion(number); };
  forAll(executor, walk->regions(), region);
  for (WindowSet &set : sets)
    executor.windows.give(std::move(set));
}

bool Executor::runInWindows(GraphInstance &instance, const TileInfo &tile,
                            const TileRun &run) {
  if (tile.windows.arguments.empty() || instance.failed() ||
      run.way.kind == TileWay::Kind::Strips)
    return false;
  WindowRun windowed(*this, instance, tile, run);
  if (!windowed.prepare())
    return false;
  windowed.run();
  return true;
}
