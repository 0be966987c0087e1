//===- FakeCUDAModel.h - The state of the fake CUDA driver ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects are kept after their destruction, most of them until the next reset,
// so that later uses are detected. One lock guards all state; it is released
// while an operation runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKECUDAMODEL_H
#define SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKECUDAMODEL_H

#include "../../CUDA/CUDAApi.h"
#include "FakeCUDA.h"
#include "FakePTX.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace fake {

using namespace sluice::device::cuda;
using sluice::device::testing::FakeCUDA;
using sluice::device::testing::FakeCUDAOptions;
using sluice::device::testing::FakeKernel;
using sluice::device::testing::FakeLaunch;

constexpr Code notInitialized = 3, invalidDevice = 101, invalidContext = 201,
               invalidPTX = 218, unsupportedPTXVersion = 222,
               invalidHandle = 400, notFound = 500, notPermitted = 800,
               captureUnsupported = 900, captureInvalidated = 901,
               captureUnmatched = 903, captureIsolation = 905,
               capturedEvent = 907, captureWrongThread = 908;

/// Device or pinned memory.
struct Allocation {
  uint64_t address = 0;
  uint64_t size = 0;
  std::unique_ptr<unsigned char[]> bytes;
  ContextHandle context = nullptr;
  bool isFreed = false;
  unsigned uses = 0; ///< by operations that have not ended
};

/// One recording of an event.
struct Moment {
  bool isOver = false;
  std::chrono::steady_clock::time_point time;
};

/// The next action of a stream.
struct Operation {
  std::function<Code()> work;       ///< runs without the lock
  std::shared_ptr<Moment> waitsFor; ///< may be null
  std::shared_ptr<Moment> ends;     ///< may be null
  /// Memory that must be allocated when the operation runs.
  std::vector<std::shared_ptr<Allocation>> touches;
  StreamCallback callback = nullptr;
  void *argument = nullptr;
};

struct Capture;
struct Object {
  explicit Object(const char *kind) : kind(kind) {}
  const char *kind;
  bool isAlive = true;
  ContextHandle context = nullptr;
};

} // namespace fake

namespace sluice::device::cuda {

struct CUctx_st {
  int device = 0;
  bool isRetained = false;
  Code lost = cudaSuccess;
};

struct CUstream_st : fake::Object {
  CUstream_st() : Object("a stream") {}
  std::thread thread;
  std::deque<fake::Operation> operations;
  bool isBusy = false; ///< an operation runs
  bool isStopping = false, hasStopped = false;
  std::atomic<int> users = 0;
  std::unique_ptr<fake::Capture> capture;
};

struct CUevent_st : fake::Object {
  CUevent_st() : Object("an event") {}
  unsigned flags = 0;
  std::shared_ptr<fake::Moment> moment;
  bool isCaptured = false;
};

struct CUfunc_st {
  ModuleHandle module = nullptr;
  const fake::PTXFunction *code = nullptr;
  int dynamicShared = 0; ///< allowed
};

struct CUmod_st : fake::Object {
  CUmod_st() : Object("a module") {}
  fake::PTXModule code;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::vector<std::shared_ptr<fake::Allocation>> memory; ///< of its variables
};

struct CUgraph_st : fake::Object {
  CUgraph_st() : Object("a graph") {}
  std::vector<fake::Operation> nodes;
};

struct CUgraphExec_st : fake::Object {
  CUgraphExec_st() : Object("an executable graph") {}
  std::vector<fake::Operation> nodes;
  std::shared_ptr<fake::Moment> lastLaunch;
  std::atomic<int> users = 0;
};

} // namespace sluice::device::cuda

namespace fake {

struct Capture {
  GraphHandle graph = nullptr;
  std::thread::id thread;
  int mode = 0;
  bool isInvalid = false;
};

struct Fault {
  std::string function;
  Code code = 0;
  unsigned skip = 0;
};

class World final : public FakeCUDA {
public:
  static World &get();

  void reset(const FakeCUDAOptions &options) override;
  void setKernel(const std::string &entry, FakeKernel kernel) override;
  void failCall(const std::string &function, int code, unsigned skip) override;
  uint64_t countCalls(const std::string &function) override;
  std::vector<std::string> takeViolations() override;
  std::vector<std::string> liveObjects() override;
  void lose(int device, int code) override;
  void hold(bool isHeld) override;

  // With the lock held:
  void violate(const std::string &text) { violations.push_back(text); }
  /// The live allocation that contains the range, or null with a violation.
  std::shared_ptr<Allocation> find(uint64_t address, uint64_t size,
                                   const char *call);
  std::shared_ptr<Allocation> findPinned(const void *memory, uint64_t size,
                                         const char *call);
  /// Ends the threads of streams that were destroyed long ago.
  void reapStreams(std::unique_lock<std::mutex> &lock);
  void enqueue(CUstream_st &stream, Operation operation);
  void loseContext(CUctx_st &context, Code code);
  bool isDrained(const CUstream_st &stream) const {
    return stream.operations.empty() && !stream.isBusy;
  }
  /// Invalidates captures of this thread that forbid unsafe calls.
  bool spoilCaptures();

  std::mutex mutex;
  std::condition_variable changed;
  FakeCUDAOptions options;
  bool isInitialised = false;
  bool isHeld = false;
  std::array<CUctx_st, 8> contexts;
  /// Never an address of the host, not even in form.
  uint64_t nextAddress = uint64_t(1) << 56;
  uint64_t memoryInUse = 0;
  std::vector<std::shared_ptr<Allocation>> allocations, pinned; ///< not freed
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::vector<std::unique_ptr<CUevent_st>> events;
  std::vector<std::unique_ptr<CUmod_st>> modules;
  std::vector<std::unique_ptr<CUgraph_st>> graphs;
  std::vector<std::unique_ptr<CUgraphExec_st>> graphExecs;
  std::map<std::string, FakeKernel> kernels;
  std::vector<Fault> faults;
  std::map<std::string, uint64_t> calls;
  std::vector<std::string> violations;

private:
  void stopStreams(std::unique_lock<std::mutex> &lock);
};

/// A thread's own state.
struct ThreadState {
  ContextHandle current = nullptr;
  int captureMode = 0;
  bool isInCallback = false;
};
extern thread_local ThreadState threadState;

/// Preconditions that Call checks; the driver function checks the others.
enum Need : unsigned {
  nothing = 0,
  initialised = 1,
  context = 2,   ///< a current one that is not lost
  noCapture = 4, ///< "potentially unsafe" for captures of this thread
  evenIfLost = 8,
};

/// Holds the lock during a call of the driver, and makes the checks common to
/// all calls.
class Call {
public:
  Call(const char *name, unsigned needs);
  /// Not success: return it.
  Code code = cudaSuccess;

  Code violation(Code code, const std::string &text) {
    world.violate(std::string(name) + ": " + text);
    return code;
  }
  /// Whether the object is alive and belongs to the current context.
  bool isGood(const Object *object);

  const char *const name;
  World &world;
  std::unique_lock<std::mutex> lock;

private:
  Code check(unsigned needs);
};

/// Detects simultaneous use of a stream or graph by two threads.
class Use {
public:
  Use(std::atomic<int> &users, const char *call, const char *what);
  ~Use() { --users; }

private:
  std::atomic<int> &users;
};

/// Puts an operation into a stream, or into the graph to which it is captured.
Code submit(Call &call, StreamHandle stream, Operation operation);

/// New memory of the device for the current context, at a new address.
std::shared_ptr<Allocation> allocateMemory(World &world, uint64_t size);

/// The threads of streams.
void runStream(CUstream_st &stream);

} // namespace fake

#endif // SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKECUDAMODEL_H
