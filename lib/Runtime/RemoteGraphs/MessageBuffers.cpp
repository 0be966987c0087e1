//===- MessageBuffers.cpp - Memory for repeated messages ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frees buffers with sizes that are no longer used when there are too many.
//
//===----------------------------------------------------------------------===//

#include "MessageBuffers.h"

#include "../Scheduling/Clock.h"

#include <algorithm>
#include <new>

using namespace sluice;

MessageBuffer MessageBuffers::take(const MessageShape &shape) {
  auto found = kept.find(shape);
  if (found != kept.end() && !found->second.empty()) {
    MessageBuffer buffer = std::move(found->second.back());
    found->second.pop_back();
    keptBytes -= shape.bytes;
    return buffer;
  }
  MessageBuffer buffer = {
      shape, std::unique_ptr<char[]>(new (std::nothrow) char[shape.bytes]),
      nullptr};
  if (buffer.data)
    buffer.channel =
        shape.isSend
            ? cluster.openSend(cluster.context, shape.peer, shape.tag,
                               buffer.data.get(), shape.bytes)
            : cluster.openReceive(cluster.context, shape.peer, shape.tag,
                                  buffer.data.get(), shape.bytes);
  if (!buffer.channel)
    endForWant(shape.bytes, shape.peer);
  return buffer;
}

void MessageBuffers::give(MessageBuffer buffer) {
  const uint64_t bytes = buffer.shape.bytes;
  if (keptBytes + bytes > maxKept)
    clear();
  if (bytes > maxKept)
    return close(buffer);
  keptBytes += bytes;
  kept[buffer.shape].push_back(std::move(buffer));
}

void MessageBuffers::close(MessageBuffer &buffer) {
  cluster.close(cluster.context, buffer.channel);
}

void MessageBuffers::clear() {
  for (auto &[shape, all] : kept)
    for (MessageBuffer &buffer : all)
      close(buffer);
  kept.clear();
  keptBytes = 0;
}

NotedMessage NotedMessage::begin(Trace *trace, const MessageInfo &info) {
  NotedMessage noted = {info};
  if (trace) {
    noted.number = trace->beginMessage(info);
    noted.time = clockNanoseconds();
  }
  return noted;
}

void NotedMessage::end(Trace *trace) const {
  if (trace && time)
    trace->addMessage(info, number, time, clockNanoseconds());
}

CopiedMessages::~CopiedMessages() {
  // Messages in progress are kept until the end of the process.
  for (Sent &message : sent)
    (void)message.buffer.data.release();
}

void CopiedMessages::start(MessageBuffer buffer, bool isNoted) {
  const MessageShape &shape = buffer.shape;
  NotedMessage noted;
  if (isNoted)
    noted =
        NotedMessage::begin(trace, {shape.peer, shape.tag, shape.bytes, true});
  numBytes += shape.bytes;
  SluiceChannel *channel = buffer.channel;
  sent.push_back({std::move(buffer), noted});
  cluster.start(cluster.context, channel);
}

void CopiedMessages::look() {
  if (sent.empty())
    return;
  channels.clear();
  for (const Sent &message : sent)
    channels.push_back(message.buffer.channel);
  ended.resize(channels.size());
  const uint32_t count =
      cluster.test(cluster.context, channels.data(),
                   static_cast<uint32_t>(channels.size()), ended.data());
  // Iterates backwards, so that the other entries keep their positions.
  std::sort(ended.begin(), ended.begin() + count, std::greater<>());
  for (uint32_t i = 0; i < count; ++i) {
    Sent message = std::move(sent[ended[i]]);
    sent.erase(sent.begin() + ended[i]);
    message.noted.end(trace);
    numBytes -= message.buffer.shape.bytes;
    buffers.give(std::move(message.buffer));
  }
}
