//===- Timeline.h - The content of a SLUICE_TRACE file --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a trace: rows of workers and of queues with their spans, the
// launches to which the spans belong, and the graphs of the launches.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_TIMELINE_H
#define SLUICE_DRIVER_TIMELINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::driver {

/// Times are nanoseconds since the trace began. Names, rows and launches are
/// indices into the lists of the timeline.
struct Timeline {
  static constexpr uint32_t none = UINT32_MAX;

  enum class Kind {
    Chunk,    ///< instances of a node, by a worker
    Task,     ///< of a program over regions or a task graph, by a worker
    Kernel,   ///< a node on a device
    Transfer, ///< bytes to or from a device
    Message,  ///< to or from another rank
    Compile,  ///< kernels, by a device's driver
  };
  struct Span {
    Kind kind = Kind::Chunk;
    uint32_t name = none;
    uint32_t row = none;
    uint32_t launch = none; ///< to which it belongs; none: not known
    int64_t start = 0, end = 0;
    uint64_t count = 0; ///< instances of a chunk, bytes of a transfer

    /// Whether it is the work of a node or a task.
    bool isWork() const {
      return kind == Kind::Chunk || kind == Kind::Task || kind == Kind::Kernel;
    }
  };
  /// A worker, a queue of a device, or a row of messages.
  struct Row {
    uint32_t process = 0, number = 0;
    uint32_t rank = 0; ///< of the processes that ran together
    bool isWorker = false;
    std::string name;
  };
  struct Process {
    uint32_t number = 0;
    /// "sluice", "rank 1 on 'node07'" or the name of a device.
    std::string name;
    /// The processor and its cores, or the driver's description of a device.
    std::string about;
  };
  /// A launch, or an item of a stream.
  struct Launch {
    uint32_t name = none;
    uint32_t rank = 0;
    int64_t start = 0, end = 0;
    /// When it requested memory that others still used; else its start.
    int64_t asked = 0;
  };
  /// On one rank: the node `to` waits for the node `from`.
  struct Edge {
    uint32_t rank, from, to;
  };

  /// The two spans of a message, on different ranks.
  struct Message {
    uint32_t sent, received;
  };

  std::vector<std::string> names;
  std::vector<Process> processes; ///< in the order of their numbers
  std::vector<Row> rows;          ///< in the order of processes and numbers
  std::vector<Span> spans;        ///< in the order of their starts
  std::vector<Launch> launches;   ///< in the order of their starts
  std::vector<Edge> edges;
  std::vector<Message> messages; ///< those with both ends known

  /// From the first to the last event; 0 if there are none.
  int64_t begin = 0, end = 0;

  /// The process numbers of a rank begin at a multiple of this, plus 1.
  static constexpr uint32_t processesPerRank = 64;
};

/// A name as it appears in timelines: UTF-8 without control characters.
std::string cleanName(llvm::StringRef name);

/// Reads the text of a trace. Terminates for any text; if the text is not a
/// trace, the error names `path` and the line.
llvm::Expected<Timeline> readTimeline(llvm::StringRef text,
                                      llvm::StringRef path);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TIMELINE_H
