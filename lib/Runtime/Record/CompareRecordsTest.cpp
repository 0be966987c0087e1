//===- CompareRecordsTest.cpp ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two records say of each other, and what is found by running each node
// twice.
//
//===----------------------------------------------------------------------===//

#include "Testing/RecordTest.h"

#include "sluice/Runtime/Record/CompareRecords.h"
#include "sluice/Runtime/Record/RecordHistory.h"

using namespace sluice;
using namespace sluice::test;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

namespace {
/// Three nodes: B = A + 1, C = B * factor, C += 1.
class CompareTest : public RecordTest {
protected:
  CompareTest() { buildGraph(builder, 3); }

  void runOnce() {
    auto *a = A.data(), *b = B.data(), *c = C.data();
    bodies[0] = [=, this](const SluiceInvocation *) {
      for (size_t i = 0; i < A.size(); ++i)
        b[i] = a[i] + 1;
    };
    bodies[1] = [=, this](const SluiceInvocation *) {
      for (size_t i = 0; i < A.size(); ++i)
        c[i] = b[i] * factorOf(i);
    };
    bodies[2] = [=, this](const SluiceInvocation *) {
      for (size_t i = 0; i < A.size(); ++i)
        c[i] += 1;
    };
    Structure structure;
    for (std::vector<int> *one : {&A, &B, &C})
      structure.add(one->data()).add(uint64_t(one->size() * sizeof(int)));
    EXPECT_EQ(run(builder.finish(), structure), "");
  }

  PlanBuilder builder;
  std::vector<int> A{1, 2, 3, 4, 5}, B{0, 0, 0, 0, 0}, C{0, 0, 0, 0, 0};
  std::function<int(size_t)> factorOf = [](size_t) { return 10; };
};
} // namespace

TEST_F(CompareTest, EqualRunsAreEqual) {
  runOnce();
  startAgain();
  // Other addresses.
  std::vector<int> other(A);
  A = std::vector<int>(5000);
  A = other;
  B.assign(5, 0);
  C.assign(5, 0);
  runOnce();
  EXPECT_FALSE(compareRecords(*read(0), *read(1)));
  EXPECT_EQ(C, (std::vector<int>{21, 31, 41, 51, 61}));
}

TEST_F(CompareTest, TheFirstNodeThatDiffersIsNamed) {
  runOnce();
  startAgain();
  B.assign(5, 0);
  C.assign(5, 0);
  factorOf = [](size_t i) { return i == 3 ? 11 : 10; };
  runOnce();
  std::optional<RecordDifference> found = compareRecords(*read(0), *read(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 2u);
  EXPECT_EQ(found->name, "root/b");
  EXPECT_NE(found->what.find("byte 12 of 'C' is 50 in one and 55 in the other"),
            std::string::npos)
      << found->what;
  EXPECT_NE(found->what.find("as i32 element 3: 50 and 55"), std::string::npos)
      << found->what;
  // It is one program, and its node was given the same.
  EXPECT_NE(found->conclusion.find("not deterministic"), std::string::npos);
}

TEST_F(CompareTest, OtherInputsAreTheHostProgram) {
  runOnce();
  startAgain();
  B.assign(5, 0);
  C.assign(5, 0);
  A[1] = 7;
  runOnce();
  std::optional<RecordDifference> found = compareRecords(*read(0), *read(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 0u);
  EXPECT_NE(found->conclusion.find("host program"), std::string::npos);
  EXPECT_NE(found->what.find("byte 4 of 'A' is 2 in one and 7"),
            std::string::npos)
      << found->what;
}

TEST_F(CompareTest, AMissingStepIsNamed) {
  runOnce();
  runOnce();
  startAgain();
  B.assign(5, 0);
  C.assign(5, 0);
  runOnce();
  // The second record has no end, so it may just have been cut off.
  std::unique_ptr<Record> shorter = read(1);
  EXPECT_FALSE(compareRecords(*read(0), *shorter));
  shorter->endsEarly.clear();
  std::optional<RecordDifference> found = compareRecords(*read(0), *shorter);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 4u);
  EXPECT_EQ(found->name, "launch 2 of 'root'");
}

TEST_F(CompareTest, BeyondTheBoundHashesTell) {
  startAgain();
  options.record.bytes = 8;
  startAgain(); // r2
  runOnce();
  startAgain(); // r3
  B.assign(5, 0);
  C.assign(5, 0);
  factorOf = [](size_t i) { return i == 3 ? 11 : 10; };
  runOnce();
  EXPECT_GT(read(2)->numCut(), 0u);
  EXPECT_EQ(memoryAfter(*read(2), 3, reinterpret_cast<uint64_t>(C.data()), 4)[0]
                .value,
            -1);
  std::optional<RecordDifference> found = compareRecords(*read(2), *read(3));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "root/b");
  EXPECT_NE(found->what.find("SLUICE_RECORD_BYTES"), std::string::npos)
      << found->what;
}

TEST_F(RecordTest, PointersInMemoryMayMove) {
  std::optional<RecordDifference> found;
  for (bool isOther : {false, true}) {
    std::vector<void *> table(4), other(4);
    std::vector<int> target(64);
    for (int round = 0; round < 2; ++round) {
      if (round || isOther)
        startAgain();
      PlanBuilder builder;
      buildGraph(builder, 1);
      std::vector<void *> &to = round ? other : table;
      bodies[0] = [&](const SluiceInvocation *) {
        to[1] = &target[3];
        to[2] = &to[round && isOther];
      };
      to.assign(4, nullptr);
      Structure structure;
      structure.add(to.data()).add(uint64_t(32));
      structure.add(target.data()).add(uint64_t(256));
      structure.add(nullptr).add(uint64_t(0));
      ASSERT_EQ(run(builder.finish(), structure), "");
    }
    found = compareRecords(*read(number - 1), *read(number));
    EXPECT_EQ(found.has_value(), isOther);
  }
  EXPECT_NE(found->what.find("of 'A'"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Running twice
//===----------------------------------------------------------------------===//

TEST_F(RecordTest, NodesThatAreNotDeterministicAreFound) {
  options.record.verifies = true;
  startAgain();
  PlanBuilder builder;
  buildGraph(builder, 4);
  std::vector<int> memory(8, 1), untouched(4, 3);
  int count = 0, numRuns = 0;
  bodies[0] = [&](const SluiceInvocation *) {
    ++numRuns;
    for (int &value : memory)
      value += 1; // what it reads is what it writes
  };
  bodies[1] = [&](const SluiceInvocation *) { memory[2] = 100 + count++; };
  bodies[2] = [&](const SluiceInvocation *) {
    if (count++ % 2)
      memory[4] = 7; // in the second run only
  };
  bodies[3] = [&](const SluiceInvocation *) { memory[5] = 55; };
  Structure structure;
  structure.add(memory.data()).add(uint64_t(32));
  structure.add(untouched.data()).add(uint64_t(16));
  structure.add(nullptr).add(uint64_t(0));
  ASSERT_EQ(run(builder.finish(), structure), "");
  EXPECT_EQ(numRuns, 2);
  // The program goes on with what the first runs did.
  EXPECT_EQ(memory, (std::vector<int>{2, 2, 100, 2, 2, 55, 2, 2}));
  const std::unique_ptr<Record> record = read();
  ASSERT_EQ(record->steps.size(), 5u);
  EXPECT_EQ(record->steps[1].verification, RecordedStep::Same);
  EXPECT_EQ(record->steps[2].verification, RecordedStep::Differs);
  EXPECT_EQ(record->steps[2].finding,
            "byte 8 of 'A' became 100 in one run and 101 in another");
  EXPECT_EQ(record->steps[3].verification, RecordedStep::Differs);
  EXPECT_EQ(record->steps[3].finding,
            "byte 16 of 'A' was changed in one of two runs only");
  EXPECT_EQ(record->steps[4].verification, RecordedStep::Same);
}

TEST_F(RecordTest, OutputsOfASecondRunAreCompared) {
  options.record.verifies = true;
  startAgain();
  PlanBuilder builder;
  builder.node("root/a", kernels[0], {5});
  uint64_t array = 0;
  const uint64_t output = builder.output(0, "value", 8, true, &array);
  builder.node("root/b", kernels[1], {5});
  builder.order(0, 1, SLUICE_ONE_TO_ONE);
  builder.operandOf(1, 0, 0, SLUICE_ONE_TO_ONE);
  const uint32_t counter = builder.memory("counter");
  builder.use(1, counter, inOut);
  builder.result("out", 8, output);
  int count = 0;
  bodies[0] = [&](const SluiceInvocation *invocation) {
    for (int i = 0; i < 5; ++i)
      at<uint64_t *>(invocation, array)[i] = uint64_t(i + (i == 2) * count);
    at<uint64_t>(invocation, output) = 4;
    ++count;
  };
  uint64_t seen = 99;
  int numRuns = 0;
  bodies[1] = [&](const SluiceInvocation *invocation) {
    seen = at<uint64_t *>(invocation, array)[2];
    ++numRuns;
  };
  Structure structure;
  structure.add(uint64_t(0));
  ASSERT_EQ(run(builder.finish(), structure), "");
  EXPECT_EQ(structure.read<uint64_t>(0), 4u);
  EXPECT_EQ(seen, 2u) << "the array of the first run";
  EXPECT_EQ(numRuns, 1) << "what it changes is not recorded";
  const std::unique_ptr<Record> record = read();
  ASSERT_EQ(record->steps.size(), 3u);
  EXPECT_EQ(record->steps[1].verification, RecordedStep::Differs);
  EXPECT_EQ(record->steps[2].verification, RecordedStep::Refused);
  EXPECT_EQ(record->steps[2].finding,
            "it changes 'counter', which is not recorded");
  ASSERT_EQ(record->notes.size(), 1u);
  EXPECT_EQ(record->notes[0], "'counter', which nodes of graph 'root' use "
                              "without an argument, is not recorded");
}

/// A node may change memory that an earlier one has allocated: nobody could
/// give that its former content back.
TEST_F(RecordTest, MemoryOfNodesIsNotChangedTwice) {
  options.record.verifies = true;
  startAgain();
  PlanBuilder builder;
  builder.node("root/a", kernels[0]);
  const uint64_t output = builder.output(0, "box", 8);
  builder.node("root/b", kernels[1]);
  builder.order(0, 1);
  builder.operandOf(1, 0, 0);
  const SluicePlan *plan = builder.finish();
  auto *operand = const_cast<SluicePlanOperand *>(plan->nodes[1].operands);
  operand->flags = SLUICE_PORT_POINTER;
  operand->access = inOut;
  int box = 0, numAllocated = 0;
  bodies[0] = [&](const SluiceInvocation *invocation) {
    ++numAllocated;
    at<int *>(invocation, output) = &box;
  };
  bodies[1] = [&](const SluiceInvocation *invocation) {
    ++*at<int *>(invocation, output);
  };
  Structure structure;
  structure.add(uint64_t(0));
  ASSERT_EQ(run(plan, structure), "");
  EXPECT_EQ(box, 1);
  EXPECT_EQ(numAllocated, 2);
  const std::unique_ptr<Record> record = read();
  ASSERT_EQ(record->steps.size(), 3u);
  EXPECT_EQ(record->steps[1].verification, RecordedStep::Same);
  EXPECT_EQ(record->steps[2].verification, RecordedStep::Refused);
  EXPECT_EQ(record->steps[2].finding,
            "it changes 'box', which is not recorded");
  EXPECT_EQ(record->steps[1].outputs[0].kind, RecordedValue::Elsewhere);
}
