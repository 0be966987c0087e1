//===- Orders.cpp - Orders from rank 0 to all ranks -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program may be loaded at a different address on each rank.
//
//===----------------------------------------------------------------------===//

#include "Orders.h"

#include <algorithm>
#include <link.h>

using namespace sluice;

void OrderList::add(const RankOrder &given, std::span<const char> arguments) {
  RankOrder order = given;
  order.argumentBytes = static_cast<uint32_t>(arguments.size());
  auto *bytes = reinterpret_cast<const char *>(&order);
  theBytes.insert(theBytes.end(), bytes, bytes + sizeof order);
  theBytes.insert(theBytes.end(), arguments.begin(), arguments.end());
}

namespace {
/// The program file of the process, which comes first.
struct OrderProgram {
  uintptr_t base = 0;
  uintptr_t first = UINTPTR_MAX, end = 0;

  static const OrderProgram &get() {
    static const OrderProgram program = [] {
      OrderProgram found;
      ::dl_iterate_phdr(read, &found);
      return found;
    }();
    return program;
  }
  static int read(dl_phdr_info *info, size_t, void *context) {
    auto &found = *static_cast<OrderProgram *>(context);
    found.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD)
        continue;
      found.first = std::min<uintptr_t>(found.first, found.base + part.p_vaddr);
      found.end = std::max<uintptr_t>(found.end,
                                      found.base + part.p_vaddr + part.p_memsz);
    }
    return 1;
  }
};
} // namespace

bool sluice::placeOfPlan(const SluicePlan &plan, uintptr_t &place) {
  const OrderProgram &program = OrderProgram::get();
  const auto address = reinterpret_cast<uintptr_t>(&plan);
  place = address - program.base;
  return address >= program.first && address < program.end;
}

const SluicePlan &sluice::planAt(uintptr_t place) {
  return *reinterpret_cast<const SluicePlan *>(OrderProgram::get().base +
                                               place);
}
