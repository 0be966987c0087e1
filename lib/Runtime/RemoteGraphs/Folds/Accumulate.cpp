//===- Accumulate.cpp - Memory that shares of a node add to ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes behind the last whole element are left alone.
//
//===----------------------------------------------------------------------===//

#include "Accumulate.h"
#include "JoinTree.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace sluice;

/// Calls `body` with a value of the unsigned type of an element.
template <typename Body> static void withElement(uint32_t bytes, Body &&body) {
  if (bytes == 1)
    body(uint8_t());
  else if (bytes == 2)
    body(uint16_t());
  else if (bytes == 4)
    body(uint32_t());
  else
    body(uint64_t());
}

template <typename Element> static Element neutralOf(uint32_t operation) {
  using Signed = std::make_signed_t<Element>;
  switch (operation) {
  case SLUICE_ACCUMULATE_AND:
  case SLUICE_ACCUMULATE_UMIN:
    return std::numeric_limits<Element>::max();
  case SLUICE_ACCUMULATE_MIN:
    return static_cast<Element>(std::numeric_limits<Signed>::max());
  case SLUICE_ACCUMULATE_MAX:
    return static_cast<Element>(std::numeric_limits<Signed>::min());
  default:
    return 0;
  }
}

template <typename Element>
static Element joined(uint32_t operation, Element a, Element b) {
  using Signed = std::make_signed_t<Element>;
  switch (operation) {
  case SLUICE_ACCUMULATE_AND:
    return a & b;
  case SLUICE_ACCUMULATE_OR:
    return a | b;
  case SLUICE_ACCUMULATE_XOR:
    return a ^ b;
  case SLUICE_ACCUMULATE_MIN:
    return static_cast<Signed>(a) < static_cast<Signed>(b) ? a : b;
  case SLUICE_ACCUMULATE_MAX:
    return static_cast<Signed>(a) < static_cast<Signed>(b) ? b : a;
  case SLUICE_ACCUMULATE_UMIN:
    return std::min(a, b);
  case SLUICE_ACCUMULATE_UMAX:
    return std::max(a, b);
  default:
    return static_cast<Element>(a + b);
  }
}

Accumulation::Accumulation(RankState &state, const SharedLaunch &launch,
                           const SluicePlanNode &node,
                           std::span<const RankShare> shares)
    : state(state), launch(launch), table(*node.share), shares(shares),
      own(shareOf(state.link, shares)) {}

void Accumulation::begin() const {
  if (own == 0 || own == shares.size())
    return;
  for (uint32_t i = 0; i < table.numAccumulated; ++i) {
    const SluiceAccumulated &each = table.accumulated[i];
    const ByteRange bytes = memoryOf(launch, each.argument);
    withElement(each.elementBytes, [&](auto zero) {
      using Element = decltype(zero);
      std::fill_n(reinterpret_cast<Element *>(state.memory.at(bytes.begin)),
                  bytes.size() / sizeof(Element),
                  neutralOf<Element>(each.operation));
    });
  }
}

Status Accumulation::finish() const {
  if (own == shares.size())
    return {};
  for (uint32_t i = 0; i < table.numAccumulated; ++i) {
    const SluiceAccumulated &each = table.accumulated[i];
    const ByteRange memory = memoryOf(launch, each.argument);
    const uint64_t count = memory.size() / each.elementBytes;
    const uint64_t bytes = count * each.elementBytes;
    if (count == 0)
      continue;
    auto *data = reinterpret_cast<char *>(state.memory.at(memory.begin));
    auto join = [&](const char *other) {
      withElement(each.elementBytes, [&](auto zero) {
        using Element = decltype(zero);
        auto *into = reinterpret_cast<Element *>(data);
        auto *from = reinterpret_cast<const Element *>(other);
        for (uint64_t k = 0; k < count; ++k)
          into[k] = joined<Element>(each.operation, into[k], from[k]);
      });
    };
    if (Status status =
            joinAlongTree(state.link, shares, own, {data, bytes}, join);
        !status.ok())
      return status;
  }
  return {};
}
