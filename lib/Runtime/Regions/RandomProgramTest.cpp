//===- RandomProgramTest.cpp - Random programs against the oracle ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thousands of small programs: their partitions, their results, and the orders
// between their tasks, which must be all that are needed and no more.
//
//===----------------------------------------------------------------------===//

#include "Testing/RandomProgram.h"
#include "Rounds.h"

#include "Dependences.h"

#include "../Cluster/Testing/ThreadCluster.h"

#include <array>
#include <filesystem>
#include <thread>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
class RandomProgramTest : public RegionsTest {
protected:
  void build(const RandomProgram &random);
  void fillRoots(const RandomProgram &random);
  void addStatements(const std::vector<TestStatement> &statements);
  SluiceArgument convert(const TestArgument &argument, bool isLaunch);

  std::vector<uint32_t> partitions;
  uint32_t flag = 0;
};

/// What coloring functions see; they are given a color only.
const TestPartition *theColoring;
template <int64_t offset> int64_t rotate(const SluiceTask *task) {
  return (task->point[0] + offset) % numColors;
}
template <int64_t color> int64_t always(const SluiceTask *) { return color; }
} // namespace

static void addColors(const int64_t *color, SluiceColoring *elements) {
  const auto &set = theColoring->sets[*color];
  // Backwards and twice: neither matters.
  for (auto i = set.rbegin(); i != set.rend(); ++i)
    elements->add(elements, *i, *i + 1);
  for (int64_t i : set)
    elements->add(elements, i, i + 1);
}

void RandomProgramTest::fillRoots(const RandomProgram &random) {
  for (uint32_t r = 0; r < random.roots.size(); ++r)
    for (uint32_t f = 0; f < numFields; ++f)
      std::copy(random.initial[r][f].begin(), random.initial[r][f].end(),
                data<int64_t>(r, f));
}

void RandomProgramTest::build(const RandomProgram &random) {
  for (const TestRoot &root : random.roots)
    addRoot(
        "root", root.extents(),
        {{"name", SLUICE_I64, 1}, {"b", SLUICE_I64, 1}, {"c", SLUICE_I64, 1}});
  flag = addRoot("flag", {1}, {{"value", SLUICE_I8, 1}});
  fillRoots(random);
  partitions.clear();
  const int64_t colors[] = {numColors};
  for (const TestPartition &p : random.partitions) {
    Result<uint32_t> made = Status::misuse("nothing was made");
    uint32_t left = p.left < partitions.size() ? partitions[p.left] : 0;
    switch (p.kind) {
    case TestPartition::Blocks:
      made = program->addBlocks("blocks", p.root,
                                p.parentColor < 0 ? SLUICE_NO_PARTITION : left,
                                std::max<int64_t>(0, p.parentColor), 1, colors);
      break;
    case TestPartition::Halos:
      made = program->addHalos("halos", left, p.width.data(), p.corners);
      break;
    case TestPartition::Coloring:
      theColoring = &p;
      made = program->addColoring("coloring", p.root, SLUICE_NO_PARTITION, 0, 1,
                                  colors, addColors);
      break;
    case TestPartition::ByField:
      made = program->addByField("field", p.root, 0, 1, colors);
      break;
    case TestPartition::Image:
      made = program->addImage("image", p.root, left, 0);
      break;
    case TestPartition::Preimage:
      made = program->addPreimage("preimage", p.root, 0, left);
      break;
    default:
      made = program->addCombined(
          "combined",
          static_cast<SluiceSetOperation>(p.kind - TestPartition::Union), left,
          partitions[p.right]);
    }
    partitions.push_back(valueOf(std::move(made)));
  }
}

SluiceArgument RandomProgramTest::convert(const TestArgument &from,
                                          bool isLaunch) {
  static constexpr SluiceProjection rotations[] = {rotate<0>, rotate<1>,
                                                   rotate<2>, rotate<3>};
  static constexpr SluiceProjection constants[] = {always<0>, always<1>,
                                                   always<2>, always<3>};
  SluiceArgument to = argument(from.root, from.privilege, from.fields);
  to.reduction.kind = from.reduction;
  if (from.partition < 0)
    return to;
  to.partition = partitions[from.partition];
  to.wholePartition = from.isWhole;
  to.color = from.color;
  if (isLaunch && from.isFixed)
    to.projection = constants[from.color];
  else if (isLaunch && from.color)
    to.projection = rotations[from.color];
  return to;
}

void RandomProgramTest::addStatements(
    const std::vector<TestStatement> &statements) {
  for (const TestStatement &from : statements) {
    if (from.isLoop) {
      // The runtime's test looks at a flag of its own.
      auto setFlag = [&] {
        add("flag", {},
            {argument(3, SLUICE_PRIVILEGE_READ, 2),
             argument(flag, SLUICE_PRIVILEGE_WRITE_DISCARD)},
            [](const SluiceTask &, const SluiceView *views) {
              *field<int8_t>(views[1]) = *field<int64_t>(views[0]) & 1;
            });
      };
      if (from.whileRoot >= 0)
        setFlag();
      if (from.isUnless)
        check(program->beginUnless(flag));
      else
        check(program->beginLoop(
            from.count, from.whileRoot >= 0 ? flag : SLUICE_NO_PARTITION));
      addStatements(from.body);
      if (from.whileRoot >= 0)
        setFlag();
      check(program->endLoop());
      continue;
    }
    std::vector<SluiceArgument> arguments;
    for (const TestArgument &argument : from.arguments)
      arguments.push_back(convert(argument, from.isLaunch));
    std::vector<int64_t> extents;
    if (from.isLaunch)
      extents.push_back(numColors);
    add(
        "statement", extents, arguments,
        [&from](const SluiceTask &task, const SluiceView *views) {
          runBody(from, task, views);
        },
        from.isHost);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, RandomProgramTest,
                         testing::Values(0, 1, 2, 3, 8, recorded,
                                         recordedTwice));

TEST_P(RandomProgramTest, ResultsAreThoseOfTheSerialOrder) {
  for (unsigned seed = 1; seed <= sluice::test::rounds(150); ++seed) {
    program = std::make_unique<RegionProgram>("test", runtime.get());
    RandomProgram random(seed);
    build(random);
    for (size_t p = 0; p < partitions.size(); ++p) {
      const RootPartition &made = program->getPartition(partitions[p]);
      for (int64_t color = 0; color < numColors; ++color) {
        std::set<int64_t> elements;
        for (const SluiceRun &run : made.sets[color].toRuns(made.root->shape))
          for (int64_t i = run.begin; i < run.end; ++i)
            elements.insert(i);
        ASSERT_EQ(elements, random.partitions[p].sets[color])
            << "seed " << seed << " partition " << p << " color " << color;
      }
    }
    auto expected = random.runSerially();
    for (int round = 0; round < 2; ++round) {
      fillRoots(random);
      check(program->beginGraph("random"));
      addStatements(random.statements);
      ASSERT_EQ(program->endGraph().message(), "");
      for (uint32_t r = 0; r < random.roots.size(); ++r)
        for (uint32_t f = 0; f < numFields; ++f)
          ASSERT_EQ(0, std::memcmp(expected[r][f].data(), data<int64_t>(r, f),
                                   expected[r][f].size() * sizeof(int64_t)))
              << "seed " << seed << " root " << r << " field " << f;
    }
  }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {
/// Tables do not depend on the number of workers.
class RandomOrdersTest : public RandomProgramTest {};

/// One run of a task in the serial order.
struct Instance {
  uint32_t task;
  const regions::RegionLaunch *launch;
};

/// A table run in its serial order, loops included, and what was before what.
class Unrolled {
public:
  explicit Unrolled(const Expansion &expansion) : expansion(expansion) {
    counts.resize(table().numBlocks(), 0);
    latest.resize(table().tasks.size());
    walk(0, table().steps.size() - 1);
  }

  const TaskTable &table() const { return expansion.table; }
  std::vector<Instance> instances;
  /// Direct and indirect predecessors of each instance.
  std::vector<std::set<size_t>> direct, all;

  bool isHost(size_t a) const {
    return table().tasks[instances[a].task].home == TableTask::hostHome;
  }

  /// True if the two must run in their order: they meet in memory, or both run
  /// on the host.
  bool conflict(size_t a, size_t b) const {
    if (isHost(a) && isHost(b))
      return true;
    for (const LaunchAccess &x : instances[a].launch->accesses)
      for (const LaunchAccess &y : instances[b].launch->accesses) {
        uint32_t p = instances[a].task - instances[a].launch->firstTask;
        uint32_t q = instances[b].task - instances[b].launch->firstTask;
        if (x.storeOf(p) == y.storeOf(q) && (x.isWrite || y.isWrite) &&
            countCommon(x.partition->root->shape,
                        x.partition->sets[x.colorOf(p)],
                        y.partition->sets[y.colorOf(q)]))
          return true;
      }
    return false;
  }

private:
  void walk(size_t begin, size_t end) {
    for (size_t step = begin; step < end; ++step) {
      const TableStep &at = table().steps[step];
      if (at.kind == TableStep::Block)
        runBlock(at.index);
      if (at.kind != TableStep::LoopBegin)
        continue;
      for (int64_t i = 0; i < at.count; ++i)
        walk(step + 1, at.target - 1);
      step = at.target - 1;
    }
  }
  void runBlock(uint32_t block) {
    ++counts[block];
    for (const auto &launch : expansion.blocks[block])
      for (uint32_t p = 0; p < launch->numPoints; ++p)
        runTask(launch->firstTask + p, *launch);
  }
  void runTask(uint32_t task, const regions::RegionLaunch &launch) {
    size_t number = instances.size();
    instances.push_back({task, &launch});
    direct.emplace_back();
    all.emplace_back();
    auto follow = [&](size_t before) {
      direct[number].insert(before);
      all[number].insert(before);
      all[number].insert(all[before].begin(), all[before].end());
    };
    for (const TablePredecessor &before : table().predecessorsOf(task)) {
      uint32_t count = counts[before.block] - before.isPrevious;
      if (count)
        follow(latest[before.task].at(count - 1));
    }
    // A task never runs twice at the same time.
    if (!latest[task].empty())
      all[number].insert(latest[task].back());
    if (!latest[task].empty())
      all[number].insert(all[latest[task].back()].begin(),
                         all[latest[task].back()].end());
    latest[task].push_back(number);
  }

  const Expansion &expansion;
  std::vector<uint32_t> counts;
  /// The instances of each task, by the execution of its block.
  std::vector<std::vector<size_t>> latest;
};
} // namespace

/// Every two instances that conflict are ordered; every order stated is
/// between two that conflict.
static void checkOrders(const Unrolled &unrolled, unsigned seed) {
  for (size_t b = 0; b < unrolled.instances.size(); ++b) {
    for (size_t a = 0; a < b; ++a)
      if (unrolled.instances[a].task != unrolled.instances[b].task)
        ASSERT_TRUE(!unrolled.conflict(a, b) || unrolled.all[b].count(a))
            << "seed " << seed << ": task " << unrolled.instances[b].task
            << " does not wait for " << unrolled.instances[a].task;
    for (size_t a : unrolled.direct[b])
      ASSERT_TRUE(unrolled.conflict(a, b)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(OneWorker, RandomOrdersTest, testing::Values(1));

TEST_P(RandomOrdersTest, OrdersAreAllThatAreNeeded) {
  unsigned numChecked = 0;
  for (unsigned seed = 1; seed <= sluice::test::rounds(300); ++seed) {
    program = std::make_unique<RegionProgram>("test", runtime.get());
    RandomProgram random(seed);
    build(random);
    check(program->beginGraph("random"));
    addStatements(random.statements);
    auto expansion = program->instantiate();
    ASSERT_TRUE(expansion.ok());
    Unrolled unrolled(**expansion);
    if (unrolled.instances.size() > 400)
      continue;
    checkOrders(unrolled, seed);
    ++numChecked;
  }
  EXPECT_GT(numChecked, sluice::test::rounds(150));
}

/// No order stated follows from the others.
static void checkDirect(const Unrolled &unrolled, unsigned seed) {
  for (size_t b = 0; b < unrolled.instances.size(); ++b)
    for (size_t a : unrolled.direct[b])
      for (size_t between : unrolled.direct[b])
        ASSERT_FALSE(between != a && unrolled.all[between].count(a))
            << "seed " << seed << ": task " << unrolled.instances[b].task
            << " waits for " << unrolled.instances[a].task << " and "
            << unrolled.instances[between].task;
}

TEST_P(RandomOrdersTest, NoOrderFollowsFromOthers) {
  for (unsigned seed = 1; seed <= sluice::test::rounds(300); ++seed) {
    program = std::make_unique<RegionProgram>("test", runtime.get());
    RandomProgram random(seed, false);
    build(random);
    check(program->beginGraph("random"));
    // Every other one in a loop of its own.
    if (seed % 2)
      check(program->beginLoop(3, SLUICE_NO_PARTITION));
    addStatements(random.statements);
    if (seed % 2)
      check(program->endLoop());
    auto expansion = program->instantiate();
    ASSERT_TRUE(expansion.ok());
    Unrolled unrolled(**expansion);
    checkOrders(unrolled, seed);
    checkDirect(unrolled, seed);
  }
}

//===----------------------------------------------------------------------===//
// Several ranks
//===----------------------------------------------------------------------===//

namespace {
/// The parameter is the number of workers of each rank.
class RandomRanksTest : public RandomProgramTest {
protected:
  struct Rank {
    std::unique_ptr<Runtime> runtime;
    std::unique_ptr<RegionProgram> program;
  };
  /// Makes the calls of `prepare` for each rank, then those of `run`, which
  /// wait for other ranks, in threads.
  template <typename Function> void runAll(Function &&run) {
    std::vector<std::thread> threads;
    for (Rank &rank : ranks)
      threads.emplace_back([&] { run(rank); });
    for (std::thread &thread : threads)
      thread.join();
  }
  template <typename Function> void prepareAll(Function &&prepare) {
    for (Rank &rank : ranks) {
      std::swap(program, rank.program);
      prepare();
      std::swap(program, rank.program);
    }
  }
  void startRanks(const sluice::test::ThreadCluster &cluster,
                  uint32_t numRanks) {
    ranks.clear();
    for (uint32_t rank = 0; rank < numRanks; ++rank) {
      RuntimeOptions options;
      options.numWorkers = GetParam();
      Rank &made = ranks.emplace_back();
      made.runtime = std::make_unique<Runtime>(options);
      made.program = std::make_unique<RegionProgram>("test", made.runtime.get(),
                                                     false, &cluster.of(rank));
    }
  }
  std::vector<Rank> ranks;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Workers, RandomRanksTest, testing::Values(1, 2));

TEST_P(RandomRanksTest, ResultsAreThoseOfTheSerialOrder) {
  for (unsigned seed = 1; seed <= sluice::test::rounds(60); ++seed) {
    const uint32_t numRanks = std::array{1, 2, 3, 5, 8}[seed % 5];
    RandomProgram random(seed);
    sluice::test::ThreadCluster cluster(numRanks);
    startRanks(cluster, numRanks);
    // Whatever a rank plans from, its messages are those that others expect.
    for (size_t rank = 0; numRanks > 1 && rank < numRanks; ++rank)
      ranks[rank].program->choosePlan(std::array{
          PlanFrom::Footprint, PlanFrom::Footprint, PlanFrom::AllPoints,
          PlanFrom::Smaller}[(seed / 5 + rank) % 4]);
    prepareAll([&] { build(random); });
    // What one graph leaves on the ranks is where the next one begins.
    for (int round = 0; round < 2; ++round) {
      auto expected = random.runSerially();
      prepareAll([&] {
        check(program->beginGraph("random"));
        addStatements(random.statements);
      });
      runAll([&](Rank &rank) { check(rank.program->endGraph()); });
      for (uint32_t r = 0; r < random.roots.size(); ++r)
        for (uint32_t f = 0; f < numFields; ++f) {
          runAll(
              [&](Rank &rank) { check(rank.program->bringEverywhere(r, f)); });
          prepareAll([&] {
            ASSERT_EQ(0, std::memcmp(expected[r][f].data(), data<int64_t>(r, f),
                                     expected[r][f].size() * sizeof(int64_t)))
                << "seed " << seed << " round " << round << " ranks "
                << numRanks << " root " << r << " field " << f;
          });
          if (HasFatalFailure())
            return;
        }
      ASSERT_TRUE(cluster.isQuiet()) << "seed " << seed;
      random.initial = expected;
    }
    ranks.clear();
  }
}

TEST_P(RandomRanksTest, OthersGoOnFromCheckpoints) {
  std::string folder = testing::TempDir() + "sluice-random-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  unsigned numFound = 0;
  for (unsigned seed = 1001; seed <= 1000 + sluice::test::rounds(12); ++seed) {
    std::filesystem::remove_all(folder);
    // First those that make the checkpoints, then those that go on.
    for (unsigned part = 0; part < 2; ++part) {
      const uint32_t numRanks = std::array{4, 3, 1, 2, 5, 8}[(seed + part) % 6];
      numFound += part == 1 && std::filesystem::exists(folder);
      RandomProgram random(seed);
      sluice::test::ThreadCluster cluster(numRanks);
      startRanks(cluster, numRanks);
      runAll([&](Rank &rank) {
        check(rank.program->useCheckpoints({folder, 1 + seed % 3}));
      });
      prepareAll([&] { build(random); });
      for (int round = 0; round < 2; ++round) {
        random.initial = random.runSerially();
        prepareAll([&] {
          check(program->beginGraph("random"));
          addStatements(random.statements);
        });
        runAll([&](Rank &rank) { check(rank.program->endGraph()); });
      }
      for (uint32_t r = 0; r < random.roots.size(); ++r)
        for (uint32_t f = 0; f < numFields; ++f) {
          runAll(
              [&](Rank &rank) { check(rank.program->bringEverywhere(r, f)); });
          prepareAll([&] {
            ASSERT_EQ(0, std::memcmp(random.initial[r][f].data(),
                                     data<int64_t>(r, f),
                                     random.initial[r][f].size() * 8))
                << "seed " << seed << " part " << part << " ranks " << numRanks
                << " root " << r << " field " << f;
          });
          if (HasFatalFailure())
            return;
        }
      ASSERT_TRUE(cluster.isQuiet()) << "seed " << seed;
      ranks.clear();
    }
  }
  EXPECT_GT(numFound, sluice::test::rounds(12) / 4);
  std::filesystem::remove_all(folder);
}
