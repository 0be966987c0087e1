//===- PlanText.cpp - Plans of one rank, to compare -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps, tasks with their orders and elements, and messages.
//
//===----------------------------------------------------------------------===//

#include "PlanText.h"

#include "../Dependences.h"

#include <sstream>
#include <string_view>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

int64_t sluice::regions::test::numberOf(const SluiceTask &task) {
  return (task.point[0] * task.extent[1] + task.point[1]) * task.extent[2] +
         task.point[2];
}
int64_t sluice::regions::test::countOf(const SluiceTask &task) {
  return task.extent[0] * task.extent[1] * task.extent[2];
}

std::string sluice::regions::test::textOf(const LocalGraph &graph) {
  std::ostringstream out;
  const TaskTable &table = graph.local->table;
  OverlapTable overlaps;
  DependenceFinder(*graph.local, overlaps).run();
  for (const TableStep &step : table.steps)
    out << "step " << step.kind << " " << step.target << " " << step.count
        << "\n";
  std::map<regions::Store, uint32_t> copies;
  auto isFold = [](const TableTask &task) {
    return !task.isOutside && std::string_view(task.name) == "fold";
  };
  for (const auto &block : graph.local->blocks)
    for (const auto &launch : block)
      for (const LaunchAccess &access : launch->accesses)
        for (uint32_t point = 0; point < launch->numPoints; ++point)
          if (graph.all->stores[access.storeOf(point)].reset &&
              !isFold(table.tasks[launch->firstTask + point]))
            copies[access.storeOf(point)] = 0;
  uint32_t number = 0;
  for (auto &[store, copy] : copies)
    copy = number++;
  for (size_t b = 0; b < graph.local->blocks.size(); ++b)
    for (const auto &launch : graph.local->blocks[b])
      for (uint32_t point = 0; point < launch->numPoints; ++point) {
        const uint32_t number = launch->firstTask + point;
        const TableTask &task = table.tasks[number];
        out << "block " << b << " " << task.name << " " << task.home;
        for (const TablePredecessor &before : table.predecessorsOf(number))
          out << (before.isPrevious ? " afterlast " : " after ") << before.task;
        if (task.isOutside) {
          const MessageInfo message = graph.messages->messageOf(number);
          out << (message.isSend ? " to " : " from ") << message.peer << " tag "
              << message.tag << " bytes " << message.bytes;
        } else if (!isFold(task)) {
          out << " at " << numberOf(*task.task) << " of "
              << countOf(*task.task);
        }
        for (size_t a = 0; a < launch->accesses.size(); ++a) {
          const LaunchAccess &access = launch->accesses[a];
          const regions::Store store = access.storeOf(point);
          const StoreInfo &info = graph.all->stores[store];
          if (info.reset && !copies.contains(store))
            continue;
          out << "\n  " << info.root->name << info.root->index << "."
              << info.field;
          if (info.reset)
            out << " copy " << copies.at(store);
          out << (access.isWrite ? " w" : " r") << access.discards
              << access.consumes;
          const ElementSet &set = access.partition->sets[access.colorOf(point)];
          set.forEachRun(info.root->shape, [&](int64_t begin, int64_t end) {
            out << " " << begin << "-" << end;
          });
        }
        out << "\n";
      }
  return out.str();
}
