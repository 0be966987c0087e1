//===- Backend.cpp - The entry of libSluiceHalide -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halide.h"
#include "Job.h"

#include <algorithm>
#include <unistd.h>

using namespace sluice;
using namespace sluice::halide;

namespace {
class HalideBackend : public Backend {
public:
  std::vector<std::string> generators() override {
    std::vector<std::string> names =
        Halide::Internal::GeneratorRegistry::enumerate();
    std::sort(names.begin(), names.end());
    return names;
  }

  std::unique_ptr<Job> start(const Request &request) override {
    return startJob(request);
  }

  bool compileRuntime(const std::string &target, const std::string &objectPath,
                      std::string &problem) override {
    std::string temporary = objectPath + "." + std::to_string(getpid());
    bool isFine = runIsolated(
        [&] {
          Halide::compile_standalone_runtime(temporary, Halide::Target(target));
        },
        problem);
    if (isFine && rename(temporary.c_str(), objectPath.c_str()) != 0) {
      problem = "cannot write '" + objectPath + "'";
      isFine = false;
    }
    if (!isFine)
      unlink(temporary.c_str());
    return isFine;
  }
};
} // namespace

extern "C" __attribute__((visibility("default"))) Backend *
sluiceHalideBackend() {
  static HalideBackend backend;
  return &backend;
}
