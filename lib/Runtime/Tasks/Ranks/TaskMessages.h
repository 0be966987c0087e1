//===- TaskMessages.h - What tasks on different ranks send each other -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank finds all messages of a run, and then those that are its own with
// what they wait for and what waits for them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_TASKMESSAGES_H
#define SLUICE_RUNTIME_TASKS_RANKS_TASKMESSAGES_H

#include "TaskMap.h"

namespace sluice::tasks {

/// What one rank sends to another before a task begins there: the elements that
/// the task reads, and that rank wrote last. The message also says that what
/// the task waits for on its rank has ended; nothing else, if it has no parts.
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
/// of their readers. In the end rank 0 has all elements of what is printed.
std::vector<TaskMessage> findMessages(const SluiceTaskProgram &program,
                                      const TaskMap &map,
                                      const std::vector<uint32_t> &ranks);

/// What one rank has to do with messages.
struct RankOrders {
  struct Message {
    TaskMessage what;
    bool isSend;
    /// How many tasks and messages of this rank have to end before it begins.
    uint32_t numWaits = 0;
    /// What waits for its end.
    std::vector<uint32_t> messagesAfter, tasksAfter;
  };
  std::vector<Message> messages;
  /// By task: messages that wait for its end.
  std::vector<std::vector<uint32_t>> messagesAfter;
  /// By task: how many messages it waits for.
  std::vector<uint32_t> numWaits;
  /// By dataset: tasks and messages of this rank that use it.
  std::vector<uint32_t> numUses;
};

RankOrders findOrders(const SluiceTaskProgram &program, const TaskMap &map,
                      const std::vector<uint32_t> &ranks,
                      const std::vector<TaskMessage> &messages, uint32_t rank);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_TASKMESSAGES_H
