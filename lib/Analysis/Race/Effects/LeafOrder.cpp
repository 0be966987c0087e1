//===- LeafOrder.cpp - Instances that wait for earlier ones ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances wait for each other in chains. With two dimensions, each instance
// also follows the one before it in the inner dimension, so from an instance on
// are those in order that some distances and any number of such steps lead to.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

std::optional<LeafOrder> LeafOrder::of(const Function &leaf) {
  Attribute attribute = leaf.getFnAttribute(orderAttribute);
  if (!attribute.isValid())
    return std::nullopt;
  LeafOrder order;
  StringRef text = attribute.getValueAsString();
  text.consumeInteger(10, order.dimensions);
  while (text.consume_front(" ")) {
    auto &distance = order.distances.emplace_back();
    text.consumeInteger(10, distance[0]);
    text.consume_front(",");
    text.consumeInteger(10, distance[1]);
  }
  return order;
}

bool LeafOrder::mayLead(int64_t outer, int64_t inner) const {
  // Too far to count.
  constexpr int64_t most = 4096;
  if (outer == 0)
    return dimensions == 2 && inner > 0;
  if (outer < 0 || outer > most)
    return outer > most;
  // The least distance in the inner dimension for each one in the outer.
  std::vector<std::optional<int64_t>> least(outer + 1);
  least[0] = 0;
  for (int64_t at = 1; at <= outer; ++at)
    for (const auto &[step, aside] : distances)
      if (step >= 1 && step <= at && least[at - step])
        least[at] =
            std::min(least[at].value_or(INT64_MAX), *least[at - step] + aside);
  return least[outer] && inner >= *least[outer];
}

std::vector<std::vector<OrderLimit>>
races::waysWithoutWait(const LeafOrder &order, unsigned aside) {
  const OrderLimit isLater = {.constant = 1, .outer = -1};
  if (aside != 0 && order.dimensions == 1)
    return {{isLater}};
  // What others that are two or more behind add is not looked at where the
  // next one is waited for.
  std::optional<int64_t> least, leastAhead;
  for (const auto &[outer, inner] : order.distances) {
    if (outer != 1)
      continue;
    least = std::min(inner, least.value_or(inner));
    if (inner >= 0)
      leastAhead = std::min(inner, leastAhead.value_or(inner));
  }
  auto isBefore = [&](int64_t slope) {
    return OrderLimit{
        .constant = 1 - int64_t(aside), .outer = -slope, .inner = 1};
  };
  if (order.dimensions == 2) {
    // At the end of a row, there is no next one.
    if (!least || (aside != 0 && *least < 0))
      return {{isLater}};
    std::vector<std::vector<OrderLimit>> ways = {{isLater, isBefore(*least)}};
    // In rows that are so short, nothing is that far ahead.
    if (*least < 0) {
      ways.push_back({isLater, {.constant = *least, .innerExtent = 1}});
      if (leastAhead)
        ways.back().push_back(isBefore(*leastAhead));
    }
    return ways;
  }
  if (least)
    return {};
  constexpr int64_t mostSteps = 16;
  std::vector<OrderLimit> way = {isLater};
  for (int64_t steps = 1; steps <= mostSteps; ++steps)
    if (order.mayLead(steps, 0))
      way.push_back({.isNotZero = true, .constant = -steps, .outer = 1});
  return {way};
}
