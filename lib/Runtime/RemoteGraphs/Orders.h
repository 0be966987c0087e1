//===- Orders.h - Orders from rank 0 to all ranks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders are collected, and sent together before the next order that requires a
// transfer or a run.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_ORDERS_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_ORDERS_H

#include "sluice-c/Plan.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sluice {

enum class OrderKind : uint32_t {
  Track,
  Untrack,
  Home,  ///< move bytes that rank 0 lacks to rank 0
  Write, ///< rank 0 is about to change bytes that it has
  Launch,
  Item,        ///< an item of a stream; `size` is its number
  StageErrors, ///< rank 0 requests the errors in stages of item `size`
  Clear,       ///< nothing is tracked any more
  JoinTimelines,
  WriteTimeline,
  End
};

/// One order in the form in which it is sent; `argumentBytes` bytes follow.
struct RankOrder {
  OrderKind kind;
  uint32_t argumentBytes = 0;
  uintptr_t start = 0; ///< Launch: see placeOfPlan
  uint64_t size = 0;
};

/// Orders one after the other.
class OrderList {
public:
  void add(const RankOrder &order, std::span<const char> arguments = {});
  std::vector<char> &bytes() { return theBytes; }
  /// Calls `visitor(order, arguments)`; stops when it returns false.
  template <typename Visitor>
  static void visit(std::span<const char> bytes, Visitor &&visitor);

private:
  std::vector<char> theBytes;
};

/// The position of a plan in the program, which is the same on all ranks; false
/// if it is in a library that was opened.
bool placeOfPlan(const SluicePlan &plan, uintptr_t &place);
const SluicePlan &planAt(uintptr_t place);

template <typename Visitor>
void OrderList::visit(std::span<const char> bytes, Visitor &&visitor) {
  while (!bytes.empty()) {
    RankOrder order;
    __builtin_memcpy(&order, bytes.data(), sizeof order);
    bytes = bytes.subspan(sizeof order);
    if (!visitor(order, bytes.first(order.argumentBytes)))
      return;
    bytes = bytes.subspan(order.argumentBytes);
  }
}

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_ORDERS_H
