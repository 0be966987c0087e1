//===- GuardedMemory.cpp - Memory that ends the test if missed ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace sluice::codegen {

GuardedPages::GuardedPages(size_t least) {
  const size_t page = llvm::sys::Process::getPageSizeEstimate();
  size = llvm::alignTo(std::max<size_t>(least, 1), page);
  all = size + 2 * page;
  mapped = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  data = static_cast<char *>(mapped) + page;
  if (mapped == MAP_FAILED || mprotect(data, size, PROT_READ | PROT_WRITE))
    llvm::report_fatal_error("no memory between guards");
}

void GuardedPages::unmap() const { munmap(mapped, all); }

InputMemory::InputMemory(const std::vector<char> &bytes, Place place)
    : count(bytes.size()) {
  if (place == Place::Anywhere) {
    owner.reset(new char[count], std::default_delete<char[]>());
    start = owner.get();
  } else {
    const GuardedPages pages(count);
    owner.reset(pages.data, [pages](char *) { pages.unmap(); });
    start = pages.data;
    if (place == Place::BeforeGuard)
      start += pages.size - count;
  }
  std::copy(bytes.begin(), bytes.end(), start);
}

bool InputMemory::operator==(const InputMemory &other) const {
  return count == other.count && std::memcmp(start, other.start, count) == 0;
}

} // namespace sluice::codegen
