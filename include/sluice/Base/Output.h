//===- Output.h - Files that users name -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output file is either written completely or not changed. If the path is no
// regular file (a device or a pipe), it is written to directly. An output never
// replaces one of the inputs.
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

/// Refuses an output that is a folder, or one of `inputs`, under whatever name.
/// Inputs that do not exist are known by their spelling. An empty path is no
/// output, and `-` is the standard output.
Status checkOutput(const std::string &path,
                   std::span<const std::string> inputs);

/// Writes `content` to the output `path`: through symbolic links, all at once
/// to regular files, and directly to what is no regular file.
Status writeOutput(const std::string &path, std::string_view content);

/// Copies the first `size` bytes of the file `from` to the output `path` in the
/// same way, as a program that may be executed if it `isProgram`.
Status copyToOutput(const std::string &from, uint64_t size,
                    const std::string &path, bool isProgram);
/// The whole file.
Status copyToOutput(const std::string &from, const std::string &path,
                    bool isProgram);

} // namespace sluice

#endif // SLUICE_BASE_OUTPUT_H
