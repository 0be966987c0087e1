//===- RandomPrograms.cpp - Random programs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws arguments until enough of them do not conflict with each other.
//
//===----------------------------------------------------------------------===//

#include "RandomGraphs.h"

#include <algorithm>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {

class ProgramGrowth {
public:
  ProgramGrowth(Random &random, const RegionForest &forest,
                const Extensions &extensions)
      : random(random), forest(forest), extensions(extensions) {
    program.forest = &forest;
  }
  SequentialProgram run(unsigned numTasks);

private:
  ProgramArgument anyArgument();
  bool fits(const ProgramTask &task, const ProgramArgument &next) const;
  void addTask();
  void addLaunch();
  uint32_t addProjection(int64_t step, int64_t offset, uint64_t colors);
  std::vector<RegionIndex> launchable() const;

  Random &random;
  const RegionForest &forest;
  const Extensions &extensions;
  SequentialProgram program;
};

} // namespace

ProgramArgument ProgramGrowth::anyArgument() {
  ProgramArgument argument;
  do
    argument.region = random.pick(forest.size());
  while (!extensions.partitions &&
         forest.kind(argument.region) == RegionKind::Partition);
  if (extensions.fields)
    argument.fields = 1 + random.pick(7);
  unsigned what = random.pick(100);
  if (extensions.reductions && what < 35) {
    argument.privilege = Privilege::Reduce;
    argument.reduction = random.pick(2);
  } else if (extensions.discards && what < 50) {
    argument.privilege = Privilege::WriteDiscard;
  } else if (what < 70) {
    argument.privilege = Privilege::ReadWrite;
  }
  return argument;
}

bool ProgramGrowth::fits(const ProgramTask &task,
                         const ProgramArgument &next) const {
  return std::none_of(task.arguments.begin(), task.arguments.end(),
                      [&](const ProgramArgument &other) {
                        bool isRead = other.privilege == Privilege::Read &&
                                      next.privilege == Privilege::Read;
                        bool isSame = other.region == next.region;
                        return (other.fields & next.fields) &&
                               forest.mayAlias(other.region, next.region) &&
                               !(isRead &&
                                 (extensions.aliasingReads || isSame));
                      });
}

void ProgramGrowth::addTask() {
  ProgramTask task;
  for (unsigned i = 0, e = 1 + random.pick(3); i < e; ++i) {
    ProgramArgument argument = anyArgument();
    if (fits(task, argument))
      task.arguments.push_back(argument);
  }
  program.tasks.push_back(std::move(task));
}

uint32_t ProgramGrowth::addProjection(int64_t step, int64_t offset,
                                      uint64_t colors) {
  Projection projection;
  projection.numColorDims = 1;
  projection.matrix = {step};
  projection.offset = {offset};
  projection.colors = {int64_t(colors)};
  program.projections.push_back(std::move(projection));
  return program.projections.size() - 1;
}

/// Partitions whose colors are all known.
std::vector<RegionIndex> ProgramGrowth::launchable() const {
  std::vector<RegionIndex> result;
  for (RegionIndex region = 0; region < forest.size(); ++region)
    if (forest.kind(region) == RegionKind::Partition &&
        forest.numColors(region) != 0)
      result.push_back(region);
  return result;
}

/// A launch over two points. Each point writes its own color, or reads or
/// reduces into any color; or one point reads the colors between the ones that
/// it writes.
void ProgramGrowth::addLaunch() {
  std::vector<RegionIndex> partitions = launchable();
  if (partitions.empty())
    return addTask();
  ProgramTask task;
  program.domains.push_back({{2}});
  task.domain = program.domains.size() - 1;
  for (unsigned i = 0, e = 1 + random.pick(2); i < e; ++i) {
    ProgramArgument argument = anyArgument();
    argument.region = random.one(partitions);
    uint64_t colors = forest.numColors(argument.region);
    bool isWritten = argument.privilege == Privilege::ReadWrite ||
                     argument.privilege == Privilege::WriteDiscard;
    if (isWritten && !forest.isDisjoint(argument.region))
      argument.privilege = Privilege::Read;
    if (!fits(task, argument))
      continue;
    // Two points, two colors apart if there are four colors.
    int64_t step = colors == 4 ? 2 : 1;
    int64_t offset = random.pick(colors == 4 ? 2 : colors - 1);
    argument.projection = addProjection(step, offset, colors);
    task.arguments.push_back(argument);
    if (colors != 4 || !forest.isDisjoint(argument.region) || random.chance(50))
      continue;
    argument.privilege = Privilege::Read;
    argument.reduction = noReduction;
    argument.projection = addProjection(2, 1 - offset, colors);
    task.arguments.push_back(argument);
  }
  program.tasks.push_back(std::move(task));
}

SequentialProgram ProgramGrowth::run(unsigned numTasks) {
  for (unsigned i = 0; i < numTasks; ++i)
    if (extensions.launches && random.chance(50))
      addLaunch();
    else
      addTask();
  return std::move(program);
}

SequentialProgram oracle::randomProgram(Random &random,
                                        const ConstrainedForest &forest,
                                        const Extensions &extensions,
                                        unsigned numTasks) {
  return ProgramGrowth(random, forest.forest, extensions).run(numTasks);
}

std::string oracle::describe(const SequentialProgram &program) {
  static constexpr const char *privileges[] = {"read", "read-write",
                                               "write-discard", "reduce"};
  std::string text;
  for (const ProgramTask &task : program.tasks) {
    text += task.domain == UINT32_MAX ? "task" : "launch";
    for (const ProgramArgument &argument : task.arguments) {
      text += " " + program.forest->name(argument.region) + "." +
              std::to_string(argument.fields) + "-" +
              privileges[unsigned(argument.privilege)];
      if (argument.reduction != noReduction)
        text += "<" + std::to_string(argument.reduction) + ">";
      if (argument.projection != UINT32_MAX)
        text +=
            "[i + " +
            std::to_string(program.projections[argument.projection].offset[0]) +
            "]";
    }
    text += "\n";
  }
  return text;
}
