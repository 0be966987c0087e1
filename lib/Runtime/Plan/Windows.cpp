//===- Windows.cpp - Nodes that run strip by strip in windows -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler has proven which rows of different nodes access the same memory.
// The touch functions return the addresses, for all pieces, before the first
// one runs.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace sluice;

//===----------------------------------------------------------------------===//
// Which memory
//===----------------------------------------------------------------------===//

/// Calls `use(node, operand)` for all pointer arguments that nodes take.
template <typename Use>
static void forPointers(const SluicePlan &plan, uint32_t begin, uint32_t end,
                        Use &&use) {
  for (uint32_t i = begin; i < end; ++i)
    for (uint32_t k = 0; k < plan.nodes[i].numOperands; ++k) {
      const SluicePlanOperand &operand = plan.nodes[i].operands[k];
      if (operand.flags & SLUICE_PORT_POINTER &&
          operand.node == SLUICE_NO_INDEX && operand.index != SLUICE_NO_INDEX)
        use(i, operand);
    }
}

/// An argument with two kinds of accesses would need an address for each.
static bool knowsTouch(const SluicePlanNode &node, uint32_t argument) {
  return node.touch && std::count(node.touched, node.touched + node.numTouched,
                                  argument) == 1;
}

/// Temporary arguments that only nodes `first` to `end` take.
static std::vector<uint32_t> findTemporaries(const SluicePlan &plan,
                                             uint32_t first, uint32_t end) {
  std::vector<bool> isUsed(plan.numArguments), isOutside(plan.numArguments);
  forPointers(plan, 0, plan.numNodes,
              [&](uint32_t node, const SluicePlanOperand &operand) {
                isUsed[operand.index] = true;
                if (node < first || node >= end ||
                    !knowsTouch(plan.nodes[node], operand.index))
                  isOutside[operand.index] = true;
              });
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < plan.numArguments; ++i)
    if (const SluicePlanArgument &argument = plan.arguments[i];
        argument.flags & SLUICE_PORT_TEMPORARY && isUsed[i] && !isOutside[i] &&
        argument.sizeArgument != SLUICE_NO_INDEX)
      found.push_back(i);
  return found;
}

static uint32_t positionOf(const std::vector<uint32_t> &list, uint32_t value) {
  auto found = std::find(list.begin(), list.end(), value);
  return found == list.end() ? SLUICE_NO_INDEX
                             : static_cast<uint32_t>(found - list.begin());
}

TileWindows sluice::findWindows(const SluicePlan &plan, uint32_t first,
                                uint32_t end) {
  TileWindows windows;
  windows.arguments = findTemporaries(plan, first, end);
  std::vector<bool> writesWindow(end - first);
  windows.isFinal.resize(end - first);
  // If memory is visible outside and one node writes it, the others must not
  // access it.
  std::vector<uint32_t> users(plan.numArguments), writers(plan.numArguments);
  std::vector<uint32_t> lastUser(plan.numArguments, SLUICE_NO_INDEX);
  forPointers(
      plan, first, end, [&](uint32_t node, const SluicePlanOperand &operand) {
        const bool writes = operand.access & SLUICE_ACCESS_OUT;
        const bool isWindow =
            positionOf(windows.arguments, operand.index) != SLUICE_NO_INDEX;
        if (writes)
          (isWindow ? writesWindow : windows.isFinal)[node - first] = true;
        if (isWindow)
          return;
        writers[operand.index] += writes;
        users[operand.index] += lastUser[operand.index] != node;
        lastUser[operand.index] = node;
      });
  bool isFine = true;
  for (uint32_t i = 0; i < plan.numArguments; ++i)
    isFine &= writers[i] == 0 || users[i] == 1;
  for (uint32_t i = first; i < end; ++i) {
    const SluicePlanNode &node = plan.nodes[i];
    isFine &= !(writesWindow[i - first] && windows.isFinal[i - first]);
    for (uint32_t k = 0; k < node.numOutputs; ++k)
      isFine &= node.outputs[k].arrayOffset == SLUICE_NO_OFFSET;
    std::vector<uint32_t> &ofNode = windows.ofNode.emplace_back();
    for (uint32_t k = 0; node.touch && k < node.numTouched; ++k)
      ofNode.push_back(positionOf(windows.arguments, node.touched[k]));
  }
  return isFine ? windows : TileWindows();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

WindowWalk::WindowWalk(const std::vector<TileOffset> &offsets,
                       const TileWindows &windows,
                       std::vector<uint64_t> nodeRows, uint64_t stripRows,
                       uint32_t numRegions)
    : offsets(offsets), windows(windows), nodeRows(std::move(nodeRows)) {
  band.endNode = numNodes();
  band.rows = *std::max_element(this->nodeRows.begin(), this->nodeRows.end());
  band.stripRows = stripRows;
  band.numRegions = numRegions;
}

RowRange WindowWalk::rowsOf(uint32_t node, uint32_t region) const {
  auto [begin, end] = ownRows(region);
  if (!windows.isFinal[node]) {
    begin -= std::min(begin, behind(node));
    end += ahead(node);
  }
  return {std::min(begin, nodeRows[node]), std::min(end, nodeRows[node])};
}

bool WindowWalk::endsIn(uint32_t node, uint32_t region) const {
  const auto [begin, end] = ownRows(region);
  return nodeRows[node] > begin && nodeRows[node] <= end;
}

//===----------------------------------------------------------------------===//
// Similar launches
//===----------------------------------------------------------------------===//

std::optional<WindowMemo::Fit>
WindowMemo::find(std::span<const unsigned char> wanted) const {
  std::lock_guard lock(mutex);
  return std::equal(key.begin(), key.end(), wanted.begin(), wanted.end())
             ? fit
             : std::nullopt;
}

void WindowMemo::keep(std::span<const unsigned char> newKey,
                      const Fit &newFit) {
  std::lock_guard lock(mutex);
  key.assign(newKey.begin(), newKey.end());
  fit = newFit;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// Simulates the windows of one region.
class RegionMeasure {
public:
  RegionMeasure(const WindowWalk &walk, const TileWindows &windows,
                const TouchRows &touch, uint64_t limit)
      : walk(walk), windows(windows), touch(touch), limit(limit),
        sizes(windows.arguments.size()) {}

  /// Returns false if sizes are unknown or too large.
  bool run(uint32_t region);
  const std::vector<uint64_t> &getSizes() const { return sizes; }

private:
  /// The bytes of one window that rows of one node access.
  struct Bytes {
    int64_t first = INT64_MAX, end = INT64_MIN;
  };
  bool look(uint32_t node, uint64_t begin, uint64_t end,
            std::vector<Bytes> &bytes);
  bool grow(uint32_t window);

  const WindowWalk &walk;
  const TileWindows &windows;
  const TouchRows &touch;
  const uint64_t limit;
  std::vector<uint64_t> sizes;
  /// For each node and window, the accesses of the node that are still to come.
  std::vector<std::vector<Bytes>> left;
  /// For each window, the end of all bytes accessed so far.
  std::vector<int64_t> tops;
};
} // namespace

bool RegionMeasure::look(uint32_t node, uint64_t begin, uint64_t end,
                         std::vector<Bytes> &bytes) {
  bytes.assign(windows.arguments.size(), {});
  const std::vector<uint32_t> &ofNode = windows.ofNode[node];
  if (begin >= end || std::all_of(ofNode.begin(), ofNode.end(), [](uint32_t w) {
        return w == SLUICE_NO_INDEX;
      }))
    return true;
  std::span<const SluiceDeviceRange> ranges = touch(node, begin, end);
  for (size_t i = 0; i < ofNode.size(); ++i) {
    if (ofNode[i] == SLUICE_NO_INDEX)
      continue;
    Bytes &known = bytes[ofNode[i]];
    for (auto [first, last] :
         {std::pair(ranges[i].readFirst, ranges[i].readEnd),
          std::pair(ranges[i].writtenFirst, ranges[i].writtenEnd)}) {
      // Such extreme bounds are unknown, or as bad.
      if (first < -(INT64_C(1) << 46) || last > INT64_C(1) << 46)
        return false;
      if (first == last)
        continue;
      known.first = std::min(known.first, first);
      known.end = std::max(known.end, last);
    }
  }
  return true;
}

/// Makes room for everything between the first byte still needed and the last
/// byte accessed.
bool RegionMeasure::grow(uint32_t window) {
  int64_t first = INT64_MAX;
  for (const std::vector<Bytes> &bytes : left)
    first = std::min(first, bytes[window].first);
  if (first < tops[window])
    sizes[window] = std::max(sizes[window], uint64_t(tops[window] - first));
  uint64_t sum = 0;
  for (uint64_t size : sizes)
    sum += size;
  return sum <= limit;
}

bool RegionMeasure::run(uint32_t region) {
  left.resize(walk.numNodes());
  tops.assign(windows.arguments.size(), INT64_MIN);
  std::vector<RowRange> rows;
  for (uint32_t node = 0; node < walk.numNodes(); ++node) {
    rows.push_back(walk.rowsOf(node, region));
    if (!look(node, rows[node].begin, rows[node].end, left[node]))
      return false;
  }
  std::vector<Bytes> piece;
  return walk.region(region, [&](uint32_t node, uint64_t begin, uint64_t end) {
    if (!look(node, begin, end, piece))
      return false;
    // The data that the piece reads is needed until it has run.
    for (uint32_t window = 0; window < tops.size(); ++window) {
      tops[window] = std::max(tops[window], piece[window].end);
      if (piece[window].first != INT64_MAX && !grow(window))
        return false;
    }
    return look(node, end, rows[node].end, left[node]);
  });
}

std::optional<std::vector<uint64_t>>
sluice::measureWindows(const WindowWalk &walk, const TileWindows &windows,
                       const TouchRows &touch, uint64_t limit) {
  RegionMeasure measure(walk, windows, touch, limit);
  for (uint32_t region = 0; region < walk.regions(); ++region)
    if (!measure.run(region))
      return std::nullopt;
  return measure.getSizes();
}
