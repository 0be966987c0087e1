//===- RootMemoryTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who changed each byte of a program over regions, against an oracle that looks
// at all of them when a task ends.
//
//===----------------------------------------------------------------------===//

#include "../Testing/RegionsTest.h"

#include "sluice/Runtime/Record/CompareRecords.h"
#include "sluice/Runtime/Record/RecordHistory.h"

#include <cstring>
#include <random>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
class RootMemoryTest : public RegionsTest {
protected:
  /// A byte of a root, and the step that changed it last.
  using Bytes = std::vector<RecordedByte>;
  static constexpr int64_t size = 11;

  void look() {
    const auto step = static_cast<uint32_t>(snapshots.size());
    std::vector<Bytes> now = snapshots.back();
    for (size_t root = 0; root < roots.size(); ++root)
      for (size_t i = 0; i < now[root].size(); ++i)
        if (now[root][i].value != roots[root][i])
          now[root][i] = {roots[root][i], step};
    snapshots.push_back(std::move(now));
  }
  std::string compare(const Record &record) const {
    if (record.steps.size() != snapshots.size())
      return "there are " + std::to_string(record.steps.size()) + " steps";
    for (uint32_t step = 0; step < snapshots.size(); ++step)
      for (size_t root = 0; root < roots.size(); ++root) {
        const Bytes &expected = snapshots[step][root];
        const Bytes found =
            memoryAfter(record, step, reinterpret_cast<uint64_t>(roots[root]),
                        expected.size());
        for (size_t i = 0; i < expected.size(); ++i)
          if (found[i].value != expected[i].value ||
              found[i].step != expected[i].step)
            return "byte " + std::to_string(i) + " of root " +
                   std::to_string(root) + " after step " + std::to_string(step);
      }
    return "";
  }

  std::vector<unsigned char *> roots;
  std::vector<std::vector<Bytes>> snapshots;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Recorded, RootMemoryTest, testing::Values(recorded));

TEST_P(RootMemoryTest, WhoChangedEachByteThroughLoops) {
  std::mt19937 random(5);
  const uint32_t x = addRoot("x", {size}, {{"a", SLUICE_I32, 1}});
  const uint32_t y = addRoot("y", {size}, {{"b", SLUICE_F64, 1}});
  const uint32_t xs = addBlocks("xs", x, {3}), ys = addBlocks("ys", y, {3});
  auto *a = data<int32_t>(x);
  auto *b = data<double>(y);
  for (int64_t i = 0; i < size; ++i)
    a[i] = int32_t(i % 3);
  roots = {reinterpret_cast<unsigned char *>(a),
           reinterpret_cast<unsigned char *>(b)};
  // The launch is given all of both.
  snapshots.emplace_back();
  for (auto [root, bytes] : {std::pair{0, size * 4}, {1, size * 8}}) {
    Bytes &first = snapshots[0].emplace_back();
    for (int64_t i = 0; i < bytes; ++i)
      first.push_back({roots[root][i], 0});
  }
  check(program->beginGraph("main"));
  check(program->beginLoop(4, SLUICE_NO_PARTITION));
  add("draw", {3}, {argument(x, SLUICE_PRIVILEGE_READ_WRITE, 1, xs)},
      [&](const SluiceTask &, const SluiceView *views) {
        forEachElement(views[0], [&](int64_t i) {
          if (random() % 2)
            field<int32_t>(views[0])[i] = int32_t(random() % 3);
        });
        look();
      });
  add("add", {3},
      {argument(x, SLUICE_PRIVILEGE_READ, 1, xs),
       argument(y, SLUICE_PRIVILEGE_READ_WRITE, 1, ys)},
      [&](const SluiceTask &, const SluiceView *views) {
        forEachElement(views[1], [&](int64_t i) {
          field<double>(views[1])[i] += field<int32_t>(views[0])[i];
        });
        look();
      });
  check(program->endLoop());
  check(program->endGraph());
  ASSERT_EQ(snapshots.size(), 1u + 4 * 6);

  Result<std::unique_ptr<Record>> record = readRecord(folder.file("record"));
  ASSERT_EQ(record.status().message(), "");
  EXPECT_EQ(compare(**record), "");
  const RecordedLaunch &launch = (*record)->launches[0];
  ASSERT_EQ(launch.blocks.size(), 2u);
  EXPECT_EQ(launch.blocks[0].name, "x.a");
  EXPECT_EQ(launch.blocks[0].type, "i32");
  EXPECT_EQ(launch.blocks[1].type, "f64");
  EXPECT_TRUE(launch.hasEnded);
  EXPECT_EQ((*record)->nameOf((*record)->steps[5]), "add (1)");
}
