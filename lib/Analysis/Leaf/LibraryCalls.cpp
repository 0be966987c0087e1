//===- LibraryCalls.cpp - What functions of the C library touch -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table after the manual of the GNU C library, whose functions are "MT-Safe",
// or "MT-Unsafe race:" and the name of what they share.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LibraryCalls.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"

using namespace llvm;
using namespace sluice;

/// One function a row: its name, and words for what it does.
///   r0 w1 u2   reads, writes, or reads and writes what that argument points to
///   r0[2]      as many bytes as argument 2 says
///   u0[1*2]    the product of two arguments
///   r1$ w0$1   up to the zero byte of that argument, or of another one
///   s0         a stream, which the library locks
///   *r         reads what the other pointers point to, unless a format says
///              otherwise
///   !rand      keeps something for `rand`, under a lock; ~strtok without one
///   =state =own  the result points to what it keeps, or to what is nobody
///   else's
static const char *const rows[] = {
    // Memory and text.
    "memcmp r0[2] r1[2]",
    "bcmp r0[2] r1[2]",
    "memchr r0[2] =0",
    "memcpy w0[2] r1[2] =0",
    "memmove w0[2] r1[2] =0",
    "memset w0[2] =0",
    "mempcpy w0[2] r1[2] =0",
    "bcopy r0[2] w1[2]",
    "bzero w0[1]",
    "strlen r0$",
    "strnlen r0",
    "strcmp r0 r1",
    "strcasecmp r0 r1",
    "strncmp r0 r1",
    "strncasecmp r0 r1",
    "strcoll r0 r1",
    "strchr r0$ =0",
    "strrchr r0$ =0",
    "index r0$ =0",
    "rindex r0$ =0",
    "strstr r0$ r1$ =0",
    "strcasestr r0$ r1$ =0",
    "strspn r0 r1$",
    "strcspn r0 r1$",
    "strpbrk r0 r1$ =0",
    "strcpy w0$1 r1$ =0",
    "stpcpy w0$1 r1$ =0",
    "strncpy w0[2] r1 =0",
    "strcat u0 r1$ =0",
    "strncat u0 r1 =0",
    "strdup r0$",
    "strndup r0",
    "strtok_r u0 r1$ u2 =0",
    "strtok u0 r1$ ~strtok =state",
    "qsort u0[1*2]",
    "bsearch r0 r1[2*3] =1",
    // Numbers.
    "atoi r0",
    "atol r0",
    "atoll r0",
    "atof r0",
    "strtol r0 w1",
    "strtoll r0 w1",
    "strtoul r0 w1",
    "strtoull r0 w1",
    "strtod r0 w1",
    "strtof r0 w1",
    "__isoc23_strtol r0 w1",
    "__isoc23_strtoul r0 w1",
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "lldiv",
    "ffs",
    "ffsl",
    "ffsll",
    "lgamma ~signgam",
    "lgammaf ~signgam",
    "lgammal ~signgam",
    "gamma ~signgam",
    "lgamma_r w1",
    "lgammaf_r w1",
    // Random numbers.
    "rand !rand",
    "srand !rand",
    "random !random",
    "srandom !random",
    "rand_r u0",
    "drand48 ~drand48",
    "lrand48 ~drand48",
    "mrand48 ~drand48",
    "srand48 ~drand48",
    "seed48 u0 ~drand48 =state",
    "lcong48 r0 ~drand48",
    "erand48 u0 ~drand48",
    "nrand48 u0 ~drand48",
    "jrand48 u0 ~drand48",
    "drand48_r u0 w1",
    "erand48_r u0 u1 w2",
    "random_r u0 w1",
    // Characters.
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "tolower",
    "toupper",
    "__ctype_b_loc =own",
    "__ctype_tolower_loc =own",
    "__ctype_toupper_loc =own",
    "__ctype_get_mb_cur_max",
    // Time and the environment.
    "time w0",
    "clock",
    "clock_gettime w1",
    "gettimeofday w0 w1",
    "difftime",
    "nanosleep r0 w1",
    "usleep",
    "sleep",
    "sched_yield",
    "getpid",
    "gettid",
    "localtime r0 ~localtime =state",
    "gmtime r0 ~localtime =state",
    "ctime r0 ~localtime =state",
    "asctime r0 ~localtime =state",
    "localtime_r r0 w1 =1",
    "gmtime_r r0 w1 =1",
    "ctime_r r0 w1 =1",
    "asctime_r r0 w1 =1",
    "strftime w0[1] r2$ r3",
    "getenv r0$ =own",
    "setenv r0$ r1$ ~setenv",
    "unsetenv r0$ ~setenv",
    "putenv u0 ~setenv",
    "strerror =own",
    "setlocale r1 ~setlocale =state",
    "tmpnam w0 ~tmpnam =state",
    "ttyname ~ttyname =state",
    "getlogin ~getlogin =state",
    "strsignal ~strsignal =state",
    "l64a ~l64a =state",
    "ecvt w2 w3 ~ecvt =state",
    "fcvt w2 w3 ~ecvt =state",
    "hcreate ~hsearch",
    "hsearch *r ~hsearch",
    "hdestroy ~hsearch",
    // Streams.
    "printf *r",
    "puts r0$",
    "putchar",
    "perror r0$",
    "fprintf s0 *r",
    "vprintf *r",
    "vfprintf s0 *r",
    "dprintf *r",
    "snprintf w0[1] *r",
    "vsnprintf w0[1] *r",
    "sprintf w0 *r",
    "vsprintf w0 *r",
    "putc s1",
    "fputc s1",
    "fputs r0$ s1",
    "fwrite r0[1*2] s3",
    "fread w0[1*2] s3",
    "getc s0",
    "fgetc s0",
    "getchar",
    "fgets w0[1] s2 =0",
    "ungetc s1",
    "fflush s0",
    "fopen r0$ r1$ =own",
    "fclose s0",
    "feof s0",
    "ferror s0",
    "clearerr s0",
    "fseek s0",
    "ftell s0",
    "rewind s0",
    "_IO_putc s1",
    "_IO_getc s0",
};

namespace {
struct Row {
  LibraryCall call;
  SmallVector<unsigned, 1> streams;
  bool readsOthers = false;
};
} // namespace

static unsigned takeNumber(StringRef &word) {
  unsigned number = 0;
  word.consumeInteger(10, number);
  return number;
}

static void addWord(StringRef word, Row &row) {
  const char kind = word.front();
  word = word.drop_front();
  switch (kind) {
  case '!':
  case '~':
    row.call.state = word.str();
    row.call.isLocked = kind == '!';
    return;
  case '=':
    row.call.returnsState = word == "state";
    row.call.returnsOwn = word == "own";
    if (isDigit(word.front()))
      row.call.returnedArgument = takeNumber(word);
    return;
  case '*':
    row.readsOthers = true;
    return;
  case 's':
    row.streams.push_back(takeNumber(word));
    return;
  default:
    break;
  }
  LibraryUse use;
  use.isRead = kind != 'w';
  use.isWritten = kind != 'r';
  use.argument = takeNumber(word);
  if (word.consume_front("$")) {
    use.size = LibraryUse::Size::Text;
    use.count = word.empty() ? use.argument : takeNumber(word);
  } else if (word.consume_front("[")) {
    use.size = LibraryUse::Size::Counted;
    use.count = takeNumber(word);
    if (word.consume_front("*"))
      use.unit = takeNumber(word);
  }
  row.call.uses.push_back(use);
}

static const StringMap<Row> &table() {
  static const StringMap<Row> known = [] {
    StringMap<Row> result;
    for (StringRef text : rows) {
      auto [name, words] = text.split(' ');
      Row &row = result[name];
      SmallVector<StringRef> parts;
      words.split(parts, ' ', -1, /*KeepEmpty=*/false);
      for (StringRef word : parts)
        addWord(word, row);
    }
    return result;
  }();
  return known;
}

/// True for formats as "%d%n".
static bool storesResults(StringRef format) {
  for (size_t at = format.find('%'); at != StringRef::npos;
       at = format.find('%', at + 1)) {
    StringRef rest = format.substr(at + 1).ltrim("0123456789*.$-+ #'hlqjzt");
    if (rest.starts_with("n"))
      return true;
    if (rest.starts_with("%"))
      at = rest.data() - format.data();
  }
  return false;
}

/// True if one of the arguments is a format that has results as well, or is not
/// known.
static bool mayStoreByFormat(const CallBase &call, const Row &row) {
  for (unsigned i = 0; i != call.arg_size(); ++i) {
    StringRef text;
    if (!call.getArgOperand(i)->getType()->isPointerTy() ||
        is_contained(row.streams, i) ||
        any_of(row.call.uses,
               [&](const LibraryUse &use) { return use.argument == i; }))
      continue;
    return !getConstantStringInfo(call.getArgOperand(i), text) ||
           storesResults(text);
  }
  return false;
}

std::optional<LibraryCall> sluice::libraryCallOf(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration())
    return std::nullopt;
  auto found = table().find(callee->getName());
  if (found == table().end())
    return std::nullopt;
  const Row &row = found->second;
  LibraryCall result = row.call;
  // Somebody else's function of that name, or another declaration.
  for (const LibraryUse &use : result.uses)
    for (int argument : {int(use.argument), use.count, use.unit})
      if (argument >= int(call->arg_size()) ||
          result.returnedArgument >= int(call->arg_size()))
        return std::nullopt;
  erase_if(result.uses, [&](const LibraryUse &use) {
    return isa<ConstantPointerNull>(call->getArgOperand(use.argument));
  });
  const bool isStored = row.readsOthers && mayStoreByFormat(*call, row);
  for (unsigned i = 0; i != call->arg_size(); ++i) {
    const Value *argument = call->getArgOperand(i);
    if (!argument->getType()->isPointerTy() || isa<Function>(argument) ||
        is_contained(row.streams, i) || isa<ConstantPointerNull>(argument) ||
        any_of(row.call.uses,
               [&](const LibraryUse &use) { return use.argument == i; }))
      continue;
    result.uses.push_back({.argument = i,
                           .isRead = true,
                           .isWritten = !row.readsOthers || isStored});
  }
  return result;
}

static constexpr StringLiteral statePrefix = "sluice.library.";

std::string sluice::libraryStateName(StringRef state) {
  return (statePrefix + state).str();
}

StringRef sluice::libraryStateOf(StringRef variable) {
  return variable.consume_front(statePrefix) ? variable : StringRef();
}
