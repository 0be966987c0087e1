//===- Backend.cpp - The entry of libSluiceHalide -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halide.h"
#include "Job.h"

#include <algorithm>

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

  std::unique_ptr<Job> startRuntime(const std::string &target,
                                    const Store &objects,
                                    const std::string &name) override {
    return startRuntimeJob(target, objects, name);
  }
};
} // namespace

extern "C" __attribute__((visibility("default"))) Backend *
sluiceHalideBackend() {
  static HalideBackend backend;
  return &backend;
}
