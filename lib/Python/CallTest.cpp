//===- CallTest.cpp - Calls of Python functions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding and calling functions, their errors, standard output, and the end of
// the process.
//
//===----------------------------------------------------------------------===//

#include "PythonTest.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice::python::test;

namespace {
class CallTest : public PythonTest {};
} // namespace

#define EXPECT_SAYS(text, words)                                               \
  EXPECT_NE(std::string(text).find(words), std::string::npos) << text

TEST_F(CallTest, Scalars) {
  write("scalars", R"(
def scalars(*values):
    assert values == (-128, 255, -2, 2**32 - 1, -2**63, 2**64 - 1, 0.5, 0.1)
    assert [type(value) for value in values] == [int] * 6 + [float] * 2
)");
  int8_t a = -128;
  uint8_t b = 255;
  int32_t c = -2;
  uint32_t d = std::numeric_limits<uint32_t>::max();
  int64_t e = std::numeric_limits<int64_t>::min();
  uint64_t f = std::numeric_limits<uint64_t>::max();
  float g = 0.5;
  double h = 0.1;
  EXPECT_EQ(call("scalars", "scalars",
                 {scalar(SLUICE_ELEMENT_INT, 8, &a),
                  scalar(SLUICE_ELEMENT_UINT, 8, &b),
                  scalar(SLUICE_ELEMENT_INT, 32, &c),
                  scalar(SLUICE_ELEMENT_UINT, 32, &d),
                  scalar(SLUICE_ELEMENT_INT, 64, &e),
                  scalar(SLUICE_ELEMENT_UINT, 64, &f),
                  scalar(SLUICE_ELEMENT_FLOAT, 32, &g),
                  scalar(SLUICE_ELEMENT_FLOAT, 64, &h)}),
            "");
}

TEST_F(CallTest, DictionariesAreSharedAndReleased) {
  write("objects", R"(
import weakref
class Thing: pass
events = []
def fill(first, second):
    assert type(first) is dict and first is not second
    first["thing"] = Thing()
    weakref.finalize(first["thing"], events.append, "released")
def look(first):
    assert "thing" in first and not events
def gone():
    assert events == ["released"], events
)");
  {
    Object first, second;
    EXPECT_EQ(call("objects", "fill", {first.argument(), second.argument()}),
              "");
    EXPECT_EQ(call("objects", "look", {first.argument()}), "");
  }
  EXPECT_EQ(call("objects", "gone"), "");
}

TEST_F(CallTest, ReadersCannotChangeDictionaries) {
  write("readers", R"(
def fill(state): state["x"] = 1
def read(state):
    assert state["x"] == 1 and dict(state) == {"x": 1}
    state["y"] = 2
)");
  Object state;
  EXPECT_EQ(call("readers", "fill", {state.argument()}), "");
  EXPECT_SAYS(call("readers", "read", {state.argument(/*isReadOnly=*/true)}),
              "'mappingproxy' object does not support item assignment");
}

TEST_F(CallTest, ExceptionWithItsTraceback) {
  write("wrong", R"(
def inner(): raise KeyError("missing \udc80")
def wrong(): inner()
)");
  std::string error = call("wrong", "wrong");
  EXPECT_SAYS(error, "exception in Python:\nTraceback (most recent call last):"
                     "\n  File \"" +
                         folder + "/wrong.py\", line 3, in wrong");
  EXPECT_SAYS(error, "line 2, in inner");
  EXPECT_SAYS(error, "KeyError: 'missing \\udc80'");
}

TEST_F(CallTest, ExitAndInterrupt) {
  write("leave", R"(
import sys
def leave(): sys.exit(0)
def interrupt(): raise KeyboardInterrupt
)");
  EXPECT_SAYS(call("leave", "leave"), "SystemExit: 0");
  EXPECT_SAYS(call("leave", "interrupt"), "KeyboardInterrupt");
}

TEST_F(CallTest, OnlyNoneIsReturned) {
  write("results", R"(
async def later(): pass
def many(): yield 1
def one(): return 3
def huge(): return "x" * 10**6
)");
  EXPECT_EQ(call("results", "one"),
            "the function returned 3 of type int, expected None; put results "
            "into a PyObj or an array");
  EXPECT_SAYS(call("results", "later"), "of type coroutine, expected None");
  EXPECT_SAYS(call("results", "many"), "of type generator, expected None");
  EXPECT_LT(call("results", "huge").size(), 200u);
}

TEST_F(CallTest, NotFound) {
  write("names", R"(
number = 3
def solve(): pass
def needs(a, b): pass
)");
  EXPECT_EQ(call("nowhere", "solve"), "there is no module 'nowhere' in " +
                                          folder + ", " +
                                          getenv("EXTRA_PYTHONPATH"));
  EXPECT_EQ(call("names", "slove"), "module 'names' (" + folder +
                                        "/names.py) has no function 'slove'; "
                                        "did you mean 'solve'?");
  EXPECT_EQ(call("names", "number"),
            "'number' of module 'names' is a int, expected a function");
  EXPECT_SAYS(call("names", "needs"),
              "TypeError: needs() missing 2 required positional arguments");
}

TEST_F(CallTest, BrokenModules) {
  write("syntax", "def f(:\n");
  write("imports", "import there_is_none\n");
  write("raises", "1 / 0\n");
  EXPECT_SAYS(call("syntax", "f"), "SyntaxError");
  EXPECT_SAYS(call("imports", "f"),
              "ModuleNotFoundError: No module named 'there_is_none'");
  EXPECT_SAYS(call("raises", "f"), "line 1, in <module>");
  EXPECT_SAYS(call("raises", "f"), "ZeroDivisionError");
}

/// As in the folder of 'python3 script.py'.
TEST_F(CallTest, NamesOfStandardModules) {
  write("inspect", "def f(): pass\n"); // The helper has already imported
                                       // Python's own module.
  write("uses", "import inspect, os, sys\n"
                "def f(): assert inspect.f() is None and os.sep == '/'\n");
  write("os", "def f(): pass\n");
  write("time", "def f(): pass\n");
  EXPECT_EQ(call("uses", "f"), "");
  EXPECT_EQ(call("inspect", "f"), "");
  EXPECT_SAYS(call("os", "f"), "so " + folder + "/os.py needs another name");
  EXPECT_SAYS(call("time", "f"),
              "the name 'time' is taken by a part of Python, so " + folder +
                  "/time.py needs another name");
}

TEST_F(CallTest, ProgramsWithModulesOfOneName) {
  write("kern", "import helper\ndef f(s): s['is'] = helper.name\n"
                "def counts(s): s['n'] = s.get('n', 0) + helper.count()\n");
  write("helper", "name = 'first'\nn = 0\n"
                  "def count():\n  global n\n  n += 1\n  return n\n");
  write("check", "def check(s, n): assert s == {'is': ['', 'first', "
                 "'second'][n]}, s\n");
  std::string other = folder + "/other";
  std::filesystem::create_directory(other);
  std::ofstream(other + "/kern.py")
      << "import helper\ndef f(s): s['is'] = helper.name\n";
  std::ofstream(other + "/helper.py") << "name = 'second'\n";
  std::ofstream(other + "/check.py")
      << "def check(s, n): assert s == {'is': ['', 'first', 'second'][n]}, s\n";
  for (int64_t round : {1, 2, 1, 2}) {
    run.path = round == 1 ? folder : other;
    run.program.pythonPath = run.path.c_str();
    Object object;
    EXPECT_EQ(call("kern", "f", {object.argument()}), "");
    EXPECT_EQ(call("check", "check",
                   {object.argument(), scalar(SLUICE_ELEMENT_INT, 64, &round)}),
              "");
  }
}

TEST_F(CallTest, ExtraFoldersFromTheEnvironment) {
  std::string extra = getenv("EXTRA_PYTHONPATH");
  std::filesystem::create_directory(extra);
  std::ofstream(extra + "/beside.py") << "def f(): pass\n";
  EXPECT_EQ(call("beside", "f"), "");
  std::filesystem::remove_all(extra);
}

TEST_F(CallTest, OneThreadWhoeverCalls) {
  write("threads", R"(
import threading
seen = set()
def see():
    seen.add(threading.get_ident())
    assert threading.current_thread() is threading.main_thread()
def same(): assert len(seen) == 1
)");
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] { EXPECT_EQ(call("threads", "see"), ""); });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(call("threads", "same"), "");
}

TEST_F(CallTest, DebianPackagesAndNoStrayEnvironment) {
  write("paths", R"(
import signal, sys
def paths():
    assert sys.executable == "/usr/bin/python3", sys.executable
    assert sys.prefix == "/usr"
    assert "/usr/lib/python3/dist-packages" in sys.path
    assert "/nowhere" not in sys.path
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert sys.stdout.encoding == "utf-8"
    assert sys.flags.hash_randomization == 0
)");
  EXPECT_EQ(call("paths", "paths"), "");
  struct sigaction action;
  sigaction(SIGINT, nullptr, &action);
  EXPECT_TRUE(action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

TEST_F(CallTest, ForkedChildEnds) {
  write("forks", R"(
import os
def forks(state):
    child = os.fork()
    if child == 0:
        return
    state["status"] = os.waitpid(child, 0)[1]
def check(state): assert state["status"] == 0
)");
  Object state;
  EXPECT_EQ(call("forks", "forks", {state.argument()}), "");
  EXPECT_EQ(call("forks", "check", {state.argument()}), "");
}

/// Leaves a file open that its destructor and an atexit function write to.
static const char leavesFileOpen[] = R"(
import atexit
file = None
def ends(state):
    global file
    file = open(__file__ + ".out", "w")
    file.write("buffered ")
    atexit.register(file.write, "at exit")
)";

TEST_F(CallTest, EndsWithFlushedFilesAndAtexit) {
  write("ends", leavesFileOpen);
  pid_t child = fork();
  if (child == 0) { // If the test runs alone, Python has not started in this
                    // process yet.
    execl("/proc/self/exe", "SluicePythonTests",
          "--gtest_filter=CallTest.LeavesFilesOpen", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::ifstream file(folder + "/ends.py.out");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, "buffered at exit");
}

/// The test above runs this in a separate process, which uses its folder.
TEST_F(CallTest, LeavesFilesOpen) {
  write("ends", leavesFileOpen);
  Object state;
  ASSERT_EQ(call("ends", "ends", {state.argument()}), "");
}
