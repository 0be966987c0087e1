//===- RankState.cpp - A rank's knowledge of the program's memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All transfers to one rank form one message, in the order of the moves.
//
//===----------------------------------------------------------------------===//

#include "RankState.h"

#include <algorithm>
#include <vector>

using namespace sluice;

Status RankState::move(std::span<const RankMove> moves) {
  const uint32_t own = link.rank();
  std::vector<RankMessage> messages;
  for (const RankMove &each : moves) {
    if (each.from != own && each.to != own)
      continue;
    const bool isSend = each.from == own;
    const uint32_t peer = isSend ? each.to : each.from;
    auto found = std::find_if(
        messages.begin(), messages.end(), [&](const RankMessage &message) {
          return message.isSend == isSend && message.peer == peer;
        });
    if (found == messages.end())
      found = messages.insert(messages.end(), {isSend, peer, {}});
    found->pieces.push_back(
        {reinterpret_cast<char *>(memory.at(each.bytes.begin)),
         each.bytes.size()});
  }
  return link.exchange(messages);
}
