//===- TaskMessages.h - Messages between tasks on different ranks ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank computes all messages of a run, and then its own messages with
// their predecessors and successors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_TASKMESSAGES_H
#define SLUICE_RUNTIME_TASKS_RANKS_TASKMESSAGES_H

#include "TaskMap.h"

namespace sluice::tasks {

/// A message from one rank to another before a task begins there: the elements
/// that the task reads and that the sender wrote last. The message also
/// announces that the predecessors of the task on the sender have ended; if it
/// has no parts, only this.
struct TaskMessage {
  struct Part {
    uint32_t data;
    Runs runs;
  };
  uint32_t reader; ///< the number of tasks: the end of the run
  uint32_t from, to;
  std::vector<Part> parts; ///< by dataset, ascending
};

/// The messages of a run in which task t runs on rank `ranks[t]`, in the order
/// of their readers. At the end rank 0 has all elements of printed datasets.
std::vector<TaskMessage> findMessages(const SluiceTaskProgram &program,
                                      const TaskMap &map,
                                      const std::vector<uint32_t> &ranks);

/// The messages of one rank and their order.
struct RankOrders {
  struct Message {
    TaskMessage what;
    bool isSend;
    /// How many tasks and messages of this rank must end before it begins.
    uint32_t numWaits = 0;
    /// Its successors.
    std::vector<uint32_t> messagesAfter, tasksAfter;
  };
  std::vector<Message> messages;
  /// By task: messages that wait for its end.
  std::vector<std::vector<uint32_t>> messagesAfter;
  /// By task: the number of messages for which it waits.
  std::vector<uint32_t> numWaits;
  /// By dataset: the number of tasks and messages of this rank that use it.
  std::vector<uint32_t> numUses;
};

RankOrders findOrders(const SluiceTaskProgram &program, const TaskMap &map,
                      const std::vector<uint32_t> &ranks,
                      const std::vector<TaskMessage> &messages, uint32_t rank);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_TASKMESSAGES_H
