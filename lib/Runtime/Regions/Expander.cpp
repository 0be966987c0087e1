//===- Expander.cpp - From statements to tasks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands blocks, loops and launches, in the order in which they were added.
//
//===----------------------------------------------------------------------===//

#include "Expander.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

SluiceTask Statement::task(uint32_t point) const {
  SluiceTask task = {};
  task.rank = rank;
  std::copy_n(extent, SLUICE_MAX_RANK, task.extent);
  Shape space;
  space.rank = std::max(1, rank);
  std::copy_n(extent, SLUICE_MAX_RANK, space.extent);
  space.coordinates(numberOf(point), task.point);
  return task;
}

std::vector<uint32_t> StatementArgument::listColors(uint32_t numPoints) const {
  std::vector<uint32_t> list = colors;
  for (uint32_t point = 0; colors.empty() && point < numPoints; ++point)
    list.push_back(point);
  return list;
}

std::string Statement::pointText(uint32_t point) const {
  if (rank == 0)
    return quoted(name);
  SluiceTask at = task(point);
  std::string text = concat(quoted(name), " at point (");
  for (int d = 0; d < rank; ++d)
    text += concat(d ? ", " : "", at.point[d]);
  return text + ")";
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// The stores of the graph have the first numbers, whatever precedes it.
FieldClasses::FieldClasses(const StatementGraph &graph, bool isSplit,
                           std::span<const StatementGraph *const> earlier)
    : isSplit(isSplit) {
  split(graph.items);
  for (const StatementGraph *before : earlier)
    split(before->items);
}

std::vector<StoreInfo> FieldClasses::describe() const {
  std::vector<StoreInfo> infos(count);
  for (const auto &[root, fields] : stores)
    for (uint32_t field = 0; field < fields.size(); ++field)
      infos[fields[field]] = {root, field, root->base(field)};
  return infos;
}

void FieldClasses::split(const Sequence &sequence) {
  for (const Item &item : sequence) {
    if (item.loop) {
      split(item.loop->body);
      if (item.loop->whileRoot)
        split(*item.loop->whileRoot, {0});
      continue;
    }
    for (const StatementArgument &argument : item.statement->arguments)
      split(*argument.root, argument.fields);
  }
}

/// Fields of one class stay together if the argument has all or none of them.
void FieldClasses::split(const Root &root,
                         const std::vector<uint32_t> &fields) {
  std::vector<Store> &known = stores[&root];
  if (known.empty() && isSplit)
    for (size_t field = 0; field < root.fields.size(); ++field)
      known.push_back(count++);
  if (isSplit)
    return;
  if (known.empty())
    known.assign(root.fields.size(), count++);
  std::map<Store, Store> renamed;
  for (uint32_t field : fields) {
    Store old = known[field];
    auto [entry, isNew] = renamed.try_emplace(old, 0);
    if (isNew) {
      size_t have = 0, all = 0;
      for (uint32_t other : fields)
        have += known[other] == old;
      // Fields of this argument that have already been renamed do not count.
      for (Store store : known)
        all += store == old;
      entry->second = have == all ? old : count++;
    }
    known[field] = entry->second;
  }
}

std::vector<regions::Store>
FieldClasses::storesOf(const Root &root,
                       const std::vector<uint32_t> &fields) const {
  const std::vector<Store> &known = stores.at(&root);
  std::vector<Store> out;
  for (uint32_t field : fields)
    out.push_back(known[field]);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

Expander::Expander(const StatementGraph &graph, OverlapTable &overlaps,
                   Homes *homes, std::span<const StatementGraph *const> earlier)
    : graph(graph), earlier(earlier), overlaps(overlaps), homes(homes),
      classes(graph, homes, earlier), expansion(std::make_unique<Expansion>()) {
}

Result<std::unique_ptr<Expansion>> Expander::run() {
  expansion->table.name = graph.name;
  expansion->numStores = classes.numStores();
  if (homes)
    expansion->stores = classes.describe();
  for (const StatementGraph *before : earlier) {
    expand(before->items);
    closeBlock();
  }
  expansion->firstStep = expansion->table.steps.size();
  expand(graph.items);
  closeBlock();
  expansion->table.steps.push_back({TableStep::End});
  if (!error.ok())
    return std::move(error);
  return std::move(expansion);
}

void Expander::openBlock() {
  if (isBlockOpen)
    return;
  isBlockOpen = true;
  TaskTable &table = expansion->table;
  table.steps.push_back({TableStep::Block, table.numBlocks()});
  expansion->blocks.emplace_back();
}

void Expander::closeBlock() {
  if (!isBlockOpen)
    return;
  isBlockOpen = false;
  expansion->table.firstTask.push_back(expansion->table.tasks.size());
}

void Expander::expand(const Sequence &sequence) {
  for (const Item &item : sequence) {
    if (item.loop)
      expand(*item.loop);
    else
      expand(*item.statement);
  }
}

void Expander::expand(const Loop &loop) {
  closeBlock();
  TaskTable &table = expansion->table;
  const auto index = static_cast<uint32_t>(table.loops.size());
  const size_t begin = table.steps.size();
  table.loops.emplace_back();
  table.steps.push_back({TableStep::LoopBegin, index, 0, loop.count});
  size_t test = 0;
  if (loop.whileRoot) {
    addTest(loop, index);
    test = table.steps.size();
    table.steps.push_back({TableStep::Test, index});
  }
  expand(loop.body);
  closeBlock();
  table.steps.push_back({TableStep::LoopEnd, index,
                         static_cast<uint32_t>(begin + 1), loop.count});
  const auto behind = static_cast<uint32_t>(table.steps.size());
  table.steps[begin].target = behind;
  if (test)
    table.steps[test].target = behind;
}

/// The test is a separate task, which reads the scalar.
void Expander::addTest(const Loop &loop, uint32_t index) {
  Statement statement = {};
  statement.name = "while";
  StatementArgument &argument = statement.arguments.emplace_back();
  argument.root = loop.whileRoot;
  argument.partition = loop.whileWhole;
  argument.colors = {0};
  argument.privilege = SLUICE_PRIVILEGE_READ;
  argument.fields = {0};
  expand(statement);
  closeBlock();
  TaskTable &table = expansion->table;
  TableLoop &tested = table.loops[index];
  tested.testTask = table.tasks.size() - 1;
  tested.context = loop.whileRoot;
  tested.goesOn = [](const void *context) {
    return static_cast<const Root *>(context)->readInteger(0, 0) != 0;
  };
  if (loop.isUnless)
    tested.goesOn = [](const void *context) {
      return static_cast<const Root *>(context)->readInteger(0, 0) == 0;
    };
  table.tasks.back().testedLoop = index;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

uint32_t sluice::regions::homeOf(const Statement &statement, uint32_t point) {
  if (statement.isHost)
    return TableTask::hostHome;
  const StatementArgument *main = nullptr;
  for (const StatementArgument &argument : statement.arguments) {
    if (argument.partition->numColors() == 1)
      continue;
    bool isWrite = argument.privilege != SLUICE_PRIVILEGE_READ;
    if (!main || (isWrite && main->privilege == SLUICE_PRIVILEGE_READ))
      main = &argument;
  }
  if (main)
    return uint64_t(main->colorOf(point)) * 65536 /
           main->partition->numColors();
  if (statement.rank)
    return uint64_t(point) * 65536 / statement.numPoints();
  // Single tasks on whole roots are distributed by root; those on scalars alone
  // stay together.
  for (const StatementArgument &argument : statement.arguments)
    if (argument.privilege != SLUICE_PRIVILEGE_READ &&
        argument.root->shape.count() > 1)
      return argument.root->index * 40503u & 65535;
  return 0;
}

void Expander::addAccesses(RegionLaunch &launch,
                           const StatementArgument &argument) {
  for (Store store : classes.storesOf(*argument.root, argument.fields))
    launch.accesses.push_back(
        {store,
         argument.partition,
         argument.listColors(launch.numPoints),
         argument.privilege != SLUICE_PRIVILEGE_READ,
         {},
         argument.privilege == SLUICE_PRIVILEGE_WRITE_DISCARD,
         argument.isForAll});
}

/// Uses the strides of the stored part.
static const SluiceDomain &domainInMemory(RegionLaunch &launch,
                                          const StatementArgument &argument,
                                          uint32_t point) {
  const SluiceDomain &domain =
      argument.partition->domain(argument.colorOf(point));
  if (argument.root->isWhole())
    return domain;
  SluiceDomain &own = launch.domains.emplace_back(domain);
  for (int d = 0; d < domain.rank; ++d)
    own.stride[d] = argument.root->stride(d);
  return own;
}

void Expander::makeViews(RegionLaunch &launch, const Statement &statement,
                         const Plans &plans) {
  const size_t numArguments = statement.arguments.size();
  for (const StatementArgument &argument : statement.arguments) {
    auto &shared = launch.pointers.emplace_back();
    for (uint32_t field : argument.fields)
      shared.push_back(argument.root->base(field));
  }
  launch.views.reserve(numArguments * launch.numPoints);
  for (uint32_t point = 0; point < launch.numPoints; ++point)
    for (size_t a = 0; a < numArguments; ++a) {
      const StatementArgument &argument = statement.arguments[a];
      launch.views.push_back({pointersOf(launch, statement, a, point, plans),
                              &domainInMemory(launch, argument, point)});
    }
}

void Expander::addTasks(RegionLaunch &launch, const Statement &statement) {
  TaskTable &table = expansion->table;
  const size_t numArguments = statement.arguments.size();
  launch.tasks.reserve(launch.numPoints);
  for (uint32_t point = 0; point < launch.numPoints; ++point) {
    launch.tasks.push_back(statement.task(point));
    TableTask &task = table.tasks.emplace_back();
    task.body = statement.body;
    task.task = &launch.tasks[point];
    task.views = launch.views.data() + point * numArguments;
    task.closure = statement.closure;
    task.name = statement.name;
    task.block = expansion->blocks.size() - 1;
    task.home = homeOf(statement, point);
  }
}

regions::RegionLaunch &Expander::beginLaunch(uint32_t numPoints) {
  openBlock();
  auto &launches = expansion->blocks.back();
  RegionLaunch &launch =
      *launches.emplace_back(std::make_unique<RegionLaunch>());
  launch.firstTask = expansion->table.tasks.size();
  launch.numPoints = numPoints;
  return launch;
}

/// Divides the statement by the homes of the elements, as a launch over pieces.
void Expander::expandDivided(const Statement &statement) {
  constexpr int64_t pieceSize = 32768;
  Statement divided = statement;
  divided.isDivisible = false;
  const StatementArgument &last = statement.arguments.back();
  std::vector<uint32_t> ranks;
  PartitionPointer pieces = homes->makePieces(
      *last.root, last.partition->sets[last.colors[0]], pieceSize, ranks);
  if (ranks.empty())
    return;
  divided.rank = 1;
  divided.extent[0] = static_cast<int64_t>(ranks.size());
  for (StatementArgument &argument : divided.arguments) {
    PartitionPointer own = makeWhole(*argument.root, statement.name, {});
    own->sets = pieces->sets;
    own->domains.clear();
    own->colors = pieces->colors;
    own->parent = pieces->parent;
    finishPartition(*own);
    argument.partition = own.get();
    argument.colors.resize(ranks.size());
    for (uint32_t piece = 0; piece < ranks.size(); ++piece)
      argument.colors[piece] = piece;
    expansion->partitions.push_back(std::move(own));
  }
  expand(divided);
  expansion->blocks.back().back()->ranks = std::move(ranks);
}

void Expander::expand(const Statement &statement) {
  if (homes && statement.isDivisible)
    return expandDivided(statement);
  Plans plans = planReductions(statement);
  RegionLaunch &launch = beginLaunch(statement.numPoints());
  launch.subset = statement.subset;
  if (statement.subset)
    launch.ranks = statement.subset->ranks;
  else if (homes)
    for (uint32_t point = 0; point < launch.numPoints; ++point)
      launch.ranks.push_back(homes->rankOf(statement, point));
  launch.closure = statement.ownedClosure;
  makeViews(launch, statement, plans);
  addTasks(launch, statement);
  for (size_t a = 0; a < statement.arguments.size(); ++a) {
    if (statement.arguments[a].isReduction())
      addReduction(launch, statement, a, plans);
    else
      addAccesses(launch, statement.arguments[a]);
  }
  // Other data between two ranks for the launch travels together with its
  // scalars.
  for (bool isTiny : {true, false})
    for (const auto &plan : plans)
      if (plan->isTiny == isTiny)
        addFolds(*plan, launch.ranks);
}
