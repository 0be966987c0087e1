//===- FootprintTest.cpp - Plans from a rank's own points -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank plans from the points with which it has to do is what it plans
// from all of them.
//
//===----------------------------------------------------------------------===//

#include "../../Cluster/Testing/LoneRank.h"
#include "../Testing/PlanText.h"
#include "../Testing/RegionsTest.h"
#include "LocalTable.h"

#include "Rounds.h"

#include <array>
#include <numeric>
#include <random>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
/// Makes the same calls of whatever program it is given.
class RandomGraphs {
public:
  /// `hasScalars`: single tasks change scalars that launches read, and few
  /// launches reduce to them.
  RandomGraphs(unsigned seed, uint32_t numRanks, bool hasScalars)
      : random(seed), numRanks(numRanks), hasScalars(hasScalars) {}

  void declare(RegionProgram &theProgram) {
    program = &theProgram;
    // Two roots whose partitions have as many colors, one of a higher rank.
    const int64_t width = 1 + pick(3);
    const int64_t length = std::max<int64_t>(2, numRanks * width - pick(3));
    const int64_t rows = 2 + pick(6), columns = 1 + pick(7);
    addRoot({length * (2 + pick(3)) + pick(3)}, {length});
    addRoot({length + pick(40)}, {length});
    addRoot({rows * (1 + pick(4)), columns * (1 + pick(4)) + pick(2)},
            {rows, columns});
    addRoot({rows + pick(9), columns + pick(3), 1 + pick(4)}, {rows, columns});
    for (int i = 0; i < 2; ++i) {
      const SluiceField field = {"x", SLUICE_I64, 1};
      const int64_t one = 1;
      scalars.push_back(
          valueOf(program->addRoot("scalar", 1, &one, 1, &field)));
    }
  }

  void addGraph(bool hasOthers) {
    mayHaveOthers = hasOthers;
    check(program->beginGraph("random"));
    addBody(0, 2 + pick(6));
  }

private:
  struct TestRoot {
    uint32_t index;
    std::vector<int64_t> colors;
    /// Whose colors share nothing, and others.
    std::vector<uint32_t> disjoint, aliased;
  };

  int64_t pick(int64_t limit) { return random() % limit; }
  template <typename Value> Value valueOf(Result<Value> result) {
    EXPECT_EQ(result.status().message(), "");
    return result.ok() ? *result : Value();
  }
  void check(Status status) { EXPECT_EQ(status.message(), ""); }

  void addRoot(std::vector<int64_t> extents, std::vector<int64_t> colors) {
    const SluiceField fields[] = {
        {"a", SLUICE_I64, 1}, {"b", SLUICE_F64, 2}, {"c", SLUICE_F32, 1}};
    TestRoot root = {valueOf(program->addRoot("root", extents.size(),
                                              extents.data(), 3, fields)),
                     colors,
                     {},
                     {}};
    uint32_t blocks =
        valueOf(program->addBlocks("blocks", root.index, SLUICE_NO_PARTITION, 0,
                                   colors.size(), colors.data()));
    root.disjoint.push_back(blocks);
    for (bool corners : {false, true}) {
      const int64_t width[] = {pick(3), pick(3), pick(2)};
      root.aliased.push_back(
          valueOf(program->addHalos("halos", blocks, width, corners)));
    }
    const int64_t one[] = {1, 1, 1};
    root.aliased.push_back(valueOf(
        program->addHalos("wide", root.aliased.back(), one, pick(2) != 0)));
    root.aliased.push_back(valueOf(program->addCombined(
        "ring", SLUICE_DIFFERENCE, root.aliased.front(), blocks)));
    // The same as the blocks, but given one by one.
    root.disjoint.push_back(valueOf(program->addCombined(
        "given", SLUICE_INTERSECTION, root.aliased[1], blocks)));
    root.disjoint.push_back(addCyclic(root, extents));
    roots.push_back(root);
  }

  /// Color c has every so many-th element.
  uint32_t addCyclic(const TestRoot &root, std::vector<int64_t> extents) {
    static thread_local std::vector<int64_t> colors;
    static thread_local int64_t numElements;
    colors = root.colors;
    numElements = 1;
    for (int64_t extent : extents)
      numElements *= extent;
    uint32_t made = valueOf(program->addColoring(
        "cyclic", root.index, SLUICE_NO_PARTITION, 0, colors.size(),
        colors.data(), [](const int64_t *color, SluiceColoring *elements) {
          int64_t number = 0, count = 1;
          for (size_t d = 0; d < colors.size(); ++d) {
            number = number * colors[d] + color[d];
            count *= colors[d];
          }
          for (int64_t i = number; i < numElements; i += count)
            elements->add(elements, i, i + 1);
        }));
    check(program->promise(made, true, false));
    return made;
  }

  SluiceArgument argumentOf(uint32_t root, uint32_t partition,
                            SluicePrivilege privilege, uint64_t fields,
                            int64_t color = 0) {
    SluiceArgument made = argument(root, privilege, fields, partition, color);
    made.reduction.kind = SLUICE_REDUCE_SUM;
    return made;
  }
  SluiceProjection pickProjection() {
    switch (pick(6)) {
    case 0:
      return [](const SluiceTask *task) {
        return countOf(*task) - 1 - numberOf(*task);
      };
    case 1:
      return [](const SluiceTask *task) {
        return (numberOf(*task) + 1) % countOf(*task);
      };
    }
    return nullptr;
  }

  void add(std::vector<int64_t> extents, std::vector<SluiceArgument> arguments,
           bool isHost = false) {
    SluiceStatement statement = {};
    statement.name = "task";
    statement.body = emptyBody;
    statement.rank = extents.size();
    std::copy(extents.begin(), extents.end(), statement.extents);
    statement.isHost = isHost;
    statement.numArguments = arguments.size();
    statement.arguments = arguments.data();
    check(program->addStatement(statement));
  }

  void addLaunch() {
    const TestRoot &root = roots[pick(roots.size())];
    const uint64_t written = 1 << pick(3);
    std::vector<SluiceArgument> arguments;
    static constexpr SluicePrivilege writes[] = {SLUICE_PRIVILEGE_READ_WRITE,
                                                 SLUICE_PRIVILEGE_WRITE_DISCARD,
                                                 SLUICE_PRIVILEGE_REDUCE};
    if (pick(8) != 0) {
      arguments.push_back(argumentOf(root.index,
                                     root.disjoint[pick(root.disjoint.size())],
                                     writes[pick(3)], written));
      arguments.back().projection = pickProjection();
    }
    for (int64_t left = pick(3); left > 0; --left) {
      // One with as many colors.
      const TestRoot *other = &roots[pick(roots.size())];
      if (other->colors != root.colors)
        other = &root;
      uint64_t fields = 1 + pick(7);
      if (other == &root && !arguments.empty())
        fields &= ~written;
      if (fields == 0)
        continue;
      const auto &from = pick(4) ? other->aliased : other->disjoint;
      arguments.push_back(argumentOf(other->index, from[pick(from.size())],
                                     SLUICE_PRIVILEGE_READ, fields));
      arguments.back().projection = pickProjection();
      if (pick(12) == 0)
        arguments.back().isFixed = 1;
      else if (pick(12) == 0)
        arguments.back().partition = SLUICE_NO_PARTITION;
    }
    const int64_t reduced = hasScalars && pick(4) ? 3 : pick(4);
    for (int64_t scalar = 0; scalar < 2; ++scalar) {
      if (scalar == reduced || (reduced == 2 && pick(2)))
        arguments.push_back(argumentOf(scalars[scalar], SLUICE_NO_PARTITION,
                                       SLUICE_PRIVILEGE_REDUCE, 1));
      else if (pick(hasScalars ? 2 : 5) == 0)
        arguments.push_back(argumentOf(scalars[scalar], SLUICE_NO_PARTITION,
                                       SLUICE_PRIVILEGE_READ, 1));
    }
    if (!arguments.empty())
      add(root.colors, arguments, pick(20) == 0);
  }

  void addSingle() {
    static constexpr SluicePrivilege uses[] = {SLUICE_PRIVILEGE_READ,
                                               SLUICE_PRIVILEGE_READ_WRITE,
                                               SLUICE_PRIVILEGE_REDUCE};
    const TestRoot &root = roots[pick(roots.size())];
    const SluicePrivilege use = uses[pick(3)];
    if (hasScalars && pick(2))
      return add(
          {},
          {argumentOf(root.index, root.aliased[pick(root.aliased.size())],
                      SLUICE_PRIVILEGE_READ, 1, pick(root.colors[0])),
           argumentOf(scalars[pick(2)], SLUICE_NO_PARTITION,
                      SLUICE_PRIVILEGE_READ_WRITE, 1)},
          pick(3) == 0);
    switch (pick(5)) {
    case 0: // on every rank
      return add({}, {argumentOf(scalars[0], SLUICE_NO_PARTITION,
                                 SLUICE_PRIVILEGE_READ, 1),
                      argumentOf(scalars[1], SLUICE_NO_PARTITION,
                                 SLUICE_PRIVILEGE_READ_WRITE, 1)});
    case 1: {
      const int64_t value = 1;
      const SluiceArgument to = argumentOf(
          scalars[pick(2)], SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_READ, 1);
      return check(program->addFill(to, &value, 0, nullptr));
    }
    case 2:
      return add({},
                 {argumentOf(root.index, SLUICE_NO_PARTITION, use, 1 + pick(7)),
                  argumentOf(scalars[pick(2)], SLUICE_NO_PARTITION,
                             SLUICE_PRIVILEGE_READ, 1)},
                 pick(2) != 0);
    case 3:
      return add(
          {}, {argumentOf(root.index, root.aliased[pick(root.aliased.size())],
                          use, 1 + pick(7), pick(root.colors[0]))});
    default:
      return add({}, {argumentOf(scalars[pick(2)], SLUICE_NO_PARTITION,
                                 SLUICE_PRIVILEGE_REDUCE, 1)});
    }
  }

  /// What only a plan of all points can tell.
  void addOther() {
    const TestRoot &root = roots[pick(roots.size())];
    const int64_t value = 0;
    switch (pick(3)) {
    case 0:
      return check(program->addFill(
          argumentOf(root.index, SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_READ, 1),
          &value, 0, nullptr));
    case 1:
      return add(root.colors, {argumentOf(root.index, root.aliased[0],
                                          SLUICE_PRIVILEGE_REDUCE, 2)});
    default:
      return add(root.colors, {argumentOf(root.index, root.aliased[1],
                                          SLUICE_PRIVILEGE_READ_WRITE, 2)});
    }
  }

  void addBody(unsigned depth, int64_t length) {
    for (; length > 0; --length) {
      const int64_t kind = pick(12);
      if (kind == 0 && mayHaveOthers) {
        addOther();
      } else if (kind < 3 && depth < 3) {
        check(program->beginLoop(pick(4), pick(3) == 0 ? scalars[pick(2)]
                                                       : SLUICE_NO_PARTITION));
        addBody(depth + 1, 1 + pick(4));
        check(program->endLoop());
      } else if (kind < 5) {
        addSingle();
      } else {
        addLaunch();
      }
    }
  }

  std::mt19937 random;
  const uint32_t numRanks;
  const bool hasScalars;
  RegionProgram *program = nullptr;
  bool mayHaveOthers = false;
  std::vector<TestRoot> roots;
  std::vector<uint32_t> scalars;
};

} // namespace

namespace {
/// Plans random graphs in both ways, on some ranks.
struct BothWays {
  unsigned numGraphs = 0, numReduced = 0, numMessages = 0, numWithOthers = 0;

  void compare(unsigned seed, uint32_t numRanks, bool hasScalars) {
    std::mt19937 random(seed);
    for (int tries = 0; tries < 3; ++tries) {
      const uint32_t rank = tries == 0 ? 0 : random() % numRanks;
      const SluiceCluster cluster = sluice::test::loneRank(rank, numRanks);
      RegionProgram whole("test", nullptr, false, &cluster);
      RegionProgram part("test", nullptr, false, &cluster);
      whole.choosePlan(PlanFrom::AllPoints);
      part.choosePlan(PlanFrom::Footprint);
      RandomGraphs ofWhole(seed, numRanks, hasScalars),
          ofPart(seed, numRanks, hasScalars);
      ofWhole.declare(whole);
      ofPart.declare(part);
      for (unsigned g = 0; g < 1 + seed % 3; ++g) {
        ofWhole.addGraph(seed % 4 == 0);
        ofPart.addGraph(seed % 4 == 0);
        Result<LocalGraph> expected = whole.planLocal();
        Result<LocalGraph> planned = part.planLocal();
        ASSERT_EQ(expected.status().message(), planned.status().message());
        ASSERT_TRUE(planned.ok()) << planned.status().message();
        ++numGraphs;
        numReduced += planned->isFootprint;
        numWithOthers += planned->numOthers != 0;
        for (const TableTask &task : planned->local->table.tasks)
          numMessages += task.isOutside;
        ASSERT_EQ(textOf(*expected), textOf(*planned))
            << "seed " << seed << " graph " << g << " rank " << rank << " of "
            << numRanks;
        whole.forgetGraph(*expected->all);
        part.forgetGraph(*planned->all);
      }
    }
  }
};
} // namespace

TEST(Footprint, PlansWhatAllPointsTell) {
  std::vector<unsigned> seeds(sluice::test::rounds(120));
  std::iota(seeds.begin(), seeds.end(), 1);
  // Where trees, loops that may not run and messages for sums meet.
  seeds.insert(seeds.end(), {1115, 2147});
  BothWays plans;
  for (unsigned seed : seeds) {
    plans.compare(seed, std::array{2, 3, 5, 8, 24, 70}[seed % 6], false);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(plans.numReduced, plans.numGraphs / 2);
  EXPECT_GT(plans.numMessages, plans.numGraphs);
}

/// With up to 600 colors, listed as well.
TEST(Footprint, PlansScalarsThatAllRanksRead) {
  BothWays plans;
  for (unsigned seed = 1; seed <= sluice::test::rounds(60); ++seed) {
    plans.compare(seed, std::array{9, 33, 70, 130, 200}[seed % 5], true);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(plans.numReduced, plans.numGraphs / 2);
  EXPECT_GT(plans.numWithOthers, plans.numGraphs / 8);
  EXPECT_GT(plans.numMessages, plans.numGraphs);
}

namespace {
/// A stencil over so many blocks that sums of scalars take two levels and the
/// last one: first of one scalar, then of two at once.
void addDeepSums(RegionProgram &program, std::vector<int64_t> colors) {
  std::vector<int64_t> extents;
  for (int64_t count : colors)
    extents.push_back(2 * count);
  const SluiceField fields[] = {{"a", SLUICE_F64, 1}, {"b", SLUICE_F64, 1}};
  const int64_t one = 1, width[] = {1, 1};
  const int rank = colors.size();
  const uint32_t root =
      *program.addRoot("root", rank, extents.data(), 2, fields);
  std::vector<SluiceArgument> sums;
  for (int i = 0; i < 3; ++i) {
    sums.push_back(argument(*program.addRoot("sum", 1, &one, 1, fields),
                            SLUICE_PRIVILEGE_REDUCE));
    sums.back().reduction.kind = SLUICE_REDUCE_SUM;
  }
  const uint32_t blocks = *program.addBlocks(
      "blocks", root, SLUICE_NO_PARTITION, 0, rank, colors.data());
  const uint32_t halos = *program.addHalos("halos", blocks, width, true);
  auto add = [&](std::vector<SluiceArgument> arguments, bool isHost = false) {
    SluiceStatement statement = {};
    statement.name = "task";
    statement.body = emptyBody;
    statement.rank = isHost ? 0 : rank;
    statement.isHost = isHost;
    std::copy_n(colors.data(), statement.rank, statement.extents);
    statement.numArguments = arguments.size();
    statement.arguments = arguments.data();
    EXPECT_EQ(program.addStatement(statement).message(), "");
  };
  const SluiceArgument near = argument(root, SLUICE_PRIVILEGE_READ, 1, halos);
  EXPECT_TRUE(program.beginGraph("sums").ok());
  EXPECT_TRUE(program.beginLoop(3, SLUICE_NO_PARTITION).ok());
  add({near, argument(root, SLUICE_PRIVILEGE_WRITE_DISCARD, 2, blocks)});
  add({argument(root, SLUICE_PRIVILEGE_READ, 2, blocks), sums[0]});
  add({argument(root, SLUICE_PRIVILEGE_READ, 2, halos),
       argument(root, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks)});
  add({near, sums[1], sums[2]});
  EXPECT_TRUE(program.endLoop().ok());
  for (SluiceArgument &sum : sums)
    sum.privilege = SLUICE_PRIVILEGE_READ;
  add(sums, true);
}
} // namespace

TEST(Footprint, PlansSumsOfSeveralLevels) {
  struct Case {
    uint32_t numRanks;
    std::vector<int64_t> colors;
  };
  for (const Case &each : {Case{5, {4100}}, Case{70, {8300}},
                           Case{64, {72, 60}}, Case{300, {66, 64}}})
    for (uint32_t rank : {0u, 1u, each.numRanks / 2, each.numRanks - 1}) {
      const SluiceCluster cluster = sluice::test::loneRank(rank, each.numRanks);
      std::string texts[2];
      for (PlanFrom from : {PlanFrom::AllPoints, PlanFrom::Footprint}) {
        RegionProgram program("test", nullptr, false, &cluster);
        program.choosePlan(from);
        addDeepSums(program, each.colors);
        Result<LocalGraph> planned = program.planLocal();
        ASSERT_TRUE(planned.ok()) << planned.status().message();
        ASSERT_EQ(planned->isFootprint, from == PlanFrom::Footprint);
        texts[from == PlanFrom::Footprint] = textOf(*planned);
        program.forgetGraph(*planned->all);
      }
      ASSERT_EQ(texts[0], texts[1])
          << "rank " << rank << " of " << each.numRanks;
    }
}
