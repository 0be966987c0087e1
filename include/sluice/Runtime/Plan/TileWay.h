//===- TileWay.h - Ways of running nodes strip by strip ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that may run strip by strip may do so in many ways with the same
// results; the fastest way depends on the machine and on sizes. Programs read a
// file of ways, one for each graph and size. They also write the times of their
// launches in one way, so that `sluice tune` can find the fastest:
//
//   [blursRoot 4M]    ; launches that touch 4 MiB and more, less than 8 MiB
//   way = windows     ; or strips, one-by-one, automatic
//   rows = 16         ; of a strip
//   pieces = 4        ; for each worker
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_TILEWAY_H
#define SLUICE_RUNTIME_PLAN_TILEWAY_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// How nodes run that may run strip by strip. It never changes results.
struct TileWay {
  enum class Kind : uint8_t {
    Automatic, ///< by cache sizes and measured times
    OneByOne,  ///< each node after the previous one has ended
    Strips,    ///< strips of rows pass through several nodes
    Windows    ///< the same, keeping only some rows of temporary memory
  };
  Kind kind = Kind::Automatic;
  /// Rows of a strip; at least 1 for the last two kinds, else 0.
  uint32_t rows = 0;
  /// Strips: the maximum number of nodes that run together; 0: no limit.
  uint32_t nodes = 0;
  /// Windows: the number of pieces into which each worker's rows are cut; 0: by
  /// the number of rows.
  uint32_t pieces = 0;

  bool operator==(const TileWay &) const = default;
};

/// "windows, rows = 16, pieces = 4".
std::string describeWay(const TileWay &way);

/// The way of a graph, or of its launches of one size.
struct TunedGraph {
  std::string graph;
  /// Launches that access at least 2^sizeClass bytes, and less than twice that,
  /// in nodes that may run strip by strip; none: all other launches.
  std::optional<unsigned> sizeClass;
  TileWay way;
};

constexpr unsigned numTileClasses = 48;
/// Maximum number of rows, nodes and pieces.
constexpr uint32_t maxTileNumber = 1 << 20;
/// The class of a number of bytes.
unsigned tileClassOf(uint64_t bytes);
/// "4M": the smallest number of bytes of a class.
std::string tileClassText(unsigned sizeClass);

/// Parses the text of a file; an error names the line.
Result<std::vector<TunedGraph>> parseTunedGraphs(std::string_view text);
/// Reads a file; an error names the file.
Result<std::vector<TunedGraph>> readTunedGraphs(const std::string &path);
/// One section in the format of the file.
std::string formatTunedGraph(const TunedGraph &tuned);

/// Measurements of a program's run for the launches of a graph that access a
/// similar amount of memory.
struct TiledTimes {
  std::string graph;
  unsigned sizeClass = 0;
  /// The maximum over all groups of nodes that may run strip by strip.
  uint64_t rows = 0;
  uint32_t nodes = 0;
  /// The graph has temporary memory of which windows may be kept.
  bool mayKeepWindows = false;
  uint64_t launches = 0;
  /// Nanoseconds: of the fastest launch, and the total.
  uint64_t fastest = 0, total = 0;
};

/// The text that programs write, and its parsed content; damaged lines are
/// skipped.
std::string formatTiledTimes(std::span<const TiledTimes> times);
std::vector<TiledTimes> parseTiledTimes(std::string_view text);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_TILEWAY_H
