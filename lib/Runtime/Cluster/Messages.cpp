//===- Messages.cpp - Messages as tasks of a table ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs before sending and unpacks after receiving, both outside of the lock,
// so that several workers can pack at the same time.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "Failures.h"

#include "sluice/Base/Text.h"
#include "sluice/Pack/Datatype.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace sluice;

struct Messages::Part {
  /// The address of element 0, or of the first element of the only run.
  char *base;
  uint64_t elementBytes;
  uint64_t bytes = 0;
  /// Null if there is one run.
  std::unique_ptr<farc::Datatype> layout;
  /// Only for parts with `reset`.
  std::vector<SluiceRun> runs;
  std::function<void(void *elements, int64_t count)> reset;
};

Messages::Messages(const SluiceCluster &cluster) : cluster(cluster) {}

Messages::~Messages() {
  // Channels in use are kept until the end of the process.
  if (isBusy())
    return;
  for (Message &message : messages)
    cluster.close(cluster.context, message.channel);
}

static std::unique_ptr<farc::Datatype> layoutOf(const MessagePart &part) {
  std::vector<int64_t> lengths, offsets;
  const auto bytes = static_cast<int64_t>(part.elementBytes);
  for (const SluiceRun &run : part.runs) {
    lengths.push_back((run.end - run.begin) * bytes);
    offsets.push_back(run.begin * bytes);
  }
  farc::PrimitiveDatatype byte(farc::PrimitiveDatatype::BYTE);
  auto layout = std::make_unique<farc::HIndexedDatatype>(
      static_cast<int64_t>(lengths.size()), lengths.data(), offsets.data(),
      &byte);
  farc::DDT_Commit(layout.get());
  return layout;
}

Status Messages::add(uint32_t task, bool isSend, uint32_t peer, uint32_t tag,
                     std::vector<MessagePart> parts) {
  // The last tag is used for beats.
  if (tag >= Watch::tag(cluster))
    return Status::error(StatusCode::Exhausted,
                         concat("the graph needs more than ", cluster.maxTag,
                                " exchanges between ranks, which ",
                                cluster.name, " cannot tell apart"));
  Message message = {task, {peer, tag, 0, isSend}, nullptr, nullptr, {}};
  uint64_t total = 0;
  for (MessagePart &given : parts) {
    Part &part = message.parts.emplace_back();
    part.base = given.base;
    part.elementBytes = given.elementBytes;
    for (const SluiceRun &run : given.runs)
      part.bytes += (run.end - run.begin) * given.elementBytes;
    total += part.bytes;
    if (given.runs.size() == 1)
      part.base +=
          given.runs[0].begin * static_cast<int64_t>(given.elementBytes);
    else
      part.layout = layoutOf(given);
    part.reset = std::move(given.reset);
    if (part.reset)
      part.runs = given.runs;
  }
  message.info.bytes = total;
  watchRank(peer);
  const Part &first = message.parts.front();
  void *data = first.base;
  bool isDirect = parts.size() == 1 && !first.layout && !first.reset;
  if (!isDirect) {
    message.packed = std::make_unique_for_overwrite<char[]>(total);
    data = message.packed.get();
  }
  message.channel =
      isSend ? cluster.openSend(cluster.context, peer, tag, data, total)
             : cluster.openReceive(cluster.context, peer, tag, data, total);
  if (!message.channel)
    return Status::error(StatusCode::Exhausted,
                         concat("no memory for a message of ", total,
                                " bytes between ranks ", cluster.rank, " and ",
                                peer));
  messages.push_back(std::move(message));
  return {};
}

MessageInfo Messages::messageOf(uint32_t task) const { return find(task).info; }

Messages::Message &Messages::find(uint32_t task) {
  return const_cast<Message &>(std::as_const(*this).find(task));
}

const Messages::Message &Messages::find(uint32_t task) const {
  return *std::lower_bound(messages.begin(), messages.end(), task,
                           [](const Message &message, uint32_t wanted) {
                             return message.task < wanted;
                           });
}

void Messages::pack(Message &message) {
  char *to = message.packed.get();
  for (const Part &part : message.parts) {
    if (part.layout)
      farc::DDT_Pack(part.base, to, part.layout.get(), 1);
    else
      std::memcpy(to, part.base, part.bytes);
    to += part.bytes;
    for (const SluiceRun &run : part.runs)
      part.reset(part.layout ? part.base + run.begin * static_cast<int64_t>(
                                                           part.elementBytes)
                             : part.base,
                 run.end - run.begin);
  }
}

void Messages::unpack(const Message &message) {
  const char *from = message.packed.get();
  for (const Part &part : message.parts) {
    if (part.layout)
      farc::DDT_Unpack(from, part.base, part.layout.get(), 1);
    else
      std::memcpy(part.base, from, part.bytes);
    from += part.bytes;
  }
}

void Messages::start(uint32_t task) {
  Message &message = find(task);
  if (message.info.isSend && message.packed)
    pack(message);
  std::lock_guard lock(mutex);
  cluster.start(cluster.context, message.channel);
  busy.push_back(&message - messages.data());
  channels.push_back(message.channel);
  numBusy.fetch_add(1, std::memory_order_release);
}

void Messages::poll(const std::function<void(uint32_t task)> &setEnded) {
  end(cluster.test, setEnded);
}

bool Messages::wait(const std::function<void(uint32_t task)> &setEnded) {
  if (!cluster.wait)
    return false;
  end(cluster.wait, setEnded);
  return true;
}

void Messages::end(decltype(SluiceCluster::test) look,
                   const std::function<void(uint32_t task)> &setEnded) {
  std::vector<uint32_t> ended;
  {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock || busy.empty())
      return;
    endedPlaces.resize(busy.size());
    const uint32_t numEnded = look(cluster.context, channels.data(),
                                   channels.size(), endedPlaces.data());
    // Most polls find nothing and need no memory.
    if (numEnded == 0)
      return;
    ended.assign(endedPlaces.begin(), endedPlaces.begin() + numEnded);
    // Iterates backwards, because the last entry moves to the freed position.
    std::sort(ended.begin(), ended.end(), std::greater<>());
    for (uint32_t &index : ended) {
      uint32_t message = busy[index];
      busy[index] = busy.back();
      channels[index] = channels.back();
      busy.pop_back();
      channels.pop_back();
      index = message;
    }
  }
  for (uint32_t index : ended) {
    const Message &message = messages[index];
    if (!message.info.isSend && message.packed)
      unpack(message);
    setEnded(message.task);
  }
  numBusy.fetch_sub(ended.size(), std::memory_order_release);
}
