//===- MessageBuffers.h - Memory for repeated messages --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The items of a stream have messages of the same sizes between the same ranks.
// Each message reuses the memory and the persistent request of an earlier one
// of its kind.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_MESSAGEBUFFERS_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_MESSAGEBUFFERS_H

#include "../Trace/Trace.h"

#include "sluice-c/Cluster.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace sluice {

/// Properties of messages that can use the same memory one after another.
struct MessageShape {
  bool isSend;
  uint32_t peer, tag;
  uint64_t bytes;

  auto operator<=>(const MessageShape &) const = default;
};

/// Memory for one message.
struct MessageBuffer {
  MessageShape shape;
  std::unique_ptr<char[]> data;
  SluiceChannel *channel;
};

/// Used by one thread at a time. If there is no memory for a message, for which
/// other ranks wait, all ranks end.
class MessageBuffers {
public:
  /// Ends all ranks if there is no memory for a message.
  using EndForWant = std::function<void(uint64_t bytes, uint32_t peer)>;

  MessageBuffers(const SluiceCluster &cluster, EndForWant endForWant)
      : cluster(cluster), endForWant(std::move(endForWant)) {}
  ~MessageBuffers() { clear(); }
  MessageBuffers(const MessageBuffers &) = delete;
  MessageBuffers &operator=(const MessageBuffers &) = delete;

  /// Takes a buffer with arbitrary contents.
  MessageBuffer take(const MessageShape &shape);
  /// Returns a buffer whose channel is not in use.
  void give(MessageBuffer buffer);

private:
  void close(MessageBuffer &buffer);
  void clear();

  /// The maximum number of bytes kept for later messages.
  static constexpr uint64_t maxKept = uint64_t(4) << 20;

  const SluiceCluster &cluster;
  const EndForWant endForWant;
  std::map<MessageShape, std::vector<MessageBuffer>> kept;
  uint64_t keptBytes = 0;
};

/// A message in the timeline, if there is one.
struct NotedMessage {
  MessageInfo info;
  uint64_t number = 0, time = 0;

  static NotedMessage begin(Trace *trace, const MessageInfo &info);
  void end(Trace *trace) const;
};

/// Messages that are copied before they are sent, so that the sender can
/// continue. Used by one thread at a time.
class CopiedMessages {
public:
  /// `trace`: where messages are recorded, if anywhere; may change at any time.
  CopiedMessages(const SluiceCluster &cluster, Trace *const &trace,
                 MessageBuffers &buffers)
      : cluster(cluster), trace(trace), buffers(buffers) {}
  ~CopiedMessages();
  CopiedMessages(const CopiedMessages &) = delete;
  CopiedMessages &operator=(const CopiedMessages &) = delete;

  /// `fill(memory)` writes the message.
  template <typename Fill>
  void send(uint32_t peer, uint32_t tag, uint64_t bytes, bool isNoted,
            Fill &&fill) {
    MessageBuffer buffer = buffers.take({true, peer, tag, bytes});
    fill(buffer.data.get());
    start(std::move(buffer), isNoted);
  }
  /// Handles completed messages.
  void look();
  bool isEmpty() const { return sent.empty(); }
  /// The size of messages that are not known to have completed.
  uint64_t bytes() const { return numBytes; }

private:
  struct Sent {
    MessageBuffer buffer;
    NotedMessage noted;
  };
  void start(MessageBuffer buffer, bool isNoted);

  const SluiceCluster &cluster;
  Trace *const &trace;
  MessageBuffers &buffers;
  std::deque<Sent> sent;
  uint64_t numBytes = 0;
  // For `look`.
  std::vector<SluiceChannel *> channels;
  std::vector<uint32_t> ended;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_MESSAGEBUFFERS_H
