//===- Boxes.cpp - Ranges at regular distances as boxes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for rows of equal size and pitch, and for layers of such rows, from the
// start of a list of ranges.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

using namespace sluice;

/// Joins adjacent ranges.
static std::vector<ByteRange> join(std::span<const ValidRange> parts) {
  std::vector<ByteRange> joined;
  for (const auto &[bytes, places] : parts)
    if (!joined.empty() && joined.back().end == bytes.begin)
      joined.back().end = bytes.end;
    else
      joined.push_back(bytes);
  return joined;
}

/// The number of leading ranges with equal sizes at a distance of `pitch`.
static size_t countRows(std::span<const ByteRange> ranges, uint64_t &pitch) {
  if (ranges.size() < 2)
    return ranges.size();
  pitch = ranges[1].begin - ranges[0].begin;
  size_t rows = 1;
  while (rows < ranges.size() && ranges[rows].size() == ranges[0].size() &&
         ranges[rows].begin - ranges[rows - 1].begin == pitch)
    ++rows;
  return rows;
}

/// The number of consecutive layers of `rows` ranges at a distance of
/// `layerPitch`.
static size_t countLayers(std::span<const ByteRange> ranges, size_t rows,
                          uint64_t pitch, uint64_t &layerPitch) {
  if (rows < 2 || ranges.size() < 2 * rows)
    return 1;
  layerPitch = ranges[rows].begin - ranges[0].begin;
  // Devices need a layer pitch that is a whole number of rows.
  if (layerPitch % pitch || layerPitch < rows * pitch)
    return 1;
  size_t same = rows;
  while (same < ranges.size() && ranges[same].size() == ranges[0].size() &&
         ranges[same].begin - ranges[same - rows].begin == layerPitch)
    ++same;
  return same / rows;
}

std::vector<device::CopyBox>
sluice::boxesOf(std::span<const ValidRange> parts) {
  return boxesOf(std::span<const ByteRange>(join(parts)));
}

std::vector<device::CopyBox> sluice::boxesOf(std::span<const ByteRange> rest) {
  std::vector<device::CopyBox> boxes;
  while (!rest.empty()) {
    uint64_t width = rest[0].size(), pitch = width;
    size_t rows = countRows(rest, pitch);
    uint64_t layerPitch = rows * pitch;
    size_t layers = countLayers(rest, rows, pitch, layerPitch);
    boxes.push_back({width, rows, layers, rest[0].begin, pitch, layerPitch,
                     pitch, layerPitch});
    rest = rest.subspan(rows * layers);
  }
  return boxes;
}
