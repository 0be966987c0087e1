//===- MessageBuffers.h - Memory of messages that repeat ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The items of a stream have messages of the same sizes between the same ranks.
// What one message had, its memory and its persistent request, the next one of
// its kind has again.
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

/// What messages have alike that use the same memory, one after another.
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

/// One thread at a time. Where there is no memory for a message, which others
/// wait for, all ranks end.
class MessageBuffers {
public:
  /// Ends all ranks where there is no memory for a message.
  using EndForWant = std::function<void(uint64_t bytes, uint32_t peer)>;

  MessageBuffers(const SluiceCluster &cluster, EndForWant endForWant)
      : cluster(cluster), endForWant(std::move(endForWant)) {}
  ~MessageBuffers() { clear(); }
  MessageBuffers(const MessageBuffers &) = delete;
  MessageBuffers &operator=(const MessageBuffers &) = delete;

  /// With any contents.
  MessageBuffer take(const MessageShape &shape);
  /// Its channel is not in use.
  void give(MessageBuffer buffer);

private:
  void close(MessageBuffer &buffer);
  void clear();

  /// What is kept for later messages.
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

/// Messages that are copied before they are sent, so that the sender goes on.
/// One thread at a time.
class CopiedMessages {
public:
  /// `trace`: where messages are noted, if anywhere, at any time.
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
  /// Takes notice of those that have ended.
  void look();
  bool isEmpty() const { return sent.empty(); }
  /// Of those that have not ended, as far as is known.
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
