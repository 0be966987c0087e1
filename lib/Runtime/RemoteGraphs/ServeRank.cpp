//===- ServeRank.cpp - Serving on ranks other than rank 0 -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every order updates the knowledge of memory in the same way as on rank 0.
//
//===----------------------------------------------------------------------===//

#include "ServeRank.h"

#include "../Execution/Executor.h"
#include "../Plan/Arguments.h"
#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"
#include "GraphRun.h"
#include "Orders.h"
#include "StagedItem.h"

#include "sluice/Base/Text.h"

#include <cstring>
#include <map>
#include <memory>
#include <utility>

using namespace sluice;

namespace {
/// Nobody waits for instances here.
class Nobody final : public InstanceOwner {
public:
  void instanceEnded(Worker *) override {}
};

class RankServer {
public:
  RankServer(RankLink &link, Executor &executor, const RankServices &services)
      : link(link), executor(executor), services(services), state(link),
        mail(link) {}

  Status run();

private:
  Status carryOut(const RankOrder &order, std::span<const char> arguments);
  Result<GraphInstance *> instanceOf(uintptr_t place,
                                     std::span<const char> arguments,
                                     std::vector<uintptr_t> &pointers);
  template <typename Run> void atWork(GraphInstance &instance, Run &&run);
  Status launch(uintptr_t place, std::span<const char> arguments);
  Status runItem(const RankOrder &order, std::span<const char> bytes);

  RankLink &link;
  Executor &executor;
  const RankServices &services;
  RankState state;
  StageMail mail;
  /// Errors in stages on this rank by item, until rank 0 requests them or those
  /// of a later item.
  std::map<uint64_t, std::string> stageErrors;
  Nobody nobody;
  std::map<const PlanInfo *, std::unique_ptr<GraphInstance>> instances;
};
} // namespace

/// The instance of a plan, with arguments whose addresses are local; `pointers`
/// receives those of rank 0.
Result<GraphInstance *>
RankServer::instanceOf(uintptr_t place, std::span<const char> arguments,
                       std::vector<uintptr_t> &pointers) {
  Result<const PlanInfo *> info = services.find(planAt(place));
  if (!info.ok())
    return info.takeStatus();
  std::unique_ptr<GraphInstance> &instance = instances[*info];
  if (!instance)
    instance = std::make_unique<GraphInstance>(**info, nobody);
  readPackedArguments(**info, arguments.data(), instance->frame);
  for (const PointerArgument &pointer : (*info)->pointers) {
    uintptr_t &address = pointers.emplace_back();
    std::memcpy(&address, instance->frame + pointer.frameOffset,
                sizeof address);
    const uintptr_t here = state.memory.at(address);
    std::memcpy(instance->frame + pointer.frameOffset, &here, sizeof here);
  }
  return instance.get();
}

/// Calls `run` as a worker, and records it in the timeline.
template <typename Run>
void RankServer::atWork(GraphInstance &instance, Run &&run) {
  // This is the only host thread that takes the seat.
  Pool &pool = executor.getPool();
  pool.tryEnter();
  const uint64_t start = clockNanoseconds();
  instance.startTime = start;
  run();
  if (Trace *trace = executor.getTrace())
    trace->addInstance(instance.info.plan, start, clockNanoseconds());
  pool.leave();
  instance.memory.reset();
}

Status RankServer::launch(uintptr_t place, std::span<const char> arguments) {
  std::vector<uintptr_t> pointers;
  Result<GraphInstance *> found = instanceOf(place, arguments, pointers);
  if (!found.ok())
    return found.takeStatus();
  GraphInstance &instance = **found;
  atWork(instance, [&] { runOnRanks(state, executor, instance, pointers); });
  (void)instance.takeError();
  return {};
}

Status RankServer::runItem(const RankOrder &order,
                           std::span<const char> bytes) {
  auto next = [&] {
    uint32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
    return value;
  };
  StageMap map;
  map.firstNodes.resize(next());
  for (uint32_t &first : map.firstNodes)
    first = next();
  std::vector<uintptr_t> pointers;
  Result<GraphInstance *> found = instanceOf(order.start, bytes, pointers);
  if (!found.ok())
    return found.takeStatus();
  GraphInstance &instance = **found;
  char hasFailed = 0;
  atWork(instance, [&] {
    runStages(state, mail, executor, {instance, pointers, map, order.size},
              hasFailed);
  });
  if (instance.failed())
    stageErrors[order.size] =
        concat("rank ", link.rank(), ": ", instance.takeError().message());
  else
    (void)instance.takeError();
  return {};
}

Status RankServer::carryOut(const RankOrder &order,
                            std::span<const char> arguments) {
  const ByteRange bytes = {order.start, order.start + order.size};
  switch (order.kind) {
  case OrderKind::Track:
    state.directory.track(order.start, order.size);
    return state.memory.track(order.start, order.size);
  case OrderKind::Untrack:
    state.directory.untrack(order.start);
    state.memory.untrack(order.start);
    return {};
  case OrderKind::Home: {
    std::vector<RankMove> moves;
    state.directory.findMissing(0, bytes, moves);
    state.directory.arrived(moves);
    return state.move(moves);
  }
  case OrderKind::Write:
    state.directory.write(0, bytes);
    return {};
  case OrderKind::Launch:
    return launch(order.start, arguments);
  case OrderKind::Item:
    return runItem(order, arguments);
  case OrderKind::StageErrors:
    (void)link.firstError(stageErrors[order.size]);
    stageErrors.erase(stageErrors.begin(), stageErrors.upper_bound(order.size));
    return {};
  case OrderKind::Clear:
    mail.finish();
    link.settle();
    state.directory.clear();
    state.memory.clear();
    return {};
  case OrderKind::JoinTimelines:
    services.joinTimelines();
    return {};
  case OrderKind::WriteTimeline:
    services.writeTimeline();
    return {};
  case OrderKind::End:
    return {};
  }
  return {};
}

Status RankServer::run() {
  std::vector<char> bytes;
  for (bool goesOn = true; goesOn;) {
    Status status = link.broadcast(bytes);
    OrderList::visit(
        bytes, [&](const RankOrder &order, std::span<const char> arguments) {
          if (status.ok())
            status = carryOut(order, arguments);
          goesOn = order.kind != OrderKind::End;
          return status.ok() && goesOn;
        });
    if (!status.ok())
      return status;
  }
  return {};
}

Status sluice::serveRank(RankLink &link, Executor &executor,
                         const RankServices &services) {
  return RankServer(link, executor, services).run();
}

Status sluice::tellRanks(RankLink &link, OrderKind kind) {
  OrderList orders;
  orders.add({kind});
  return link.broadcast(orders.bytes());
}
