//===- TaskRecordTest.cpp - Tests of the last tasks of a process ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests records in memory, and records of killed processes.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/TaskRecord.h"
#include "Testing/TestFolder.h"
#include "sluice/Base/Process.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

using namespace sluice;
using sluice::test::TestFolder;

TEST(TaskRecord, NamesTheTaskThatRunsOrElseTheLastOne) {
  TaskRecord &record = TaskRecord::make("");
  const char *sweep = "sweep", *show = "show";
  record.addName(sweep);
  record.addName(show);
  EXPECT_EQ(record.text(), "");
  const int64_t point[] = {1, -2, 3};
  record.begin(0, sweep, 2, point);
  EXPECT_EQ(record.text(), "task 'sweep' at point (1, -2)");
  record.end(0);
  EXPECT_EQ(record.text(), "task 'sweep' at point (1, -2)");
  record.begin(1, show, 0, nullptr);
  EXPECT_EQ(record.text(), "task 'show'");
  record.end(1);
  EXPECT_EQ(record.text(), "task 'sweep' at point (1, -2)");
  record.begin(0, show, 3, point);
  EXPECT_EQ(record.text(), "task 'show' at point (1, -2, 3)");
  // A worker number beyond the capacity.
  record.begin(100000, sweep, 0, nullptr);
  record.end(100000);
  EXPECT_EQ(record.process(), ::getpid());
}

TEST(TaskRecord, NamesAreCopied) {
  TaskRecord &record = TaskRecord::make("");
  char text[] = "first";
  record.addName(text);
  record.begin(0, text, 0, nullptr);
  text[0] = 'F';
  EXPECT_EQ(record.text(), "task 'first'");
  // Another name at the same address.
  record.addName(text);
  EXPECT_EQ(record.text(), "task 'First'");
  // Long names are cut.
  const std::string longName(1000, 'x');
  record.addName(longName.c_str());
  record.begin(0, longName.c_str(), 0, nullptr);
  EXPECT_EQ(record.text(), "task '" + std::string(55, 'x') + "'");
  // A name that was not added.
  record.begin(0, "other", 0, nullptr);
  EXPECT_EQ(record.text(), "a task");
  // Too many names.
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i)
    many.push_back("name" + std::to_string(i));
  for (const std::string &name : many)
    record.addName(name.c_str());
  record.begin(0, many[5].c_str(), 0, nullptr);
  EXPECT_EQ(record.text(), "task 'name5'");
  record.begin(0, many[999].c_str(), 0, nullptr);
  EXPECT_EQ(record.text(), "a task");
}

TEST(TaskRecord, OutlivesAProcessThatWasKilled) {
  TestFolder folder;
  const std::string file = folder.file("rank0");
  Result<Process> process = Process::fork([&] {
    TaskRecord &record = TaskRecord::make(file);
    record.addName("work");
    const int64_t point[] = {7};
    record.begin(3, "work", 1, point);
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(process.ok());
  const pid_t id = process->getId();
  EXPECT_EQ(process->wait().signal, SIGKILL);
  std::unique_ptr<TaskRecord> record = TaskRecord::read(file);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->process(), id);
  // The name is a constant in both processes.
  EXPECT_EQ(record->text(), "task 'work' at point (7)");
}

TEST(TaskRecord, FilesThatCannotBeMadeOrRead) {
  TestFolder folder;
  EXPECT_EQ(TaskRecord::make("/nonexistent/rank0").text(), "");
  EXPECT_FALSE(TaskRecord::read("/nonexistent/rank0"));
  const std::string file = folder.file("short");
  std::ofstream(file) << "short";
  EXPECT_FALSE(TaskRecord::read(file));
  // An existing file is not changed.
  EXPECT_EQ(TaskRecord::make(file).process(), ::getpid());
  EXPECT_FALSE(TaskRecord::read(file));
}
