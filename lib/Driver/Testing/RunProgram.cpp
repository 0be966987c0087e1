//===- RunProgram.cpp - Region programs without generated code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"
#include "sluice-c/Regions.h"

#include "llvm/Support/ErrorHandling.h"

#include <array>
#include <functional>
#include <mutex>
#include <utility>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Functions without a closure
//===----------------------------------------------------------------------===//

/// The colorings of all small modules are of this forest.
static const SmallForest *theForest;

/// The only coloring, 'f', of the partition 'i'.
static void colorSome(const int64_t *color, SluiceColoring *elements) {
  const SmallRegion &partition = theForest->regions[theForest->find("@i")];
  const SmallRegion &part = theForest->regions[partition.colors[*color]];
  for (uint32_t element : part.elements)
    elements->add(elements, element, element + 1);
}

/// The projections of the statement that is added.
static std::array<std::function<int64_t(const SluiceTask &)>, 16> projections;

template <size_t index> static int64_t project(const SluiceTask *task) {
  return projections[index](*task);
}

template <size_t... indices>
static constexpr std::array<SluiceProjection, sizeof...(indices)>
projectionFunctions(std::index_sequence<indices...>) {
  return {project<indices>...};
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// The positions of a view, as its function would walk over them.
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
      : small(small), program(*small.program), functions(small.functions()) {}
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

  void addRoots();
  void addPartition(const RegionPartition &partition);
  void addStatements(const std::vector<RegionStatement> &statements);
  void addTask(const RegionStatement &statement);
  SluiceArgument argumentOf(const RegionStatement &statement,
                            const RegionArgument &argument, size_t index);
  int64_t numberOf(const Extent &extent) const {
    return extent.parameter == noIndex ? extent.constant : small.count;
  }
  int64_t *fieldOf(uint32_t place);

  const SmallProgram &small;
  const RegionProgram &program;
  std::map<std::string, LeafFunction> functions;
  std::vector<std::unique_ptr<Call>> calls;
  SluiceProgram *runtime = nullptr;
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

void ProgramRun::addRoots() {
  for (const RegionRoot &root : program.roots) {
    std::vector<int64_t> extents;
    for (const Extent &extent : root.extents)
      extents.push_back(numberOf(extent));
    if (root.isScalar)
      extents = {1};
    std::vector<SluiceField> fields;
    for (const RegionField &field : root.fields)
      fields.push_back({field.name.c_str(), SLUICE_I64, field.count});
    sluiceAddRoot(runtime, root.name.c_str(), int32_t(extents.size()),
                  extents.data(), uint32_t(fields.size()), fields.data());
  }
}

/// The number that a place of the forest has in the runtime's memory; null for
/// the second field of a scalar, which it does not have.
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

void ProgramRun::addPartition(const RegionPartition &partition) {
  std::vector<int64_t> colors;
  for (const Extent &extent : partition.colors)
    colors.push_back(numberOf(extent));
  const char *name = partition.name.c_str();
  uint32_t parent =
      partition.parent == noIndex ? SLUICE_NO_PARTITION : partition.parent;
  uint32_t made = 0;
  using Kind = sluice::codegen::PartitionKind;
  switch (partition.kind) {
  case Kind::Blocks:
    made = sluiceAddBlocks(runtime, name, partition.root, parent,
                           partition.parentColor, int32_t(colors.size()),
                           colors.data());
    break;
  case Kind::Coloring:
    made = sluiceAddColoring(runtime, name, partition.root, parent,
                             partition.parentColor, int32_t(colors.size()),
                             colors.data(), colorSome);
    break;
  case Kind::Halo:
    made = sluiceAddHalos(runtime, name, partition.left, partition.width.data(),
                          partition.hasCorners);
    break;
  default:
    return fail("the forest has a partition that this test does not make");
  }
  sluicePromise(runtime, made, partition.isDisjoint, partition.isComplete);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static SluicePrivilege privilegeOf(RegionPrivilege privilege) {
  switch (privilege) {
  case RegionPrivilege::Read:
    return SLUICE_PRIVILEGE_READ;
  case RegionPrivilege::ReadWrite:
    return SLUICE_PRIVILEGE_READ_WRITE;
  case RegionPrivilege::WriteDiscard:
    return SLUICE_PRIVILEGE_WRITE_DISCARD;
  case RegionPrivilege::Reduce:
    return SLUICE_PRIVILEGE_REDUCE;
  }
  llvm_unreachable("all privileges are handled");
}

SluiceArgument ProgramRun::argumentOf(const RegionStatement &statement,
                                      const RegionArgument &from,
                                      size_t index) {
  static const auto functionsOfPoints =
      projectionFunctions(std::make_index_sequence<16>());
  SluiceArgument to = {};
  to.root = from.root;
  to.partition = SLUICE_NO_PARTITION;
  to.privilege = privilegeOf(from.privilege);
  for (unsigned field : from.fields)
    to.fields |= uint64_t(1) << field;
  if (from.privilege == RegionPrivilege::Reduce)
    to.reduction.kind = program.reductions[from.reduction].op == "+"
                            ? SLUICE_REDUCE_SUM
                            : SLUICE_REDUCE_MAX;
  if (from.partition == noIndex)
    return to;
  to.partition = from.partition;
  if (from.color >= 0 && statement.domain.empty()) {
    to.color = from.color;
  } else if (from.color >= 0) {
    projections[index] = [&](const SluiceTask &) { return from.color; };
    to.projection = functionsOfPoints[index];
  } else if (from.projection.kind == RegionProjection::Whole) {
    to.wholePartition = 1;
  }
  if (from.projection.kind != RegionProjection::Affine)
    return to;
  projections[index] = [&](const SluiceTask &task) {
    const std::vector<Extent> &colors =
        program.partitions[from.partition].colors;
    const RegionProjection &map = from.projection;
    size_t rank = statement.domain.size();
    int64_t linear = 0;
    for (size_t row = 0; row < colors.size(); ++row) {
      int64_t color = map.offset[row];
      for (size_t d = 0; d < rank; ++d)
        color += map.matrix[row * rank + d] * task.point[d];
      if (color < 0 || color >= numberOf(colors[row]))
        fail("a point of '" + statement.function + "' has no color");
      linear = linear * numberOf(colors[row]) + color;
    }
    return linear;
  };
  to.projection = functionsOfPoints[index];
  return to;
}

void ProgramRun::addTask(const RegionStatement &statement) {
  auto found = functions.find(statement.function);
  if (found == functions.end() ||
      found->second.arguments.size() != statement.arguments.size() ||
      statement.arguments.size() > projections.size())
    return fail("'" + statement.function + "' has other arguments");
  calls.push_back(
      std::make_unique<Call>(Call{this, &found->first, &found->second}));
  SluiceStatement to = {};
  to.name = found->first.c_str();
  to.body = enter;
  to.closure = calls.back().get();
  to.rank = int32_t(statement.domain.size());
  for (int32_t d = 0; d < to.rank; ++d)
    to.extents[d] = numberOf(statement.domain[d]);
  std::vector<SluiceArgument> arguments;
  for (const RegionArgument &argument : statement.arguments) {
    if (argument.projection.needsCheck)
      fail("points of '" + statement.function + "' were not shown to be apart");
    arguments.push_back(argumentOf(statement, argument, arguments.size()));
  }
  to.numArguments = uint32_t(arguments.size());
  to.arguments = arguments.data();
  sluiceAddStatement(runtime, &to);
}

void ProgramRun::addStatements(const std::vector<RegionStatement> &statements) {
  for (const RegionStatement &statement : statements)
    switch (statement.kind) {
    case RegionStatement::Task:
      addTask(statement);
      break;
    case RegionStatement::Loop:
      sluiceBeginLoop(runtime, numberOf(statement.count), SLUICE_NO_PARTITION);
      addStatements(statement.body);
      sluiceEndLoop(runtime);
      break;
    case RegionStatement::MustEpoch:
      addStatements(statement.body);
      break;
    default:
      fail("the program has a statement that this test does not run");
    }
}

RunResult ProgramRun::run() {
  theForest = &small.forest;
  runtime = sluiceProgramCreate("random");
  addRoots();
  uint32_t numPlaces = small.forest.numElements * SmallForest::numFields;
  for (uint32_t place = 0; place < numPlaces; ++place)
    if (int64_t *number = fieldOf(place))
      *number = firstNumber(place);
  for (const RegionPartition &partition : program.partitions)
    addPartition(partition);
  for (const RegionGraph &graph : program.graphs) {
    sluiceBeginGraph(runtime, graph.name.c_str());
    addStatements(graph.statements);
    sluiceEndGraph(runtime);
  }
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
