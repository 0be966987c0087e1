//===- Seal.h - Cache entries that detect damage --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disks lose blocks, machines lose power, people truncate files. So every entry
// of a cache ends with a seal: the hash of its name and content. Readers of an
// entry check the seal first. An entry with a broken seal counts as missing and
// is made again. The loader, the linker and readers of text ignore bytes after
// the content, so a sealed entry is still a valid program, library or object.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_SEAL_H
#define SLUICE_BASE_SEAL_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

/// Size of a seal in bytes; it is at the end of an entry.
constexpr size_t sealSize = 80;

/// The seal of `content` in an entry with the file name `name`.
std::string sealOf(std::string_view name, std::string_view content);

/// `entry` without its seal, or none if the seal is broken.
std::optional<std::string_view> unsealed(std::string_view name,
                                         std::string_view entry);

/// Writes an entry of a cache atomically.
Status writeSealed(const std::string &path, std::string_view content);

/// The content of the entry at `path`. None if there is no such file, if others
/// may have written it, or if it is damaged; a damaged entry is removed.
std::optional<std::string> readSealed(const std::string &path);

/// Whether the entry at `path` exists and is private and undamaged. Removes a
/// damaged entry. `size`, if given, receives the size of the content.
bool isSealed(const std::string &path, uint64_t *size = nullptr);

/// Seals the entry at `path`, which another program has just made for this
/// process, unless that program has sealed it.
Status ensureSealed(const std::string &path, bool isProgram);

/// Makes the entry `path` from the complete file `from`, which is kept. An
/// entry that `isProgram` is executable.
Status sealInto(const std::string &from, const std::string &path,
                bool isProgram);

} // namespace sluice

#endif // SLUICE_BASE_SEAL_H
