//===- Explorer.h - All orders of what a few threads do -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordinary tests see only the orders that the machine happens to execute. Here
// the threads of a small scenario are coroutines, threads may change at every
// access to shared memory, and every load may return any value that the memory
// model of C++ allows. All choices are tried one after another. The code under
// test is the real one: it takes its atomics, locks and barriers as template
// parameters. Delaying a load that is not sequentially consistent makes no
// difference to other threads, so threads change only before operations that
// others can see, and before the loads that lead to them.
//
// The memory model is that of C++20 without cycles of dependences, as views:
//
// 1. A location has all its values in the order of their stores. A thread's
//    view says how old a value it may still read from each location.
// 2. A store with release order carries the view of its thread; a load with
//    acquire order takes over the view of what it reads. A read-modify-write
//    reads the newest value and passes on the view that this carried.
// 3. A sequentially consistent load reads nothing older than what any
//    sequentially consistent access of the location saw or stored before.
// 4. The heavy half of an asymmetric barrier takes over the views of all
//    earlier halves, the light half those of all earlier heavy ones. Two light
//    halves do not meet. This is less than membarrier(2) promises.
// 5. A full barrier takes over the views of all earlier full ones.
// 6. Locks and sleeping threads pass on views as usual.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_TESTING_EXPLORER_H
#define SLUICE_RUNTIME_SCHEDULING_TESTING_EXPLORER_H

#include <array>
#include <atomic>
#include <csetjmp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <ucontext.h>
#include <unordered_map>
#include <vector>

namespace sluice::model {

using Site = std::source_location;

/// A hash of what was hashed before and one value more.
inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccd;
  return hash ^ (hash >> 32);
}

/// What threads do together, from the beginning: its members are what they
/// share.
class Scenario {
public:
  virtual ~Scenario() = default;
  /// What each thread does. A thread that is cut off keeps its stack but runs
  /// no destructors, so locals own no memory.
  virtual std::vector<std::function<void()>> threads() = 0;
  /// Whether it is fine that this thread sleeps when nobody can go on.
  virtual bool maySleepForGood(unsigned) const { return false; }
  /// What is wrong after all threads ended; empty if nothing is.
  virtual std::string problem() { return {}; }
  /// Differs where variables differ that are no atomics: the scenario's own,
  /// and those behind its locks.
  virtual uint64_t state() const { return 0; }
};

/// How old a value of each location a thread may still read.
struct View {
  static constexpr unsigned maxLocations = 72;
  std::array<uint16_t, maxLocations> oldest{};

  void join(const View &other) {
    for (unsigned i = 0; i < maxLocations; ++i)
      oldest[i] = std::max(oldest[i], other.oldest[i]);
  }
};

/// Who waits for nothing, or for what.
struct Gate {
  bool open = true;
  View view;
};

/// One weaker order at one place in the code.
struct Mutation {
  std::string file;
  unsigned line = 0, column = 0;
  std::memory_order from = std::memory_order_relaxed;
  std::memory_order to = std::memory_order_relaxed;
  /// "leave: store release", with the weaker order behind it.
  std::string text;
};

class Explorer {
public:
  struct Result {
    uint64_t numRuns = 0;   ///< that were begun
    uint64_t numStates = 0; ///< that differ
    std::string failure;    ///< empty: no run fails
    std::string trace;      ///< what the threads did when one failed
  };

  /// At most so many times a thread is stopped that could go on; the rest is
  /// left out.
  unsigned maxPreemptions = UINT32_MAX;
  /// So often a thread may find nothing and try again while others could go
  /// on; from then on it comes last.
  unsigned maxYields = 1;
  /// More states than this are a failure of their own.
  uint64_t maxStates = 20'000'000;
  const Mutation *mutation = nullptr;

  /// Tries everything, until the first failure.
  Result explore(const std::function<std::unique_ptr<Scenario>()> &make);

  /// All weaker orders of the places that runs came by so far.
  std::vector<Mutation> mutations() const;

  /// The explorer whose scenario runs.
  static Explorer &current() { return *active; }

  //===-- What the parts of a scenario call ---------------------------------//

  unsigned addLocation(uint64_t value);
  void addLock(Gate &gate) { locks.push_back(&gate); }
  uint64_t load(unsigned location, std::memory_order order, Site site);
  void store(unsigned location, uint64_t value, std::memory_order order,
             Site site);
  uint64_t modify(unsigned location, std::memory_order order, Site site,
                  const std::function<uint64_t(uint64_t)> &change);
  bool compareExchange(unsigned location, uint64_t &expected, uint64_t desired,
                       std::memory_order success, std::memory_order failure,
                       Site site);
  void lock(Gate &gate);
  void unlock(Gate &gate);
  /// Waits until the gate is open, which it stays.
  void wait(Gate &gate);
  void open(Gate &gate);
  /// The number of the thread that runs.
  int runningThread() const { return running; }
  void heavyBarrier(Site site);
  void lightBarrier(Site site);
  void fullBarrier(Site site);
  /// The thread found nothing to do: others come first.
  void yield();
  /// What the thread has read, which says where it is and what it knows.
  uint64_t seen() const;
  /// The thread is at a place where it knows nothing but this.
  void forget(uint64_t seen);
  /// Ends the run: something is wrong.
  void fail(const std::string &text);

private:
  struct Message {
    uint64_t value;
    View view;
  };
  struct Location {
    std::vector<Message> messages;
    uint16_t newestSequential = 0;
  };
  struct Thread {
    std::function<void()> body;
    ucontext_t context;
    std::jmp_buf place;
    bool hasBegun = false;
    View view;
    uint64_t seen = 0;
    const Gate *waitsFor = nullptr;
    bool isDone = false;
    bool beginsBlock = true;
    bool yielded = false;
    unsigned numYields = 0;
  };
  struct Choice {
    unsigned count;
    unsigned taken;
  };
  using SiteKey =
      std::tuple<std::string_view, unsigned, unsigned, std::memory_order>;

  static Explorer *active;

  void runOnce(Scenario &scenario);
  bool nextRun();
  unsigned choose(unsigned count);
  void point(const Gate *gate = nullptr);
  void endBlock();
  void endThread();
  void endAsleep();
  void endRun();
  void changeTo(int next);
  int pickThread();
  bool canRun(const Thread &thread) const;
  bool isKnownState();
  uint64_t stateHash() const;
  std::memory_order orderAt(std::memory_order order, Site site,
                            const char *operation);
  void say(const char *operation, unsigned location, uint64_t value,
           std::memory_order order, Site site);
  uint16_t append(Location &location, unsigned number, uint64_t value,
                  bool release, const View *passedOn);
  static void enterThread();

  std::vector<Location> locations;
  std::vector<const Gate *> locks;
  std::vector<std::unique_ptr<Thread>> threads;
  View setUpView, heavyView, lightView, fullView;
  Scenario *scenario = nullptr;
  int running = -1;
  bool isWhole = false; ///< the run ended by itself
  unsigned numSteps = 0;
  unsigned numPreemptions = 0;
  std::jmp_buf outside;
  std::vector<std::unique_ptr<char[]>> stacks;

  std::vector<Choice> choices;
  size_t depth = 0, replayed = 0;
  std::unordered_map<uint64_t, unsigned> known;
  Result result;
  std::string runFailure;
  bool traces = false;
  std::map<SiteKey, std::string> sites;
};

} // namespace sluice::model

#endif // SLUICE_RUNTIME_SCHEDULING_TESTING_EXPLORER_H
