//===- JobWire.h - Records between a job's two processes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record is a list of strings: a count, then each string with its length.
// Reading a truncated record fails.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_HALIDE_JOBWIRE_H
#define SLUICE_LIB_HALIDE_JOBWIRE_H

#include "sluice/Halide/Backend.h"

#include <string>
#include <vector>

namespace sluice::halide {

using Record = std::vector<std::string>;

bool sendRecord(int file, const Record &record);
bool receiveRecord(int file, Record &record);

Record encode(const Description &description, const RequestError &problem,
              bool isFine);
/// False if `encode` did not produce the record.
bool decode(const Record &record, Description &description,
            RequestError &problem, bool &isFine);

} // namespace sluice::halide

#endif // SLUICE_LIB_HALIDE_JOBWIRE_H
