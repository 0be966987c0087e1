//===- Seal.h - Cache entries that show damage ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disks lose blocks, machines lose power, people truncate files. So every
// entry of a cache ends with a seal: the hash of its name and of what stands
// before. Whoever reads an entry looks at the seal first; one that is broken
// is as good as none, and is made again. The loader, the linker and readers of
// text leave alone what follows the content, so an entry with its seal is
// still a program, a library or an object.
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

/// The bytes that a seal has, at the end of an entry.
constexpr size_t sealSize = 80;

/// The seal of `content` in an entry called `name`, without folders.
std::string sealOf(std::string_view name, std::string_view content);

/// `entry` without its seal, if that is sound.
std::optional<std::string_view> unsealed(std::string_view name,
                                         std::string_view entry);

/// Writes an entry of a cache, at once or not at all.
Status writeSealed(const std::string &path, std::string_view content);

/// The content of the entry at `path`. None if there is no such file, if
/// others may have written it, or if it is damaged; it is removed then.
std::optional<std::string> readSealed(const std::string &path);

/// Whether the entry at `path` is there, private and sound; removed if it is
/// damaged. `size`, if given, receives that of the content.
bool isSealed(const std::string &path, uint64_t *size = nullptr);

/// Seals the entry at `path`, which this process has just had made, if its
/// maker has not done so.
Status ensureSealed(const std::string &path, bool isProgram);

/// Makes the entry `path` of the complete file `from`, which stays. An entry
/// that `isProgram` may be executed.
Status sealInto(const std::string &from, const std::string &path,
                bool isProgram);

} // namespace sluice

#endif // SLUICE_BASE_SEAL_H
