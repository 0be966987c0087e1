//===- OpenCLRunner.h - Runs a kernel of an image for tests ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of code for devices run it where an OpenCL device takes SPIR. The
// library is opened at run time; without one the tests say so and skip.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_OPENCLRUNNER_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_OPENCLRUNNER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice::testing {

/// One parameter of a kernel.
struct Parameter {
  enum class Kind { Buffer, Local, Value };
  Kind kind = Kind::Buffer;
  void *data = nullptr; ///< Buffer: sent before and fetched after the run
  size_t size = 0;
  uint64_t value = 0; ///< Value: `size` bytes of it
};

inline Parameter buffer(void *data, size_t size) {
  return {Parameter::Kind::Buffer, data, size, 0};
}
inline Parameter local(size_t size) {
  return {Parameter::Kind::Local, nullptr, size, 0};
}
inline Parameter value64(uint64_t value) {
  return {Parameter::Kind::Value, nullptr, 8, value};
}

class OpenCLRunner {
public:
  /// The first device that takes SPIR; null, with a reason, if there is none.
  static std::unique_ptr<OpenCLRunner> open(std::string &problem);
  ~OpenCLRunner();
  /// Builds the SPIR and runs `entry`; the empty string, or what failed.
  std::string run(const std::string &spir, const std::string &entry,
                  const std::vector<Parameter> &parameters, size_t groups,
                  size_t items);

private:
  OpenCLRunner();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace sluice::testing

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_OPENCLRUNNER_H
