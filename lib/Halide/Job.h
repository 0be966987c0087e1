//===- Job.h - A generator in a process of its own ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   this process                    the job, a copy of it
//        | fork                          |
//        |                               | runs and lowers the generator
//        | <------- description -------- |
//        | -------- "compile" ---------> |
//        |                               | writes the object
//        | <------- its path ----------- |
//
// The job ends when this process closes its end, or ends itself.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_HALIDE_JOB_H
#define SLUICE_LIB_HALIDE_JOB_H

#include "sluice/Halide/Backend.h"

#include <functional>

namespace sluice::halide {

std::unique_ptr<Job> startJob(const Request &request);

/// Runs `work` in a process of its own; what it returns or throws, or why it
/// did not end, is `problem`.
bool runIsolated(const std::function<void()> &work, std::string &problem);

} // namespace sluice::halide

#endif // SLUICE_LIB_HALIDE_JOB_H
