//===- GeneratorInputs.cpp - Inputs of generators besides parameters ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls between libraries go through tables of addresses that the dynamic
// linker filled in. This file replaces the entries of the relevant functions
// with its own functions, which record the name and call the real function. It
// changes nothing in the program that started the process and needs no
// privileges.
//
//===----------------------------------------------------------------------===//

#include "GeneratorInputs.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <link.h>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Noting
//===----------------------------------------------------------------------===//

namespace {
struct Noted {
  std::mutex mutex;
  std::set<std::string> names;

  static Noted &get() {
    static Noted &noted = *new Noted;
    return noted;
  }
};
} // namespace

static void note(std::string name) {
  int before = errno;
  Noted &noted = Noted::get();
  {
    std::lock_guard lock(noted.mutex);
    noted.names.insert(std::move(name));
  }
  errno = before;
}

/// Devices and files of the kernel change all the time, so they are ignored.
static void noteFile(const char *path) {
  if (!path || !*path)
    return;
  int before = errno;
  std::error_code failed;
  std::string file = std::filesystem::absolute(path, failed).string();
  for (const char *folder : {"/proc/", "/dev/", "/sys/"})
    if (file.rfind(folder, 0) == 0)
      failed = std::make_error_code(std::errc::invalid_argument);
  if (!failed && file.find('\n') == std::string::npos)
    note(std::move(file));
  errno = before;
}

static void noteVariable(const char *name) {
  if (name && *name && !std::strchr(name, '\n'))
    note(std::string("env:") + name);
}

//===----------------------------------------------------------------------===//
// In place of the C library's functions
//===----------------------------------------------------------------------===//

static bool reads(int flags) { return (flags & O_ACCMODE) != O_WRONLY; }
static bool reads(const char *mode) {
  return mode && (*mode == 'r' || std::strchr(mode, '+'));
}

static mode_t modeOf(int flags, va_list &rest) {
  bool hasMode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
  return hasMode ? va_arg(rest, mode_t) : 0;
}

static char *readVariable(const char *name) {
  noteVariable(name);
  return std::getenv(name);
}

static FILE *openStream(const char *path, const char *mode) {
  if (reads(mode))
    noteFile(path);
  return std::fopen(path, mode);
}

static int openFile(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = modeOf(flags, rest);
  va_end(rest);
  if (reads(flags))
    noteFile(path);
  return ::open(path, flags, mode);
}

/// The checked variant that a compiler substitutes for `open`.
static int openFileTwo(const char *path, int flags) {
  return openFile(path, flags);
}

static int openFileAt(int folder, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = modeOf(flags, rest);
  va_end(rest);
  if (reads(flags) && path && (folder == AT_FDCWD || *path == '/'))
    noteFile(path);
  return ::openat(folder, path, flags, mode);
}

static int askFile(const char *path, struct stat *status) {
  noteFile(path);
  return ::stat(path, status);
}

static int askAccess(const char *path, int mode) {
  noteFile(path);
  return ::access(path, mode);
}

static DIR *openFolder(const char *path) {
  noteFile(path);
  return ::opendir(path);
}

namespace {
struct Replacement {
  const char *name;
  void *function;
};
} // namespace

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

static void *replacementOf(const char *name) {
  static const Replacement replacements[] = {
      {"getenv", addressOf(readVariable)},
      {"secure_getenv", addressOf(readVariable)},
      {"fopen", addressOf(openStream)},
      {"fopen64", addressOf(openStream)},
      {"open", addressOf(openFile)},
      {"open64", addressOf(openFile)},
      {"__open_2", addressOf(openFileTwo)},
      {"__open64_2", addressOf(openFileTwo)},
      {"openat", addressOf(openFileAt)},
      {"openat64", addressOf(openFileAt)},
      {"stat", addressOf(askFile)},
      {"stat64", addressOf(askFile)},
      {"access", addressOf(askAccess)},
      {"opendir", addressOf(openFolder)}};
  for (const Replacement &replacement : replacements)
    if (std::strcmp(replacement.name, name) == 0)
      return replacement.function;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

namespace {
/// Data from the dynamic section of a library.
struct InputTables {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Rela) *calls = nullptr, *others = nullptr;
  size_t callBytes = 0, otherBytes = 0;
};
} // namespace

static InputTables tablesOf(const dl_phdr_info &library) {
  InputTables tables;
  const ElfW(Dyn) *entry = nullptr;
  for (int i = 0; i < library.dlpi_phnum; ++i)
    if (library.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn) *>(library.dlpi_addr +
                                                  library.dlpi_phdr[i].p_vaddr);
  // The linker has turned most offsets into addresses.
  auto at = [&](ElfW(Addr) address) {
    return address < library.dlpi_addr ? address + library.dlpi_addr : address;
  };
  for (; entry && entry->d_tag != DT_NULL; ++entry)
    switch (entry->d_tag) {
    case DT_SYMTAB:
      tables.symbols =
          reinterpret_cast<const ElfW(Sym) *>(at(entry->d_un.d_ptr));
      break;
    case DT_STRTAB:
      tables.names = reinterpret_cast<const char *>(at(entry->d_un.d_ptr));
      break;
    case DT_JMPREL:
      tables.calls =
          reinterpret_cast<const ElfW(Rela) *>(at(entry->d_un.d_ptr));
      break;
    case DT_PLTRELSZ:
      tables.callBytes = entry->d_un.d_val;
      break;
    case DT_RELA:
      tables.others =
          reinterpret_cast<const ElfW(Rela) *>(at(entry->d_un.d_ptr));
      break;
    case DT_RELASZ:
      tables.otherBytes = entry->d_un.d_val;
      break;
    }
  return tables;
}

/// The page may have become read-only after it was filled in.
static void setEntry(void **entry, void *function) {
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t begin = reinterpret_cast<uintptr_t>(entry) & ~(page - 1);
  if (::mprotect(reinterpret_cast<void *>(begin), page,
                 PROT_READ | PROT_WRITE) == 0)
    *entry = function;
}

static void replaceIn(const dl_phdr_info &library, const InputTables &tables,
                      const ElfW(Rela) * list, size_t bytes) {
  for (size_t i = 0; list && i < bytes / sizeof(*list); ++i) {
    uint64_t type = ELF64_R_TYPE(list[i].r_info);
    uint64_t symbol = ELF64_R_SYM(list[i].r_info);
    bool isAddress = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
                     type == R_X86_64_64;
    if (!isAddress || !symbol || tables.symbols[symbol].st_shndx != SHN_UNDEF)
      continue;
    if (void *function =
            replacementOf(tables.names + tables.symbols[symbol].st_name))
      setEntry(reinterpret_cast<void **>(library.dlpi_addr + list[i].r_offset),
               function);
  }
}

/// True for the library that contains this function, whose calls must stay the
/// real ones.
static bool isOurs(const dl_phdr_info &library) {
  Dl_info self;
  return ::dladdr(addressOf(halide::noteInputs), &self) &&
         reinterpret_cast<ElfW(Addr)>(self.dli_fbase) == library.dlpi_addr;
}

void halide::noteInputs() {
  Noted::get();
  ::dl_iterate_phdr(
      [](dl_phdr_info *library, size_t, void *) {
        InputTables tables = tablesOf(*library);
        if (isOurs(*library) || !tables.symbols || !tables.names)
          return 0;
        replaceIn(*library, tables, tables.calls, tables.callBytes);
        replaceIn(*library, tables, tables.others, tables.otherBytes);
        return 0;
      },
      nullptr);
}

std::vector<std::string> halide::notedInputs() {
  Noted &noted = Noted::get();
  std::lock_guard lock(noted.mutex);
  return {noted.names.begin(), noted.names.end()};
}
