//===- Output.h - Output files that users name ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output file is either written completely or not changed. If the path is
// not a regular file (a device or a pipe), the output is written directly. An
// output never replaces an input.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_OUTPUT_H
#define SLUICE_BASE_OUTPUT_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

/// Refuses an output that is a folder, or one of `inputs` under any name.
/// Inputs that do not exist are compared by their spelling. An empty path means
/// no output, and `-` the standard output.
Status checkOutput(const std::string &path,
                   std::span<const std::string> inputs);

/// Writes `content` to the output `path`, following symbolic links: atomically
/// to regular files, directly to others.
Status writeOutput(const std::string &path, std::string_view content);

/// Copies the first `size` bytes of the file `from` to the output `path` in the
/// same way; makes it executable if it `isProgram`.
Status copyToOutput(const std::string &from, uint64_t size,
                    const std::string &path, bool isProgram);
/// Copies the whole file.
Status copyToOutput(const std::string &from, const std::string &path,
                    bool isProgram);

} // namespace sluice

#endif // SLUICE_BASE_OUTPUT_H
