//===- RegionsTest.h - Programs over regions, written by hand in tests ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on a runtime of its own, and short ways to write its statements.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_TESTING_REGIONSTEST_H
#define SLUICE_RUNTIME_REGIONS_TESTING_REGIONSTEST_H

#include "../Builtins.h"
#include "../ProgramOverRegions.h"
#include "TestFolder.h"

#include "../../Host/HostRuntime.h"

#include <deque>
#include <functional>
#include <gtest/gtest.h>

namespace sluice::regions::test {

/// What a statement of a test does; `views` as task functions get them.
using Body = std::function<void(const SluiceTask &, const SluiceView *)>;

/// For statements that are planned, not run.
inline const SluiceTaskBody emptyBody = [](const SluiceTask *,
                                           const SluiceView *, const void *) {};

inline SluiceArgument argument(uint32_t root, SluicePrivilege privilege,
                               uint64_t fields = 1,
                               uint32_t partition = SLUICE_NO_PARTITION,
                               int64_t color = 0,
                               SluiceProjection projection = nullptr) {
  SluiceArgument argument = {};
  argument.root = root;
  argument.partition = partition;
  argument.color = color;
  argument.projection = projection;
  argument.privilege = privilege;
  argument.fields = fields;
  return argument;
}

template <typename Value>
Value *field(const SluiceView &view, size_t index = 0) {
  return static_cast<Value *>(view.fields[index]);
}

/// Calls `function` with every linear position of a view.
template <typename Function>
void forEachElement(const SluiceView &view, Function &&function) {
  forEachSpan(*view.domain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      function(i);
  });
}

/// The parameter is the number of workers; 0 stands for the sequential
/// executor, and these for runs that are recorded, each task once or twice.
constexpr unsigned recorded = 1001, recordedTwice = 1002;

class RegionsTest : public testing::TestWithParam<unsigned> {
protected:
  void SetUp() override { start(GetParam()); }
  void TearDown() override {
    program.reset();
    if (runtime)
      EXPECT_EQ(runtime->finish().message(), "");
  }
  void start(unsigned numWorkers) {
    RuntimeOptions options;
    const bool isRecorded = numWorkers >= recorded;
    if (isRecorded) {
      options.record.directory = folder.file("record");
      options.record.bytes = 32 << 20;
      options.record.verifies = numWorkers == recordedTwice;
    }
    options.numWorkers = isRecorded ? 1 : std::max(1u, numWorkers);
    options.sequential = numWorkers == 0;
    options.traceFile = traceFile;
    program.reset();
    runtime.reset();
    runtime = std::make_unique<Runtime>(options);
    program = std::make_unique<RegionProgram>("test", runtime.get());
  }

  template <typename Value> Value valueOf(Result<Value> result) {
    EXPECT_EQ(result.status().message(), "");
    return result.ok() ? *result : Value();
  }
  void check(Status status) { EXPECT_EQ(status.message(), ""); }

  uint32_t addRoot(const char *name, std::vector<int64_t> extents,
                   std::vector<SluiceField> fields) {
    return valueOf(program->addRoot(name, extents.size(), extents.data(),
                                    fields.size(), fields.data()));
  }
  uint32_t addBlocks(const char *name, uint32_t root,
                     std::vector<int64_t> colors,
                     uint32_t parent = SLUICE_NO_PARTITION, int64_t color = 0) {
    return valueOf(program->addBlocks(name, root, parent, color, colors.size(),
                                      colors.data()));
  }
  uint32_t addHalos(const char *name, uint32_t partition,
                    std::vector<int64_t> width, bool corners) {
    return valueOf(program->addHalos(name, partition, width.data(), corners));
  }
  template <typename Value> Value *data(uint32_t root, uint32_t field = 0) {
    return static_cast<Value *>(valueOf(program->rootField(root, field)));
  }

  SluiceStatement statement(const char *name, std::vector<int64_t> extents,
                            const std::vector<SluiceArgument> &arguments,
                            Body body, bool isHost = false) {
    SluiceStatement statement = {};
    statement.name = name;
    statement.rank = extents.size();
    std::copy(extents.begin(), extents.end(), statement.extents);
    statement.isHost = isHost;
    statement.numArguments = arguments.size();
    statement.arguments = arguments.data();
    statement.closure = &bodies.emplace_back(std::move(body));
    statement.body = [](const SluiceTask *task, const SluiceView *views,
                        const void *closure) {
      (*static_cast<const Body *>(closure))(*task, views);
    };
    return statement;
  }
  void add(const char *name, std::vector<int64_t> extents,
           const std::vector<SluiceArgument> &arguments, Body body,
           bool isHost = false) {
    check(program->addStatement(statement(name, std::move(extents), arguments,
                                          std::move(body), isHost)));
  }

  sluice::test::TestFolder folder;
  std::string traceFile;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<RegionProgram> program;
  std::deque<Body> bodies;
};

} // namespace sluice::regions::test

#endif // SLUICE_RUNTIME_REGIONS_TESTING_REGIONSTEST_H
