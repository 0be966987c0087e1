//===- TileWay.h - Ways of running nodes strip by strip ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that may run strip by strip may do so in many ways, with the same
// results; which one is fastest depends on the machine and on sizes. Programs
// read a file of ways, one for each graph and size, and write what launches
// took in one way, so that `sluice tune` can look for the fastest:
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

/// How nodes run that may run strip by strip. It never changes a result.
struct TileWay {
  enum class Kind : uint8_t {
    Automatic, ///< by the sizes of caches and by measured times
    OneByOne,  ///< each when the one before it has ended
    Strips,    ///< strips of rows pass through several nodes
    Windows    ///< likewise; of temporary memory only some rows are kept
  };
  Kind kind = Kind::Automatic;
  /// Of a strip; at least 1 for the last two kinds, else 0.
  uint32_t rows = 0;
  /// Strips: at most so many nodes go together; 0: as many as can.
  uint32_t nodes = 0;
  /// Windows: pieces that each worker's rows are cut into; 0: by the number of
  /// rows.
  uint32_t pieces = 0;

  bool operator==(const TileWay &) const = default;
};

/// "windows, rows = 16, pieces = 4".
std::string describeWay(const TileWay &way);

/// The way of a graph, or of its launches of one size.
struct TunedGraph {
  std::string graph;
  /// Launches that touch at least 2^sizeClass bytes of memory in nodes that may
  /// run strip by strip, and less than twice that; none: all others.
  std::optional<unsigned> sizeClass;
  TileWay way;
};

constexpr unsigned numTileClasses = 48;
/// Of rows, nodes and pieces.
constexpr uint32_t maxTileNumber = 1 << 20;
/// The class of so many bytes.
unsigned tileClassOf(uint64_t bytes);
/// "4M": the least number of bytes of a class.
std::string tileClassText(unsigned sizeClass);

/// Reads what a file says; an error names the line.
Result<std::vector<TunedGraph>> parseTunedGraphs(std::string_view text);
/// The same of a file; an error names it.
Result<std::vector<TunedGraph>> readTunedGraphs(const std::string &path);
/// One section, as the file has it.
std::string formatTunedGraph(const TunedGraph &tuned);

/// What a run of a program measured of the launches of a graph that touch about
/// as much memory.
struct TiledTimes {
  std::string graph;
  unsigned sizeClass = 0;
  /// The most of any group of nodes that may run strip by strip.
  uint64_t rows = 0;
  uint32_t nodes = 0;
  /// There is temporary memory of which windows may be kept.
  bool mayKeepWindows = false;
  uint64_t launches = 0;
  /// Nanoseconds: of the fastest launch, and of all.
  uint64_t fastest = 0, total = 0;
};

/// What programs write, and what is in such a text; lines that are damaged are
/// left out.
std::string formatTiledTimes(std::span<const TiledTimes> times);
std::vector<TiledTimes> parseTiledTimes(std::string_view text);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_TILEWAY_H
