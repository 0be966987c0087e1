//===- OpenCLRunner.h - Running a kernel of an image in tests --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of device code run it if an OpenCL device accepts SPIR. The library is
// opened at run time; without it, the tests are skipped with a message.
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
  void *data = nullptr; ///< Buffer: sent before the run and fetched after it.
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
  /// Opens the first device that accepts SPIR; null, with a reason, if there is
  /// none.
  static std::unique_ptr<OpenCLRunner> open(std::string &problem);
  ~OpenCLRunner();
  /// Builds the SPIR and runs `entry`. Returns an empty string, or a
  /// description of the failure.
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
