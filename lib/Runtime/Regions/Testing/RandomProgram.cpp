//===- RandomProgram.cpp - Random programs and their serial meaning -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making programs, and running them in the plainest way.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

using namespace sluice::regions;
using namespace sluice::regions::test;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static int64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9;
  return static_cast<int64_t>(x ^ x >> 32);
}

static int64_t reduce(SluiceReductionKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case SLUICE_REDUCE_SUM:
    return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
  case SLUICE_REDUCE_PRODUCT:
    return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
  case SLUICE_REDUCE_MIN:
    return std::min(a, b);
  case SLUICE_REDUCE_MAX:
    return std::max(a, b);
  case SLUICE_REDUCE_AND:
    return a & b;
  case SLUICE_REDUCE_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

static size_t numFieldsOf(const TestArgument &argument) {
  return __builtin_popcountll(argument.fields);
}

void sluice::regions::test::runBody(const TestStatement &statement,
                                    const SluiceTask &task,
                                    const SluiceView *views) {
  const auto &arguments = statement.arguments;
  uint64_t digest = mix(statement.seed, task.point[0]);
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].privilege != SLUICE_PRIVILEGE_READ &&
        arguments[a].privilege != SLUICE_PRIVILEGE_READ_WRITE)
      continue;
    for (size_t f = 0; f < numFieldsOf(arguments[a]); ++f)
      forEachElement(views[a], [&](int64_t i) {
        digest = mix(digest, field<int64_t>(views[a], f)[i]);
      });
  }
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].privilege == SLUICE_PRIVILEGE_READ)
      continue;
    for (size_t f = 0; f < numFieldsOf(arguments[a]); ++f)
      forEachElement(views[a], [&](int64_t i) {
        int64_t &value = field<int64_t>(views[a], f)[i];
        int64_t change = mix(digest, i * 8 + f);
        value = arguments[a].privilege == SLUICE_PRIVILEGE_REDUCE
                    ? reduce(arguments[a].reduction, value, change)
                    : change;
      });
  }
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

/// The name that an element holds in the first field: of an element or color.
static int64_t nameAt(uint32_t root, int64_t element) {
  return static_cast<uint64_t>(mix(root + 77, element)) % 12;
}

RandomProgram::RandomProgram(unsigned seed, bool hasLoops) : random(seed) {
  makeRoots();
  makePartitions();
  statements = makeBody(0, 3 + pick(6), hasLoops);
}

void RandomProgram::makeRoots() {
  Shape line, grid, cube, scalar;
  line.extent[0] = 20 + pick(20);
  grid.rank = 2;
  grid.extent[0] = 4 + pick(5);
  grid.extent[1] = 4 + pick(5);
  cube.rank = 3;
  for (int64_t &extent : cube.extent)
    extent = 3 + pick(2);
  for (const Shape &shape : {line, grid, cube, scalar}) {
    auto &values = initial.emplace_back(numFields);
    for (uint32_t f = 0; f < numFields; ++f)
      for (int64_t i = 0; i < shape.count(); ++i)
        values[f].push_back(f == 0 ? nameAt(roots.size(), i) : mix(f, i));
    roots.push_back({shape});
  }
}

/// All elements at most `width` away, along the axes only or in the box.
static bool isNear(const Shape &shape, int64_t a, int64_t b,
                   const TestPartition &halo) {
  int64_t x[3], y[3];
  shape.coordinates(a, x);
  shape.coordinates(b, y);
  int numMoved = 0;
  for (int d = 0; d < shape.rank; ++d) {
    if (std::abs(x[d] - y[d]) > halo.width[d])
      return false;
    numMoved += x[d] != y[d];
  }
  return halo.corners || numMoved <= 1;
}

void RandomProgram::fillSets(TestPartition &partition) const {
  const Shape &shape = roots[partition.root].shape;
  partition.sets.resize(numColors);
  auto setOf = [&](uint32_t other, int64_t color) -> const std::set<int64_t> & {
    return partitions[other].sets[color];
  };
  for (int64_t color = 0; color < numColors; ++color)
    for (int64_t i = 0; i < shape.count(); ++i) {
      bool isIn = false;
      auto left = [&] { return setOf(partition.left, color).count(i) != 0; };
      auto right = [&] { return setOf(partition.right, color).count(i) != 0; };
      switch (partition.kind) {
      case TestPartition::Blocks:
        break; // below
      case TestPartition::Halos:
        for (int64_t other : setOf(partition.left, color))
          isIn |= isNear(shape, other, i, partition);
        break;
      case TestPartition::Coloring:
        isIn =
            static_cast<uint64_t>(mix(partition.left, i * 8 + color)) % 3 == 0;
        break;
      case TestPartition::ByField:
        isIn = initial[partition.root][0][i] == color;
        break;
      case TestPartition::Union:
        isIn = left() || right();
        break;
      case TestPartition::Intersection:
        isIn = left() && right();
        break;
      case TestPartition::Difference:
        isIn = left() && !right();
        break;
      case TestPartition::Image:
        for (int64_t other : setOf(partition.left, color))
          isIn |= initial[partitions[partition.left].root][0][other] == i;
        break;
      case TestPartition::Preimage:
        isIn =
            setOf(partition.left, color).count(initial[partition.root][0][i]) !=
            0;
        break;
      }
      if (isIn)
        partition.sets[color].insert(i);
    }
  if (partition.kind != TestPartition::Blocks)
    return;
  int64_t lower[3] = {0, 0, 0}, upper[3];
  std::copy_n(shape.extent, 3, upper);
  std::set<int64_t> all;
  for (int64_t i = 0; i < shape.count(); ++i)
    if (partition.parentColor < 0 ||
        setOf(partition.left, partition.parentColor).count(i))
      all.insert(i);
  if (all.empty())
    return;
  std::fill_n(lower, 3, INT64_MAX);
  std::fill_n(upper, 3, 0);
  for (int64_t i : all) {
    int64_t at[3];
    shape.coordinates(i, at);
    for (int d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], at[d]);
      upper[d] = std::max(upper[d], at[d] + 1);
    }
  }
  for (int64_t i : all) {
    int64_t at[3];
    shape.coordinates(i, at);
    // Four colors along the first dimension.
    for (int64_t color = 0; color < numColors; ++color) {
      int64_t n = upper[0] - lower[0];
      if (at[0] >= lower[0] + color * n / numColors &&
          at[0] < lower[0] + (color + 1) * n / numColors)
        partition.sets[color].insert(i);
    }
  }
}

void RandomProgram::addPartition(TestPartition partition) {
  fillSets(partition);
  partitions.push_back(std::move(partition));
}

void RandomProgram::makePartitions() {
  for (uint32_t root = 0; root < 3; ++root) {
    auto first = static_cast<uint32_t>(partitions.size());
    addPartition({TestPartition::Blocks, root});
    TestPartition halos = {TestPartition::Halos, root, first};
    for (int d = 0; d < 3; ++d)
      halos.width.push_back(pick(3));
    halos.corners = pick(2);
    addPartition(halos);
    addPartition(
        {TestPartition::Coloring, root, static_cast<uint32_t>(pick(1000))});
    halos.left = first + 2; // of sets that are no boxes
    halos.corners = pick(2);
    addPartition(halos);
    addPartition({TestPartition::ByField, root});
    for (auto kind : {TestPartition::Union, TestPartition::Intersection,
                      TestPartition::Difference})
      addPartition({kind, root, first + static_cast<uint32_t>(pick(5)),
                    first + static_cast<uint32_t>(pick(5))});
    TestPartition part = {TestPartition::Blocks, root,
                          first + static_cast<uint32_t>(pick(8))};
    part.parentColor = pick(numColors);
    addPartition(part);
    auto any = static_cast<uint32_t>(pick(partitions.size()));
    addPartition({TestPartition::Image, root, any});
    addPartition({TestPartition::Preimage, root, any});
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

TestArgument RandomProgram::makeArgument(bool isLaunch) {
  static constexpr SluicePrivilege privileges[] = {
      SLUICE_PRIVILEGE_READ, SLUICE_PRIVILEGE_READ, SLUICE_PRIVILEGE_READ_WRITE,
      SLUICE_PRIVILEGE_WRITE_DISCARD, SLUICE_PRIVILEGE_REDUCE};
  TestArgument argument;
  argument.privilege = privileges[pick(5)];
  argument.reduction = static_cast<SluiceReductionKind>(pick(7));
  // The first field holds names and stays as it is, but for reads.
  argument.fields = argument.privilege == SLUICE_PRIVILEGE_READ
                        ? 1 + pick(7)
                        : 2 * (1 + pick(3));
  if (pick(8) == 0) {
    argument.root = 3;
    return argument;
  }
  argument.partition = pick(partitions.size());
  argument.root = partitions[argument.partition].root;
  argument.color = pick(numColors);
  argument.isFixed = !isLaunch || pick(4) == 0;
  argument.isWhole = pick(10) == 0;
  if (pick(10) == 0)
    argument.partition = -1;
  return argument;
}

/// Whether the points of a launch may have both: what one reduces to, no other
/// argument may see before it is folded.
static bool mayStandTogether(const TestArgument &a, const TestArgument &b) {
  if (a.root != b.root || !(a.fields & b.fields))
    return true;
  bool reduces = a.privilege == SLUICE_PRIVILEGE_REDUCE;
  if (reduces != (b.privilege == SLUICE_PRIVILEGE_REDUCE))
    return false;
  return !reduces || a.reduction == b.reduction;
}

TestStatement RandomProgram::makeStatement() {
  TestStatement statement;
  statement.seed = random();
  statement.isLaunch = pick(4) != 0;
  statement.isHost = pick(12) == 0;
  for (size_t i = 0, count = 1 + pick(3); i < count; ++i) {
    TestArgument argument = makeArgument(statement.isLaunch);
    bool fits = true;
    for (const TestArgument &other : statement.arguments)
      fits &= mayStandTogether(argument, other);
    if (fits)
      statement.arguments.push_back(argument);
  }
  return statement;
}

std::vector<TestStatement>
RandomProgram::makeBody(unsigned depth, unsigned length, bool hasLoops) {
  std::vector<TestStatement> body;
  for (unsigned i = 0; i < length; ++i) {
    if (!hasLoops || depth == 3 || pick(4) != 0) {
      body.push_back(makeStatement());
      continue;
    }
    TestStatement loop;
    loop.isLoop = true;
    loop.count = pick(5);
    loop.whileRoot = pick(3) == 0 ? 0 : -1;
    loop.isUnless = loop.whileRoot >= 0 && pick(3) == 0;
    if (loop.isUnless)
      loop.count = 1;
    loop.body = makeBody(depth + 1, 1 + pick(4), hasLoops);
    body.push_back(std::move(loop));
  }
  return body;
}

//===----------------------------------------------------------------------===//
// The oracle
//===----------------------------------------------------------------------===//

namespace {
struct Oracle {
  const RandomProgram &program;
  std::vector<std::vector<std::vector<int64_t>>> values;

  void run(const std::vector<TestStatement> &statements) {
    for (const TestStatement &statement : statements) {
      if (!statement.isLoop) {
        for (int64_t p = 0; p < (statement.isLaunch ? numColors : 1); ++p)
          runPoint(statement, p);
        continue;
      }
      for (int64_t i = 0; i < statement.count; ++i) {
        // The test looks at the last bit of the scalar.
        if (statement.whileRoot >= 0 &&
            (values[3][1][0] & 1) == statement.isUnless)
          break;
        run(statement.body);
      }
    }
  }

  std::set<int64_t> elementsOf(const TestArgument &argument, int64_t point) {
    std::set<int64_t> all;
    if (argument.partition < 0) {
      for (int64_t i = 0; i < program.roots[argument.root].shape.count(); ++i)
        all.insert(i);
      return all;
    }
    const auto &sets = program.partitions[argument.partition].sets;
    if (!argument.isWhole)
      return sets[argument.colorOf(point)];
    for (const auto &set : sets)
      all.insert(set.begin(), set.end());
    return all;
  }

  void runPoint(const TestStatement &statement, int64_t point) {
    SluiceTask task = {};
    task.point[0] = point;
    std::deque<std::vector<void *>> pointers;
    std::deque<Runs> runs;
    std::deque<SluiceDomain> domains;
    std::vector<SluiceView> views;
    for (const TestArgument &argument : statement.arguments) {
      auto &fields = pointers.emplace_back();
      for (uint32_t f = 0; f < numFields; ++f)
        if (argument.fields >> f & 1)
          fields.push_back(values[argument.root][f].data());
      Runs &list = runs.emplace_back(1, SluiceRun{0, 0});
      for (int64_t i : elementsOf(argument, point))
        list.push_back({i, i + 1});
      SluiceDomain domain = {};
      domain.runs = list.data();
      domain.numRuns = list.size();
      views.push_back({fields.data(), &domains.emplace_back(domain)});
    }
    runBody(statement, task, views.data());
  }
};
} // namespace

std::vector<std::vector<std::vector<int64_t>>>
RandomProgram::runSerially() const {
  Oracle oracle{*this, initial};
  oracle.run(statements);
  return oracle.values;
}
