//===- FakeCUDA.h - A strict replacement for the CUDA driver --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that tests name in SLUICE_CUDA_LIBRARY. It exports the functions of
// the CUDA driver that Sluice calls, runs streams in separate threads, and
// computes with host functions instead of kernels. It refuses everything that
// CUDA's documentation forbids, and more: it lists each violation, and tests
// check that the list is empty.
//
// Addresses of its devices cannot be dereferenced and are never reused, so that
// an access by the host, or after freeing, is always detected.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKECUDA_H
#define SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKECUDA_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace sluice::device::testing {

/// The properties of the machine. The numbers are those of an H100.
struct FakeCUDAOptions {
  int version = 13000;
  int numDevices = 1;
  int computeMajor = 9, computeMinor = 0;
  int computeMode = 0;
  uint64_t memory = uint64_t(1) << 30;
  int sharedPerBlock = 49152, sharedPerBlockOptin = 232448;
  /// Sleep before each operation on a stream, so that code that does not wait
  /// for it fails.
  unsigned delayMicroseconds = 0;
};

/// One launch of a kernel, for the host function that implements it.
class FakeLaunch {
public:
  virtual ~FakeLaunch() = default;
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared = 0; ///< bytes of dynamic shared memory per block
  std::vector<std::vector<unsigned char>> parameters;

  template <typename Value> Value parameter(size_t index) const {
    Value value{};
    std::memcpy(&value, parameters.at(index).data(),
                std::min(sizeof value, parameters.at(index).size()));
    return value;
  }
  /// The memory at a device address. If the range is not inside a single
  /// allocation, returns null, and the launch fails as on a device.
  virtual unsigned char *memory(uint64_t address, uint64_t size) = 0;
  template <typename Value> Value *array(uint64_t address, uint64_t count) {
    return reinterpret_cast<Value *>(memory(address, count * sizeof(Value)));
  }
  /// Ends the launch with an error of CUDA.
  virtual void fail(int code) = 0;

  uint64_t numBlocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  uint64_t threadsPerBlock() const {
    return uint64_t(block[0]) * block[1] * block[2];
  }
};

using FakeKernel = std::function<void(FakeLaunch &)>;

class FakeCUDA {
public:
  virtual ~FakeCUDA() = default;
  /// Waits for all operations in flight and clears all objects, kernels, faults
  /// and violations.
  virtual void reset(const FakeCUDAOptions &options) = 0;
  /// Sets the implementation of kernel `entry` in every module.
  virtual void setKernel(const std::string &entry, FakeKernel kernel) = 0;
  /// Makes the call of `function`, "cuMemAlloc", after `skip` further calls
  /// fail with `code` and do nothing.
  virtual void failCall(const std::string &function, int code,
                        unsigned skip = 0) = 0;
  virtual uint64_t countCalls(const std::string &function) = 0;
  /// The violations since the last call.
  virtual std::vector<std::string> takeViolations() = 0;
  /// Objects that were not destroyed: "a stream".
  virtual std::vector<std::string> liveObjects() = 0;
  /// Simulates a lost device: operations complete with an error, and all later
  /// calls fail.
  virtual void lose(int device, int code) = 0;
  /// While held, streams start no operations.
  virtual void hold(bool isHeld) = 0;
};

/// The fake of this process, from the library that SLUICE_CUDA_LIBRARY names.
FakeCUDA &fakeCUDA();

} // namespace sluice::device::testing

#endif // SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKECUDA_H
