//===- ProgramOverRegions.cpp - A program over regions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots and partitions, and graphs from begin to end.
//
//===----------------------------------------------------------------------===//

#include "ProgramOverRegions.h"

#include "Dependences.h"
#include "Expander.h"
#include "Files/FilesAPI.h"
#include "Files/SharedFiles.h"
#include "Records/RootMemory.h"

#include "../Host/HostRuntime.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

RegionProgram::RegionProgram(std::string name, Runtime *runtime,
                             bool comparesOrders, const SluiceCluster *cluster,
                             bool checksElements)
    : name(std::move(name)), runtime(runtime), comparesOrders(comparesOrders),
      elements(checksElements ? std::make_unique<ElementCheck>(roots)
                              : nullptr) {
  if (cluster && cluster->numRanks > 1)
    distribution = std::make_unique<DistributedState>(*cluster);
}

RegionProgram::~RegionProgram() = default;

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

Result<const Root *> RegionProgram::findRoot(uint32_t root,
                                             const char *call) const {
  if (root < roots.size())
    return roots[root].get();
  return Status::invalidArgument(
      concat(call, ": there is no root ", root, "; the program ", quoted(name),
             " has ", countOf(roots.size(), "root", "roots")));
}

Result<const RootPartition *>
RegionProgram::findPartition(uint32_t partition, const char *call) const {
  if (partition < partitions.size())
    return partitions[partition].get();
  return Status::invalidArgument(
      concat(call, ": there is no partition ", partition, "; the program ",
             quoted(name), " has ",
             countOf(partitions.size(), "partition", "partitions")));
}

Status RegionProgram::checkField(const Root &root, uint32_t field,
                                 const char *call) const {
  if (field < root.fields.size())
    return {};
  return Status::invalidArgument(
      concat(call, ": root ", quoted(root.name), " has no field ", field,
             ", it has ", countOf(root.fields.size(), "field", "fields")));
}

const RootPartition &RegionProgram::wholeOf(const Root &root) {
  PartitionPointer &whole = wholes[&root];
  if (!whole)
    whole = makeWhole(root, root.name, ElementSet(Box::whole(root.shape)));
  return *whole;
}

const RootPartition &RegionProgram::unionOf(const RootPartition &partition) {
  PartitionPointer &all = unions[&partition];
  if (!all) {
    const Shape &shape = partition.root->shape;
    int64_t total = 0;
    if (!partition.isComplete)
      for (const ElementSet &set : partition.sets)
        total += set.size();
    ElementSet set = partition.parent;
    const bool coversAll =
        partition.isComplete || (partition.isDisjoint && total == set.size());
    if (!coversAll) {
      Runs runs;
      for (const ElementSet &color : partition.sets)
        color.forEachRun(shape, [&](int64_t begin, int64_t end) {
          runs.push_back({begin, end});
        });
      set = ElementSet::ofAnyRuns(shape, std::move(runs));
    }
    all = makeWhole(*partition.root, partition.name, std::move(set));
  }
  return *all;
}

//===----------------------------------------------------------------------===//
// Roots and partitions
//===----------------------------------------------------------------------===//

Result<uint32_t> RegionProgram::addRoot(const char *name, int32_t rank,
                                        const int64_t *extents,
                                        uint32_t numFields,
                                        const SluiceField *fields) {
  auto index = static_cast<uint32_t>(roots.size());
  Result<std::unique_ptr<Root>> root =
      makeRoot(name, index, rank, extents, numFields, fields,
               distribution ? Pages::Small : Pages::Large);
  if (!root.ok())
    return root.takeStatus();
  roots.push_back(std::move(*root));
  return index;
}

Result<void *> RegionProgram::rootField(uint32_t root, uint32_t field) {
  Result<const Root *> found = findRoot(root, "sluiceRootField");
  if (!found.ok())
    return found.takeStatus();
  if (Status status = checkField(**found, field, "sluiceRootField");
      !status.ok())
    return status;
  // Running tasks have addresses of memory that would move.
  if (graph && !(*found)->isWhole())
    return Status::misuse(
        concat("sluiceRootField: this rank has a part of root ",
               quoted((*found)->name), ": ask for its address before graph ",
               quoted(graph->name), " begins, or set SLUICE_COMPACT=never"));
  if (distribution)
    if (Status status = distribution->layouts.keepWhole(*roots[root]);
        !status.ok())
      return status;
  return (*found)->fields[field].memory.get();
}

Status RegionProgram::useMemory(uint32_t root, uint32_t field, void *memory,
                                uint64_t bytes) {
  Result<const Root *> found = findRoot(root, "memory of a field");
  if (!found.ok())
    return found.takeStatus();
  if (Status status = checkField(**found, field, "memory of a field");
      !status.ok())
    return status;
  if (distribution || !partitions.empty())
    return Status::misuse(concat("memory for root ", quoted((*found)->name),
                                 " comes too late, or on several ranks"));
  Field &target = roots[root]->fields[field];
  const uint64_t expected =
      static_cast<uint64_t>((*found)->shape.count()) * target.elementBytes();
  if (bytes != expected)
    return Status::invalidArgument(
        concat("field ", quoted(target.name), " of root ",
               quoted((*found)->name), " with extents ", (*found)->shape.text(),
               " has ", expected, " bytes, but its memory has ", bytes));
  if (!memory || reinterpret_cast<uintptr_t>(memory) % sizeOf(target.type))
    return Status::invalidArgument(
        concat("the memory of field ", quoted(target.name), " of root ",
               quoted((*found)->name), " is not aligned to ",
               sizeOf(target.type), " bytes"));
  target.memory = FieldMemory::borrow(memory);
  if (elements)
    elements->addMemory(memory, bytes);
  return {};
}

Result<int64_t> RegionProgram::readScalar(uint32_t root) {
  Result<const Root *> found = findRoot(root, "sluiceRunSteps");
  if (!found.ok())
    return found.takeStatus();
  const Field &field = (*found)->fields.front();
  if ((*found)->shape.count() != 1 || field.count != 1 ||
      !isInteger(field.type))
    return Status::invalidArgument(
        concat("root ", quoted((*found)->name),
               " is no single integer, which 'while' needs"));
  if (Status status = bringEverywhere(root, 0); !status.ok())
    return status;
  return (*found)->readInteger(0, 0);
}

bool RegionProgram::isWaiting() const {
  return checkpoints && checkpoints->isWaiting();
}

Result<RegionProgram::Part>
RegionProgram::findPart(const SluiceRegionPart &part, const char *call) {
  Result<const Root *> root = findRoot(part.root, call);
  if (!root.ok())
    return root.takeStatus();
  if (part.partition == SLUICE_NO_PARTITION)
    return Part{&wholeOf(**root), 0, concat("root ", quoted((*root)->name))};
  Result<const RootPartition *> found = findPartition(part.partition, call);
  if (!found.ok())
    return found.takeStatus();
  const RootPartition &partition = **found;
  std::string name = concat("partition ", partition.text());
  if (partition.root != *root || part.color >= partition.numColors())
    return Status::invalidArgument(concat(call, ": ", name, " has no color ",
                                          part.color, ", or is not of root ",
                                          quoted((*root)->name)));
  if (part.color < 0)
    return Part{&unionOf(partition), 0, std::move(name)};
  name = concat("color ", colorText(partition, part.color), " of ", name);
  return Part{&partition, part.color, std::move(name)};
}

Result<const SluiceDomain *>
RegionProgram::elementsOf(const SluiceRegionPart &wanted) {
  Result<Part> part = findPart(wanted, "sluiceElementsOf");
  if (!part.ok())
    return part.takeStatus();
  return &part->partition->domain(part->color);
}

Status RegionProgram::constrain(bool isDisjoint, const SluiceRegionPart &first,
                                const SluiceRegionPart &second) {
  Result<Part> a = findPart(first, "sluiceConstrain");
  if (!a.ok())
    return a.takeStatus();
  Result<Part> b = findPart(second, "sluiceConstrain");
  if (!b.ok())
    return b.takeStatus();
  const ElementSet &left = a->partition->sets[a->color];
  const ElementSet &right = b->partition->sets[b->color];
  const Shape &shape = roots[first.root]->shape;
  ElementSet wrong = left;
  if (first.root == second.root)
    wrong = isDisjoint ? intersect(shape, left, right)
                       : subtract(shape, left, right);
  else if (isDisjoint)
    return {};
  if (wrong.isEmpty())
    return {};
  return Status::invalidArgument(
      concat(a->name, isDisjoint ? " and " : " is declared a part of ", b->name,
             isDisjoint ? " are declared disjoint" : "",
             isDisjoint ? ", but both have element "
                        : ", which does not have element ",
             shape.elementText(wrong.first(shape))));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Status RegionProgram::checkOpen(const char *call, bool wantsGraph) const {
  if (wantsGraph && !graph)
    return Status::misuse(
        concat(call, " outside of a graph: call sluiceBeginGraph first"));
  if (!wantsGraph && graph)
    return Status::misuse(concat(call, ": graph ", quoted(graph->name),
                                 " is still open: call sluiceEndGraph first"));
  return {};
}

Status RegionProgram::beginGraph(const char *name) {
  if (Status status = checkOpen("sluiceBeginGraph", false); !status.ok())
    return status;
  graph = std::make_unique<StatementGraph>();
  graph->name = name;
  return {};
}

Status RegionProgram::beginLoop(int64_t count, uint32_t whileRoot) {
  if (Status status = checkOpen("sluiceBeginLoop", true); !status.ok())
    return status;
  auto loop = std::make_unique<Loop>();
  loop->count = count;
  if (whileRoot != SLUICE_NO_PARTITION) {
    Result<const Root *> found = findRoot(whileRoot, "sluiceBeginLoop");
    if (!found.ok())
      return found.takeStatus();
    const Root &root = **found;
    if (root.shape.count() != 1 || root.fields.size() != 1 ||
        root.fields[0].count != 1 || !isInteger(root.fields[0].type))
      return Status::invalidArgument(
          concat("sluiceBeginLoop: root ", quoted(root.name), " with extents ",
                 root.shape.text(), " and ",
                 countOf(root.fields.size(), "field", "fields"),
                 " is no single integer, which 'while' needs"));
    loop->whileRoot = &root;
    loop->whileWhole = &wholeOf(root);
  }
  Loop *opened = loop.get();
  openSequence().push_back({nullptr, std::move(loop)});
  openLoops.push_back(opened);
  return {};
}

Status RegionProgram::beginUnless(uint32_t root) {
  Status status = beginLoop(1, root);
  if (status.ok())
    openLoops.back()->isUnless = true;
  return status;
}

Status RegionProgram::endLoop() {
  if (Status status = checkOpen("sluiceEndLoop", true); !status.ok())
    return status;
  if (openLoops.empty())
    return Status::misuse(concat("sluiceEndLoop: no loop is open in graph ",
                                 quoted(graph->name)));
  openLoops.pop_back();
  return {};
}

/// Uses the known orders.
Status RegionProgram::findOrders(Expansion &expansion,
                                 const SluiceRegionOrders *orders) {
  const bool isCompared = orders && comparesOrders;
  if (orders && !isCompared && takeOrders(*orders, expansion.table))
    return {};
  DependenceFinder(expansion, overlaps).run();
  const int64_t different =
      isCompared ? findDifference(*orders, expansion.table) : -1;
  if (different < 0)
    return {};
  return Status::invalidArgument(
      concat("graph ", quoted(graph->name), ": task ", different, ", ",
             quoted(expansion.table.tasks[different].name),
             ", waits for others than those that were known when the program "
             "was compiled"));
}

Status RegionProgram::checkGraphEnd() const {
  if (Status status = checkOpen("sluiceEndGraph", true); !status.ok())
    return status;
  if (!openLoops.empty())
    return Status::misuse(concat("sluiceEndGraph: a loop is still open in "
                                 "graph ",
                                 quoted(graph->name)));
  return {};
}

Result<std::unique_ptr<Expansion>>
RegionProgram::instantiate(const SluiceRegionOrders *orders) {
  if (Status status = checkGraphEnd(); !status.ok())
    return status;
  Result<std::unique_ptr<Expansion>> expansion =
      Expander(*graph, overlaps).run();
  if (!expansion.ok())
    return expansion;
  if (Status status = findOrders(**expansion, orders); !status.ok())
    return status;
  return expansion;
}

void RegionProgram::forgetPartitions(const Expansion &expansion) {
  for (const PartitionPointer &partition : expansion.partitions)
    overlaps.forget(*partition);
}

void RegionProgram::forgetGraph(const Expansion &expansion) {
  forgetPartitions(expansion);
  closeGraph();
}

void RegionProgram::closeGraph() {
  if (distribution && std::exchange(distribution->keepsGraph, false))
    distribution->graphsBefore.push_back(std::move(graph));
  graph.reset();
}

Status RegionProgram::runHere(const SluiceRegionOrders *orders) {
  Result<std::unique_ptr<Expansion>> expansion = instantiate(orders);
  if (!expansion.ok())
    return expansion.takeStatus();
  // A program is either checked or recorded; without memory there is no record.
  std::function<TableMemory()> memory;
  if (!elements)
    memory = [&] { return rootMemory(roots, **expansion); };
  Status status = runtime->runTable((*expansion)->table, memory);
  forgetPartitions(**expansion);
  return status;
}

Status RegionProgram::runOpenGraph(const SluiceRegionOrders *orders) {
  auto run = [&] { return distribution ? runDistributed() : runHere(orders); };
  if (!files)
    return run();
  SharedFiles *before = setSharedFiles(files);
  Status status = run();
  setSharedFiles(before);
  return status;
}

Status RegionProgram::endGraph(const SluiceRegionOrders *orders) {
  if (!runtime)
    return Status::misuse(concat("sluiceEndGraph: program ", quoted(name),
                                 " was made before sluiceInit"));
  if (Status status = checkGraphEnd(); !status.ok())
    return status;
  Status status = checkpoints ? runInParts() : runOpenGraph(orders);
  if (status.ok() && files)
    status = files->finish();
  closeGraph();
  return status;
}
