//===- NextNode.h - How a worker finds its next node ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one policy by which workers share lists of nodes, whatever is on them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_NEXTNODE_H
#define SLUICE_RUNTIME_SCHEDULING_NEXTNODE_H

#include "Parking.h"

#include <chrono>
#include <thread>

namespace sluice {

/// A ready node for the worker of list `own`: of that list, of one without an
/// owner, or, when the share has no more patience after so many looks, of any.
/// False: no node is left to take. The first node in order that has not begun
/// is ready and can be taken from its list, so one of all workers always goes
/// on.
template <typename Share>
bool nextNode(Share &share, uint32_t own, uint32_t &node) {
  constexpr unsigned longPatience = 1024, sleepPatience = 16384;
  const auto numLists = static_cast<uint32_t>(share.numLists());
  for (unsigned numSpins = 0;; ++numSpins) {
    if (share.takeReady(own, node))
      return true;
    bool isEmpty = share.isEmpty(own);
    bool mayTakeAny = isEmpty || share.mayTakeAny(numSpins);
    for (uint32_t i = 1; i < numLists; ++i) {
      uint32_t list = own + i < numLists ? own + i : own + i - numLists;
      if ((mayTakeAny || !share.isOwned(list)) && share.takeReady(list, node))
        return true;
      isEmpty = isEmpty && share.isEmpty(list);
    }
    if (isEmpty)
      return false;
    if (numSpins < longPatience)
      pauseProcessor();
    else if (numSpins < sleepPatience)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_NEXTNODE_H
