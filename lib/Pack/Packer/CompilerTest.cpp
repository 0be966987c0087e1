//===- CompilerTest.cpp - Tests of compiled kernels -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests when and how packers get compiled kernels, with a fake compiler:
// replacement during use, freeing while waiting, forked children, the end of
// the process, and the messages without a compiler.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Compiler.h"

#include "../Testing/FakeCompiler.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Packer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice;
using namespace sluice::pack;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// Forked children start threads of their own here.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
#endif
#endif

namespace {

/// Layouts with this number are 64 blocks of 4 bytes; they differ in their
/// stride.
Layout numbered(int64_t number, int64_t extent = 0) {
  PlacedForm placed = repeat({0, blockForm(4)}, 64, 8 + 4 * number);
  return {0, extent, placed.form};
}

bool packsRight(Packer &packer) {
  int64_t stride = packer.layout().form->dimensions.front().stride / 4;
  std::vector<int32_t> in(size_t(stride) * 64), out(64);
  for (size_t i = 0; i != in.size(); ++i)
    in[i] = int32_t(i * 31 + 7);
  packer.pack(in.data(), 1, out.data());
  for (size_t i = 0; i != 64; ++i)
    if (out[i] != in[i * size_t(stride)])
      return false;
  return true;
}

void useTimes(Packer &packer, int times) {
  for (int i = 0; i != times; ++i)
    EXPECT_TRUE(packsRight(packer));
}

/// A symbol of the fake, which is opened if necessary.
void *symbolOfFake(const char *name) {
  EXPECT_TRUE(kernelCompiler().ok());
  return dlsym(dlopen(SLUICE_FAKE_COMPILER, RTLD_NOW | RTLD_NOLOAD), name);
}

int countOfFake(const char *name) {
  return static_cast<std::atomic<int> *>(symbolOfFake(name))->load();
}

/// Uses `packer`, which waits for a slow compilation, until that begins.
void useUntilSlowBegins(Packer &packer) {
  int before = countOfFake("fakeSlowBegun");
  EXPECT_TRUE(packsRight(packer));
  while (countOfFake("fakeSlowBegun") == before)
    std::this_thread::yield();
}

class CompilerTest : public testing::Test {
protected:
  CompilerTest() { setPackOptions({.compileAfter = 32}); }
  ~CompilerTest() override { waitForCompilations(); }
};

TEST_F(CompilerTest, AKernelIsCompiledAfterEnoughUses) {
  auto packer = Packer::of(numbered(1));
  useTimes(*packer, 31);
  waitForCompilations();
  EXPECT_NE(packer->kernel().origin, KernelOrigin::Compiled);
  useTimes(*packer, 1);
  waitForCompilations();
  EXPECT_EQ(packer->kernel().origin, KernelOrigin::Compiled);
  useTimes(*packer, 5);
}

TEST_F(CompilerTest, UnpacksAndPartsCountAsUses) {
  setPackOptions({.compileAfter = 4});
  auto packer = Packer::of(numbered(2));
  std::vector<std::byte> memory(2000), packed(256);
  packer->unpack(packed.data(), memory.data(), 1);
  packer->packPart(memory.data(), 1, 10, 20, packed.data());
  packer->unpackPart(packed.data(), 10, 20, memory.data(), 1);
  packer->pack(memory.data(), 1, packed.data());
  waitForCompilations();
  EXPECT_EQ(packer->kernel().origin, KernelOrigin::Compiled);
}

TEST_F(CompilerTest, NegativeMeansNeverAndZeroAtOnce) {
  setPackOptions({.compileAfter = -1});
  auto never = Packer::of(numbered(3));
  useTimes(*never, 100);
  waitForCompilations();
  EXPECT_NE(never->kernel().origin, KernelOrigin::Compiled);
  setPackOptions({.compileAfter = 0});
  auto atOnce = Packer::of(numbered(4));
  waitForCompilations();
  EXPECT_EQ(atOnce->kernel().origin, KernelOrigin::Compiled);
}

TEST_F(CompilerTest, ConsecutiveBytesAreNotCompiledUnasked) {
  setPackOptions({.compileAfter = 0});
  auto dense = Packer::of({0, 24, blockForm(24)});
  auto nothing = Packer::of({0, 24, emptyForm()});
  std::byte in[96] = {}, out[96];
  for (int i = 0; i != 50; ++i) {
    dense->pack(in, 4, out);
    nothing->pack(in, 4, out);
  }
  waitForCompilations();
  EXPECT_EQ(dense->kernel().origin, KernelOrigin::ReadyMade);
  EXPECT_EQ(nothing->kernel().origin, KernelOrigin::ReadyMade);
  EXPECT_TRUE(dense->compile().ok());
  EXPECT_EQ(dense->kernel().origin, KernelOrigin::Compiled);
}

TEST_F(CompilerTest, CompilingNowReplacesTheKernelOnce) {
  setPackOptions({.compareKernels = false});
  auto packer = Packer::of(numbered(5));
  ASSERT_TRUE(packer->compile().ok());
  std::string name = packer->kernel().name;
  ASSERT_TRUE(packer->compile().ok());
  useTimes(*packer, 40);
  waitForCompilations();
  EXPECT_EQ(packer->kernel().name, name);
}

TEST_F(CompilerTest, TheFasterOfBothKernelsStays) {
  // The fake's kernels walk the form, which is much slower than a ready-made
  // kernel.
  auto packer = Packer::of(numbered(11));
  ASSERT_TRUE(packer->compile().ok());
  EXPECT_EQ(packer->kernel().origin, KernelOrigin::Compiled);
  useTimes(*packer, 100);
  EXPECT_EQ(packer->kernel().origin, KernelOrigin::ReadyMade);
  // Nothing was unpacked, so unpacking has not been timed yet.
  EXPECT_EQ(packer->unpackKernel().origin, KernelOrigin::Compiled);
}

TEST_F(CompilerTest, AFailureIsKeptAndNotRetried) {
  auto packer = Packer::of(numbered(6, fakeFailureExtent));
  useTimes(*packer, 32);
  waitForCompilations();
  useTimes(*packer, 100);
  waitForCompilations();
  Status first = packer->compile(), second = packer->compile();
  EXPECT_EQ(first.message().substr(0, 8), "failure ");
  EXPECT_EQ(first.message(), second.message());
  EXPECT_NE(packer->kernel().origin, KernelOrigin::Compiled);
}

TEST_F(CompilerTest, AnExceptionIsAFailure) {
  auto packer = Packer::of(numbered(7, fakeThrowExtent));
  EXPECT_EQ(packer->compile().message(), "thrown by generated code");
  useTimes(*packer, 40);
}

TEST_F(CompilerTest, GeneratingCodeMayCommitOtherLayouts) {
  static std::shared_ptr<Packer> inner = Packer::of(numbered(31));
  *static_cast<void (**)()>(symbolOfFake("fakeHook")) = [] {
    EXPECT_TRUE(inner->compile().ok());
  };
  auto outer = Packer::of(numbered(31, fakeHookExtent));
  EXPECT_TRUE(outer->compile().ok());
  useTimes(*outer, 2);
  useTimes(*inner, 2);
  inner.reset();
}

TEST_F(CompilerTest, PackersMayGoWhileTheyWaitOrAreCompiled) {
  int before = countOfFake("fakeKernelsAlive");
  setPackOptions({.compileAfter = 1});
  for (int round = 0; round != 3; ++round) {
    auto slow = Packer::of(numbered(8, fakeSlowExtent));
    if (round == 0)
      useUntilSlowBegins(*slow);
    else
      useTimes(*slow, 1);
    for (int64_t i = 0; i != 50; ++i)
      useTimes(*Packer::of(numbered(100 + i)), 1);
  }
  waitForCompilations();
  EXPECT_EQ(countOfFake("fakeKernelsAlive"), before);
}

TEST_F(CompilerTest, TheOldKernelStaysValid) {
  auto packer = Packer::of(numbered(9));
  Kernel const &old = packer->kernel();
  ASSERT_TRUE(packer->compile().ok());
  std::vector<int32_t> in(64 * 11, 3), out(64);
  old.pack(reinterpret_cast<const std::byte *>(in.data()), 1,
           reinterpret_cast<std::byte *>(out.data()), old.context.get());
  EXPECT_EQ(out[63], 3);
}

TEST_F(CompilerTest, ThreadsPackWhileKernelsAreReplaced) {
  setPackOptions({.compileAfter = 5});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&] {
      for (int64_t i = 0; i != 100; ++i) {
        auto packer = Packer::of(numbered(200 + i));
        for (int j = 0; j != 10; ++j)
          wrong += !packsRight(*packer);
        if (i % 10 == 0)
          wrong += !packer->compile().ok();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CompilerTest, MoreWishesThanTheQueueHoldsAreMadeAgain) {
  setPackOptions({.compileAfter = 1});
  auto slow = Packer::of(numbered(10, fakeSlowExtent));
  useTimes(*slow, 1);
  std::vector<std::shared_ptr<Packer>> packers;
  for (int64_t i = 0; i != 400; ++i) {
    packers.push_back(Packer::of(numbered(1000 + i)));
    useTimes(*packers.back(), 1);
  }
  waitForCompilations();
  for (auto &packer : packers)
    useTimes(*packer, 1);
  waitForCompilations();
  for (auto &packer : packers)
    EXPECT_EQ(packer->kernel().origin, KernelOrigin::Compiled);
}

TEST_F(CompilerTest, TheThreadStopsAndStartsAgain) {
  setPackOptions({.compileAfter = 1});
  for (int64_t i = 0; i != 5; ++i) {
    auto packer = Packer::of(numbered(300 + i));
    useTimes(*packer, 1);
    stopPackThreads();
    waitForCompilations();
    EXPECT_EQ(packer->kernel().origin, KernelOrigin::Compiled);
  }
  stopPackThreads();
  stopPackThreads();
}

/// The exit status of a forked child that runs `body`, or -1 if it ended
/// otherwise. A hanging child is killed long after even a busy machine would
/// have ended it.
template <typename Body> int statusOfChild(Body body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(300);
    body();
    _exit(99);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

TEST_F(CompilerTest, AForkWaitsForOneCompilationOnly) {
  setPackOptions({.compileAfter = 1});
  std::vector<std::shared_ptr<Packer>> packers;
  for (int64_t i = 0; i != 100; ++i) {
    packers.push_back(Packer::of(numbered(1000 + i, fakeSlowExtent)));
    useTimes(*packers.back(), 1);
  }
  // The child sees how many kernels had been compiled at the fork.
  int numCompiled = statusOfChild([&] {
    _exit(std::count_if(packers.begin(), packers.end(), [](const auto &packer) {
      return packer->kernel().origin == KernelOrigin::Compiled;
    }));
  });
  EXPECT_GE(numCompiled, 0);
  EXPECT_LT(numCompiled, 50);
}

TEST_F(CompilerTest, AForkedChildCompilesByItself) {
  setPackOptions({.compileAfter = 1});
  // Fork with an idle worker, and in the middle of a compilation.
  for (int round = 0; round != 2; ++round) {
    auto shared = Packer::of(numbered(20 + round, fakeSlowExtent));
    useTimes(*shared, 1);
    if (round == 0)
      waitForCompilations();
    EXPECT_EQ(statusOfChild([&] {
                auto own = Packer::of(numbered(30 + round));
                bool isRight = packsRight(*own) && packsRight(*shared);
                waitForCompilations();
                bool isCompiled =
                    own->kernel().origin == KernelOrigin::Compiled &&
                    shared->compile().ok();
                stopPackThreads();
                _exit(isRight && isCompiled ? 0 : 1);
              }),
              0);
  }
}

TEST_F(CompilerTest, TheProcessEndsInTheMiddleOfACompilation) {
  // The child's leak check would not find objects of a parent's thread.
  stopPackThreads();
  EXPECT_EQ(statusOfChild([] {
              setPackOptions({.compileAfter = 1});
              auto slow = Packer::of(numbered(11, fakeSlowExtent));
              useUntilSlowBegins(*slow);
              auto waiting = Packer::of(numbered(12));
              packsRight(*waiting);
              std::exit(7);
            }),
            7);
}

TEST_F(CompilerTest, PackingGoesOnAfterTheEndOfTheProcessBegan) {
  // The child's leak check would not find objects of a parent's thread.
  stopPackThreads();
  EXPECT_EQ(statusOfChild([] {
              setPackOptions({.compileAfter = 1});
              static std::shared_ptr<Packer> late = Packer::of(numbered(13));
              std::atexit([] {
                bool isRight = packsRight(*late);
                waitForCompilations();
                stopPackThreads();
                if (!isRight)
                  _exit(1);
              });
              packsRight(*Packer::of(numbered(14)));
              std::exit(0);
            }),
            0);
}

//===----------------------------------------------------------------------===//
// Settings, each in a separate process
//===----------------------------------------------------------------------===//

/// The message of `kernelCompiler`, and of later packers, in a process that was
/// started with SLUICE_PACK_JIT set; each setting has a test below.
std::string reasonWithSetting(const std::string &setting) {
  std::string command = "SLUICE_PACK_JIT='" + setting +
                        "' SLUICE_TEST_PRINTS_REASON=1 timeout 300 /proc/" +
                        std::to_string(getpid()) + "/exe";
  std::string text;
  FILE *output = popen(command.c_str(), "r");
  if (!output)
    return "popen failed";
  for (int c = fgetc(output); c != EOF; c = fgetc(output))
    text += char(c);
  int status = pclose(output);
  return status == 0 ? text : "exit status " + std::to_string(status);
}

/// The body of such a process: packs until a compilation would have happened.
int printReason() {
  Result<Compiler *> compiler = kernelCompiler();
  if (compiler.ok())
    return 1;
  setPackOptions({.compileAfter = 1});
  auto packer = Packer::of(numbered(1));
  useTimes(*packer, 40);
  waitForCompilations();
  std::string reason = compiler.status().message();
  if (packer->kernel().origin == KernelOrigin::Compiled ||
      packer->compile().message() != reason)
    return 2;
  printf("%s", reason.c_str());
  return 0;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(CompilerSettingTest, EachReasonIsGiven) {
  EXPECT_EQ(reasonWithSetting("off"),
            "compiling kernels is turned off by SLUICE_PACK_JIT=off");
  EXPECT_PRED2(contains, reasonWithSetting("/no/such/file.so"),
               "/no/such/file.so");
  EXPECT_PRED2(contains, reasonWithSetting("libm.so.6"),
               "has no function 'sluicePackCompiler'");
  EXPECT_PRED2(contains, reasonWithSetting(SLUICE_OTHER_VERSION),
               "is of another version");
}

//===----------------------------------------------------------------------===//
// A process that ends while the compiler's library is being opened
//===----------------------------------------------------------------------===//

/// The body of such a process. `who` ends it: a thread that has packed, or one
/// that never has.
int endWhileOpening(const std::string &who) {
  setPackOptions({.compileAfter = 1});
  auto pack = [] { useTimes(*Packer::of(numbered(1)), 40); };
  if (who == "packer")
    pack();
  else
    std::thread(pack).join();
  return 0;
}

TEST(CompilerExitTest, OpeningIsWaitedFor) {
  for (std::string who : {"packer", "other"}) {
    std::string command =
        concat(fakeSlowOpening, "=1 SLUICE_TEST_ENDS=", who,
               " timeout 300 /proc/", std::to_string(getpid()), "/exe");
    EXPECT_EQ(std::system(command.c_str()), 0) << who;
  }
}

} // namespace

int main(int argc, char **argv) {
  setenv("SLUICE_PACK_JIT", SLUICE_FAKE_COMPILER, /*overwrite=*/0);
  if (getenv("SLUICE_TEST_PRINTS_REASON"))
    return printReason();
  if (const char *who = getenv("SLUICE_TEST_ENDS"))
    return endWhileOpening(who);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
