//===- RunProgram.cpp - Region programs without generated code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"
#include "../Regions/AddOrders.h"
#include "sluice/CodeGen/RegionTable.h"

#include <mutex>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Functions without a closure
//===----------------------------------------------------------------------===//

/// The forest that the colorings of all small modules use.
static const SmallForest *theForest;

/// The only coloring, 'f', of the partition 'i'.
static void colorSome(const int64_t *color, SluiceColoring *elements) {
  const SmallRegion &partition = theForest->regions[theForest->find("@i")];
  const SmallRegion &part = theForest->regions[partition.colors[*color]];
  for (uint32_t element : part.elements)
    elements->add(elements, element, element + 1);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// The positions of a view in the order in which its function visits them.
static std::set<int64_t> positionsOf(const SluiceDomain &domain) {
  std::set<int64_t> positions;
  if (domain.runs) {
    for (int64_t r = 0; r < domain.numRuns; ++r)
      for (int64_t p = domain.runs[r].begin; p < domain.runs[r].end; ++p)
        positions.insert(p);
    return positions;
  }
  for (int64_t i = domain.lower[0]; i < domain.upper[0]; ++i)
    for (int64_t j = domain.lower[1]; j < domain.upper[1]; ++j)
      for (int64_t k = domain.lower[2]; k < domain.upper[2]; ++k)
        positions.insert(i * domain.stride[0] + j * domain.stride[1] +
                         k * domain.stride[2]);
  return positions;
}

namespace {
class ProgramRun {
public:
  explicit ProgramRun(const SmallProgram &small)
      : small(small), program(*small.program), table(program),
        functions(small.functions()), count(small.count) {
    sluice::driver::addOrders(program, table);
  }
  RunResult run();

private:
  struct Call {
    ProgramRun *run;
    const std::string *name;
    LeafFunction *function;
  };

  static void enter(const SluiceTask *task, const SluiceView *views,
                    const void *closure);
  void runTask(const Call &call, const SluiceTask &task,
               const SluiceView *views);
  void fail(const std::string &text) {
    std::lock_guard lock(mutex);
    if (result.problem.empty())
      result.problem = text;
  }

  void setPointers();
  void setTask(SluiceRegionStatement &task, const RegionStatement &statement);
  int64_t *fieldOf(uint32_t place);

  const SmallProgram &small;
  const RegionModel &program;
  RegionTable table;
  std::map<std::string, LeafFunction> functions;
  std::vector<std::unique_ptr<Call>> calls;
  SluiceProgram *runtime = nullptr;
  /// The value of the only parameter.
  int64_t count;
  std::mutex mutex;
  RunResult result;
};
} // namespace

void ProgramRun::enter(const SluiceTask *task, const SluiceView *views,
                       const void *closure) {
  const Call &call = *static_cast<const Call *>(closure);
  call.run->runTask(call, *task, views);
}

void ProgramRun::runTask(const Call &call, const SluiceTask &task,
                         const SluiceView *views) {
  int64_t point = 0;
  for (int32_t d = 0; d < task.rank; ++d)
    point = point * task.extent[d] + task.point[d];
  std::vector<int64_t *> slots;
  for (const LeafArgument &argument : call.function->arguments) {
    const SluiceView &view = *views++;
    for (uint32_t slot = 0; slot < argument.numSlots; ++slot)
      slots.push_back(
          static_cast<int64_t *>(view.fields[argument.isScalar ? 0 : slot]));
    if (!argument.isScalar &&
        positionsOf(*view.domain) != argument.elements[point])
      return fail("a point of '" + *call.name + "' is given other elements");
  }
  call.function->leaf->run(task, slots.data());
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// The number for a place of the forest in the runtime's memory; null for the
/// second field of a scalar, which does not exist.
int64_t *ProgramRun::fieldOf(uint32_t place) {
  const SmallForest::Root &root = small.forest.rootOf(place);
  uint32_t field = place % SmallForest::numFields;
  for (uint32_t i = 0; i < program.roots.size(); ++i)
    if (program.roots[i].name == root.name)
      return field >= program.roots[i].fields.size()
                 ? nullptr
                 : static_cast<int64_t *>(sluiceRootField(runtime, i, field)) +
                       (place / SmallForest::numFields - root.firstElement);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void ProgramRun::setTask(SluiceRegionStatement &task,
                         const RegionStatement &statement) {
  auto found = functions.find(statement.function);
  if (found == functions.end() ||
      found->second.arguments.size() != statement.arguments.size())
    return fail("'" + statement.function + "' has other arguments");
  calls.push_back(
      std::make_unique<Call>(Call{this, &found->first, &found->second}));
  task.body = enter;
  task.closure = calls.back().get();
  for (const RegionArgument &argument : statement.arguments)
    if (argument.projection.needsCheck)
      fail("points of '" + statement.function + "' were not shown to be apart");
}

/// Fills in the pointers for which a built program has its own code and
/// variables.
void ProgramRun::setPointers() {
  for (auto [task, statement] : table.tasks)
    setTask(*task, *statement);
  for (SluiceRegionPartition &partition : table.partitions())
    if (table.symbols.contains(&partition.coloring))
      partition.coloring = colorSome;
  for (SluiceRegionParameter &parameter : table.parameters())
    parameter.variable = &count;
}

RunResult ProgramRun::run() {
  theForest = &small.forest;
  setPointers();
  for (const SluiceRegionGraph &graph :
       llvm::ArrayRef(table.program->graphs, table.program->numGraphs))
    result.numKnown += graph.orders != nullptr;
  runtime = sluiceCreateRegions(table.program);
  uint32_t numPlaces = small.forest.numElements * SmallForest::numFields;
  for (uint32_t place = 0; place < numPlaces; ++place)
    if (int64_t *number = fieldOf(place))
      *number = firstNumber(place);
  sluiceRunSteps(runtime, table.program);
  for (uint32_t place = 0; place < numPlaces; ++place) {
    int64_t *number = fieldOf(place);
    result.numbers.push_back(number ? *number : firstNumber(place));
  }
  sluiceProgramDestroy(runtime);
  return std::move(result);
}

RunResult oracle::runProgram(const SmallProgram &program) {
  return ProgramRun(program).run();
}
