//===- LeafRunner.cpp - Running compiled leaves ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeafRunner.h"
#include "GuardedMemory.h"
#include "Oracle.h"
#include "sluice-c/FormTrial.h"
#include "sluice-c/Plan.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

#include <ctime>
#include <map>
#include <random>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::leaftest;

static cl::list<unsigned>
    numbersOfPieces("pieces", cl::CommaSeparated, cl::list_init<unsigned>({5}),
                    cl::desc("parts a range is run in, one after the other"));
static cl::opt<int64_t> firstUnit("from", cl::init(0),
                                  cl::desc("first unit that is run"));
static cl::opt<int64_t>
    unitLimit("units-at-most", cl::init(0),
              cl::desc("units that are run, of leaves "
                       "whose units are instances; 0: all"));
static cl::opt<int> printed("print", cl::init(-1),
                            cl::desc("input to print as i32 after a run"));
static cl::opt<std::string>
    peer("peer", cl::desc("shared object whose function peer(void **values) "
                          "does the same work, to compare times with"));

//===----------------------------------------------------------------------===//
// What the code of leaves calls
//===----------------------------------------------------------------------===//

/// Blocks that the leaf allocated, freed at the end.
static std::vector<std::unique_ptr<char[]>> allocations;
static int64_t liveGroupBlocks;

static void *allocate(const void *, int64_t size) {
  allocations.push_back(std::make_unique<char[]>(size + 64));
  auto address = reinterpret_cast<uintptr_t>(allocations.back().get());
  return reinterpret_cast<void *>((address + 63) & ~uintptr_t(63));
}

/// Scratch memory is as close to the guard behind it as its alignment lets it:
/// what goes beyond it ends the test.
static std::map<void *, GuardedPages> groupBlocks;

static void *allocateGroup(const void *, int64_t size) {
  ++liveGroupBlocks;
  size = alignTo(std::max<int64_t>(size, 1), 64);
  if (emit == "time")
    return aligned_alloc(64, size);
  const GuardedPages pages(size);
  memset(pages.data, 0xA5, pages.size);
  char *data = pages.data + (pages.size - size);
  groupBlocks.emplace(data, pages);
  return data;
}
static void freeGroup(const void *, void *block) {
  --liveGroupBlocks;
  auto found = groupBlocks.find(block);
  if (found == groupBlocks.end())
    return free(block);
  found->second.unmap();
  groupBlocks.erase(found);
}

/// Both forms of a kernel run in turns, whether a call is timed or not; where
/// the tool itself takes the time, the usual one.
static uint64_t beginTrial(SluiceFormTrial *trial) {
  if (emit == "time")
    return 2;
  const unsigned form = trial->numBegun++ & 1;
  if (form)
    trial->state = 4 | (trial->numBegun >> 1 & 1);
  return 2 | form;
}

static void endTrial(SluiceFormTrial *trial, uint64_t begun, uint64_t) {
  if (emit == "time")
    return;
  if (!trial || (begun & ~uint64_t(1)) != 2)
    report_fatal_error("a trial ends that has not begun");
}

void leaftest::forEachRuntimeFunction(
    function_ref<void(StringRef name, void *address)> define) {
  auto add = [&](StringRef name, auto *function) {
    define(name, reinterpret_cast<void *>(function));
  };
  add("sluiceMalloc", allocate);
  add("sluiceGroupMalloc", allocateGroup);
  add("sluiceGroupFree", freeGroup);
  add("sluiceBeginTrial", beginTrial);
  add("sluiceEndTrial", endTrial);
  add("oracleBarrier", oracleBarrier);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// Memory one run works on: copies of all inputs, and outputs.
struct Memory {
  std::vector<InputMemory> inputs;
  std::vector<std::vector<char>> last, arrays;
  bool operator==(const Memory &) const = default;
};

class Runner {
public:
  Runner(const Setup &setup) : setup(setup) {}

  Memory memory(Place place) const {
    Memory result;
    for (const Datum &datum : setup.inputs)
      result.inputs.emplace_back(datum.bytes, place);
    auto *type = dyn_cast<StructType>(setup.spec.leaf->getReturnType());
    for (unsigned port = 0; port < setup.spec.outputs.size(); ++port) {
      uint64_t size = setup.spec.leaf->getDataLayout().getTypeAllocSize(
          type->getElementType(port));
      int64_t count = setup.count(setup.spec.numFixedLevels,
                                  setup.spec.outputs[port].level + 1);
      result.last.emplace_back(size);
      result.arrays.emplace_back(size * std::max<int64_t>(count, 1));
    }
    return result;
  }

  void runRange(Caller caller, Memory &memory, int64_t begin, int64_t end,
                bool isAlone = true) {
    invocation.isAlone = isAlone;
    start(memory);
    for (const auto &id : setup.ids)
      for (int64_t number : id)
        addNumber(number);
    addExtents();
    addNumber(begin);
    addNumber(end);
    addOutputs(memory);
    call(caller);
  }

  /// Of leaves whose units are instances.
  void runOracle(Caller caller, Memory &memory, int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number)
      runGroup(1, [&](int64_t) {
        Runner instance(setup);
        instance.runInstance(caller, memory, number);
      });
  }

  void runOracle(Caller caller, Memory &memory) {
    unsigned levels = setup.spec.levels.size();
    int64_t groups = setup.count(setup.spec.numFixedLevels, levels - 1);
    int64_t items = setup.count(levels - 1, levels);
    for (int64_t group = 0; group < groups; ++group)
      runGroup(items, [&](int64_t item) {
        Runner instance(setup);
        instance.runInstance(caller, memory, group * items + item);
      });
  }

private:
  const Setup &setup;
  std::vector<std::unique_ptr<int64_t>> numbers;
  std::vector<void *> values;
  SluiceInvocation invocation = {};

  void addNumber(int64_t number) {
    numbers.push_back(std::make_unique<int64_t>(number));
    values.push_back(numbers.back().get());
  }
  void addPointer(void *pointer) {
    addNumber(reinterpret_cast<intptr_t>(pointer));
  }
  void start(Memory &memory) {
    numbers.clear();
    values.clear();
    addPointer(&invocation);
    for (unsigned port = 0; port < setup.inputs.size(); ++port)
      if (setup.inputs[port].isBuffer)
        addPointer(memory.inputs[port].data());
      else
        values.push_back(memory.inputs[port].data());
  }
  void addExtents() {
    for (const auto &level : setup.extents)
      for (int64_t extent : level)
        addNumber(extent);
  }
  void addOutputs(Memory &memory) {
    for (unsigned port = 0; port < memory.last.size(); ++port) {
      addPointer(memory.last[port].data());
      addPointer(memory.arrays[port].data());
    }
  }
  void call(Caller caller) { caller(values.data()); }

  void runInstance(Caller caller, Memory &memory, int64_t number) {
    start(memory);
    SmallVector<std::array<int64_t, 3>> ids(setup.spec.levels.size());
    for (unsigned level = ids.size(); level-- > setup.spec.numFixedLevels;)
      for (unsigned dim = 0; dim < 3; ++dim) {
        ids[level][dim] = number % setup.extents[level][dim];
        number /= setup.extents[level][dim];
      }
    for (unsigned level = 0; level < ids.size(); ++level)
      for (unsigned dim = 0; dim < 3; ++dim)
        addNumber(level < setup.spec.numFixedLevels ? setup.ids[level][dim]
                                                    : ids[level][dim]);
    addExtents();
    addOutputs(memory);
    addNumber(1);
    call(caller);
  }
};

} // namespace

static void report(const Memory &expected, const Memory &actual,
                   StringRef what) {
  auto compare = [&](const auto &left, const auto &right, StringRef kind) {
    for (unsigned port = 0; port < left.size(); ++port)
      for (size_t at = 0; at < left[port].size(); at += 4)
        if (memcmp(&left[port][at], &right[port][at],
                   std::min<size_t>(4, left[port].size() - at))) {
          outs() << what << ": " << kind << ' ' << port
                 << " differs first at byte " << at << '\n';
          break;
        }
  };
  compare(expected.inputs, actual.inputs, "input");
  compare(expected.last, actual.last, "last value of output");
  compare(expected.arrays, actual.arrays, "array of output");
}

int leaftest::runAndCompare(const Setup &setup, Caller oracle, Caller range) {
  Runner runner(setup);
  Memory expected = runner.memory(Place::BeforeGuard);
  int64_t begin = firstUnit, units = setup.count(setup.spec.numFixedLevels,
                                                 setup.spec.numUnitLevels);
  if (unitLimit != 0) {
    units = std::min(units, begin + unitLimit);
    runner.runOracle(oracle, expected, begin, units);
  } else {
    runner.runOracle(oracle, expected);
  }

  Memory whole = runner.memory(Place::BeforeGuard);
  runner.runRange(range, whole, begin, units);
  bool same = expected == whole;
  if (!same)
    report(expected, whole, "whole range");
  for (unsigned pieces : numbersOfPieces) {
    Memory split = runner.memory(Place::BehindGuard);
    std::mt19937 random(seed);
    int64_t at = begin;
    for (unsigned piece = 0; piece < pieces && at < units; ++piece) {
      int64_t end = piece + 1 == pieces
                        ? units
                        : at + int64_t(random() % uint64_t(units - at + 1));
      runner.runRange(range, split, at, end, /*isAlone=*/false);
      at = end;
    }
    if (expected != split)
      report(expected, split, "split range");
    same &= expected == split;
  }
  if (printed >= 0) {
    outs() << "input " << printed << ':';
    for (size_t at = 0; at + 4 <= whole.inputs[printed].size(); at += 4) {
      int32_t number;
      memcpy(&number, &whole.inputs[printed][at], 4);
      outs() << ' ' << number;
    }
    outs() << '\n';
  }
  if (liveGroupBlocks != 0)
    outs() << liveGroupBlocks << " blocks of group memory were not freed\n";
  outs() << (same ? "same\n" : "different\n");
  return same && liveGroupBlocks == 0 ? 0 : 1;
}

/// Processor time of this thread, in microseconds: other processes do not
/// count.
static double processorTime() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) / 1e3;
}

static double timeOnce(Runner &runner, Memory &memory, Caller caller,
                       int64_t units) {
  double start = processorTime();
  runner.runRange(caller, memory, 0, units);
  return processorTime() - start;
}

static double median(std::vector<double> numbers) {
  llvm::sort(numbers);
  return numbers[numbers.size() / 2];
}

/// Interleaved rounds: both run on the same memory, right after each other.
int leaftest::measure(const Setup &setup, Caller range) {
  Caller other = nullptr;
  if (!peer.empty()) {
    std::string error;
    auto library =
        sys::DynamicLibrary::getPermanentLibrary(peer.c_str(), &error);
    if (!library.isValid()) {
      errs() << "sluice-codegen-test: error: " << error << '\n';
      exit(1);
    }
    other = reinterpret_cast<Caller>(library.getAddressOfSymbol("peer"));
  }
  Runner runner(setup);
  Memory memory = runner.memory(Place::Anywhere);
  int64_t units =
      setup.count(setup.spec.numFixedLevels, setup.spec.numUnitLevels);
  std::vector<double> own, others, ratios;
  for (unsigned round = 0; round < 31; ++round) {
    own.push_back(timeOnce(runner, memory, range, units));
    if (!other)
      continue;
    others.push_back(timeOnce(runner, memory, other, units));
    ratios.push_back(others.back() / own.back());
  }
  outs() << format("median %.1f us, best %.1f us", median(own),
                   *llvm::min_element(own));
  if (other)
    outs() << format("; peer %.1f, %.1f; peer/own %.3f", median(others),
                     *llvm::min_element(others), median(ratios));
  outs() << '\n';
  return 0;
}
