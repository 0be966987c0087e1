//===- Grant.h - One field of one argument of a running task --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements that a task may access by one of its pointers, and for what.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_CHECKS_GRANT_H
#define SLUICE_RUNTIME_REGIONS_CHECKS_GRANT_H

#include "../StatementGraph.h"

#include <vector>

namespace sluice::regions {

class Grant {
public:
  /// `base`: the address of the element with coordinates 0, even if there is no
  /// such element in memory.
  Grant(const Root &root, uint32_t field, SluicePrivilege privilege,
        const std::string &part, const SluiceDomain &domain, void *base);

  /// The elements whose values do not matter get others, and later get them
  /// back where nothing was written. Fewer than four bytes do not: what a
  /// library has written there may look like this by chance.
  ///@{
  void hideValues();
  void restoreValues();
  ///@}

  /// A number for each of the elements, from 0 in ascending order; negative if
  /// there is no element of the task at the address.
  int64_t elementAt(uintptr_t address) const;
  /// The address behind the element at an address.
  uintptr_t endOfElement(uintptr_t address) const {
    return base + (indexAt(address) + 1) * elementBytes;
  }
  /// The linear position in the root of what is at an address; negative if
  /// that is no element of the root.
  int64_t positionAt(uintptr_t address) const;
  /// The first of the task's elements.
  uintptr_t start() const { return base + first * elementBytes; }
  /// The number of bytes between an address and the task's elements.
  uint64_t distanceTo(uintptr_t address) const;
  /// In a private copy, not in the root.
  bool isPrivate() const {
    return base != reinterpret_cast<uintptr_t>(root.base(field));
  }

  bool allowsWrite() const { return privilege != SLUICE_PRIVILEGE_READ; }
  bool discards() const { return privilege == SLUICE_PRIVILEGE_WRITE_DISCARD; }
  /// For elements whose values did not matter: whether `size` bytes of an
  /// element, at an address, have been written. A copy of a structure also
  /// copies its padding.
  bool isWritten(int64_t element, uintptr_t address, uint64_t size,
                 bool isCopied) const;
  void noteWritten(int64_t element, uintptr_t address, uint64_t size);

  const Root &root;
  const uint32_t field;
  const SluicePrivilege privilege;
  /// The partition or root that the argument names.
  const std::string &part;

private:
  int64_t indexAt(uintptr_t address) const;
  int64_t numberOf(int64_t position) const;
  uintptr_t addressOf(int64_t element) const;
  uint64_t beginOfWord(uint64_t byte) const;
  bool isUnwrittenWord(uint64_t byte, bool isCopied) const;
  template <typename Function> void forEachPiece(Function &&function) const;

  const SluiceDomain &domain;
  const uintptr_t base;
  const int64_t elementBytes;
  /// The first and last of the elements in memory, from `base`.
  int64_t first = 0, end = 0;
  /// The number of elements before each run.
  std::vector<int64_t> before;
  /// Of elements whose values do not matter: those values, and which bytes the
  /// task has reported to write.
  std::vector<char> hidden;
  std::vector<bool> written;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_CHECKS_GRANT_H
