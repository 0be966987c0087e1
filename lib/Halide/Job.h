//===- Job.h - A generator in a separate process --------------------------===//
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

namespace sluice::halide {

std::unique_ptr<Job> startJob(const Request &request);

std::unique_ptr<Job> startRuntimeJob(const std::string &target,
                                     const Store &objects,
                                     const std::string &name);

} // namespace sluice::halide

#endif // SLUICE_LIB_HALIDE_JOB_H
