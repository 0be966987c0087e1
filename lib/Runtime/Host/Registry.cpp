//===- Registry.cpp - Plans by the address of their root ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short list of tables, searched from newest to oldest. It must work before
// the constructors of this library would have run, so everything here is
// initialised at compile time.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"

#include "sluice-c/Runtime.h"

#include <dlfcn.h>
#include <mutex>
#include <new>

using namespace sluice;

namespace {
struct RegistryTable {
  const SluicePlanEntry *entries;
  uint64_t count;
  RegistryTable *next;
};
} // namespace

static constinit std::mutex tablesMutex;
static constinit RegistryTable *tables = nullptr;

/// Launches remember what they have prepared of a plan, and threads run its
/// code, so a library with plans stays where it is.
static void keepLibrary(const void *table) {
  Dl_info info;
  if (dladdr(table, &info) && info.dli_fname && *info.dli_fname)
    // The program itself is found by no name, and stays in any case.
    (void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void sluiceRegisterPlans(const SluicePlanEntry *entries, uint64_t count) {
  keepLibrary(entries);
  std::lock_guard lock(tablesMutex);
  tables = new RegistryTable{entries, count, tables};
}

void sluiceUnregisterPlans(const SluicePlanEntry *entries) {
  std::lock_guard lock(tablesMutex);
  for (RegistryTable **link = &tables; *link; link = &(*link)->next) {
    RegistryTable *table = *link;
    if (table->entries != entries)
      continue;
    *link = table->next;
    delete table;
    return;
  }
}

const SluicePlan *sluice::findRegisteredPlan(const void *root) {
  std::lock_guard lock(tablesMutex);
  for (RegistryTable *table = tables; table; table = table->next)
    for (uint64_t i = 0; i < table->count; ++i)
      if (table->entries[i].root == root)
        return table->entries[i].plan;
  return nullptr;
}
