//===- LibraryCalls.cpp - What functions of the C library touch -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table that follows the manual of the GNU C library. It calls functions
// "MT-Safe", or "MT-Unsafe race:" with the name of the shared state.
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
///   w0[<1]     no more than that, and often less
///   r1$ w0$1   up to the zero byte of that argument, or of another one
///   s0         a stream, which the library locks
///   *r         reads what the other pointers point to, unless a format says
///              otherwise
///   !rand      keeps something for `rand`, under a lock; ~strtok without one
///   ?setenv    only reads what it keeps; -lgamma writes what hardly matters
///   ~tmpnam@0  only if that argument is null
///   ~locale%1  only reads what it keeps if that argument is null
///   ^          touches what an earlier call was passed
///   ^0         the same, unless that argument is known not to be null
///   =state     the result points to what it keeps, named last
///   =own       the result points to what is nobody else's
static const char *const rows[] = {
    // Memory and text.
    "memcmp r0[2] r1[2]",
    "bcmp r0[2] r1[2]",
    "memchr r0[<2] =0",
    "memcpy w0[2] r1[2] =0",
    "memmove w0[2] r1[2] =0",
    "memset w0[2] =0",
    "mempcpy w0[2] r1[2] =0",
    "bcopy r0[2] w1[2]",
    "bzero w0[1]",
    "strlen r0$",
    "strnlen r0",
    "strcmp r0 r1",
    "strcasecmp r0 r1 ?setlocale",
    "strncmp r0 r1",
    "strncasecmp r0 r1 ?setlocale",
    "strcoll r0 r1 ?setlocale",
    "strchr r0 =0",
    "strrchr r0$ =0",
    "index r0 =0",
    "rindex r0$ =0",
    "strstr r0 r1$ =0",
    "strcasestr r0 r1$ ?setlocale =0",
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
    "strtok_r u0 r1$ u2 =0 ^0",
    "strtok u0 r1$ ~strtok =0 ^0",
    "qsort u0[1*2]",
    "bsearch r0 r1[<2*3] =1",
    // Numbers.
    "atoi r0 ?setlocale",
    "atol r0 ?setlocale",
    "atoll r0 ?setlocale",
    "atof r0 ?setlocale",
    "strtol r0 w1 ?setlocale",
    "strtoll r0 w1 ?setlocale",
    "strtoul r0 w1 ?setlocale",
    "strtoull r0 w1 ?setlocale",
    "strtod r0 w1 ?setlocale",
    "strtof r0 w1 ?setlocale",
    "__isoc23_strtol r0 w1 ?setlocale",
    "__isoc23_strtoul r0 w1 ?setlocale",
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "lldiv",
    "ffs",
    "ffsl",
    "ffsll",
    "lgamma -signgam",
    "lgammaf -signgam",
    "lgammal -signgam",
    "gamma -signgam",
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
    "erand48 u0 -drand48",
    "nrand48 u0 -drand48",
    "jrand48 u0 -drand48",
    "drand48_r u0 w1",
    "erand48_r u0 u1 w2",
    // Characters.
    "isalnum ?setlocale",
    "isalpha ?setlocale",
    "isblank ?setlocale",
    "iscntrl ?setlocale",
    "isdigit ?setlocale",
    "isgraph ?setlocale",
    "islower ?setlocale",
    "isprint ?setlocale",
    "ispunct ?setlocale",
    "isspace ?setlocale",
    "isupper ?setlocale",
    "isxdigit ?setlocale",
    "tolower ?setlocale",
    "toupper ?setlocale",
    "__ctype_b_loc ?setlocale =own",
    "__ctype_tolower_loc ?setlocale =own",
    "__ctype_toupper_loc ?setlocale =own",
    "__ctype_get_mb_cur_max ?setlocale",
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
    "getpwnam r0$ ~getpwnam =state",
    "localtime r0 ?setlocale ?setenv ~localtime =state",
    "gmtime r0 ~localtime =state",
    "ctime r0 ?setlocale ?setenv ~localtime ~asctime =state",
    "asctime r0 ?setlocale ~asctime =state",
    "localtime_r r0 w1 ?setlocale ?setenv =1",
    "gmtime_r r0 w1 =1",
    "ctime_r r0 w1 ?setlocale ?setenv =1",
    "asctime_r r0 w1 ?setlocale =1",
    "mktime u0 ?setenv",
    "tzset ?setenv",
    "strftime w0[<1] r2$ r3 ?setlocale ?setenv",
    "getenv r0$ ?setenv =state",
    "secure_getenv r0$ ?setenv =state",
    "clearenv ~setenv",
    "system r0$ ?setenv",
    "setenv r0$ r1$ ~setenv",
    "unsetenv r0$ ~setenv",
    "putenv u0 ~setenv ^",
    "strerror ?setlocale =own",
    "setlocale r1 ~setlocale%1 =state",
    "tmpnam w0 ~tmpnam@0 =state",
    "ttyname ~ttyname =state",
    "getlogin ~getlogin =state",
    "strsignal ?setlocale ~strsignal =state",
    "l64a ~l64a =state",
    "ecvt w2 w3 ~ecvt =state",
    "fcvt w2 w3 ~ecvt =state",
    "hcreate ~hsearch",
    "hsearch *r ~hsearch",
    "hdestroy ~hsearch",
    // Streams.
    "printf *r ?setlocale",
    "puts r0$",
    "putchar",
    "perror r0$ ?setlocale",
    "fprintf s0 *r ?setlocale",
    "vprintf *r ?setlocale",
    "vfprintf s0 *r ?setlocale",
    "dprintf *r ?setlocale",
    "snprintf w0[<1] *r ?setlocale",
    "vsnprintf w0[<1] *r ?setlocale",
    "sprintf w0 *r ?setlocale",
    "vsprintf w0 *r ?setlocale",
    "putc s1",
    "fputc s1",
    "fputs r0$ s1",
    "fwrite r0[1*2] s3",
    "fread w0[<1*2] s3",
    "getc s0",
    "fgetc s0",
    "getchar",
    "fgets w0[<1] s2 =0",
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
  /// LibraryCall::touchesEarlier unless this argument is not null; the last
  /// state is used, or written, only if it is null, or if it is not.
  int earlier = -1, usedIfNull = -1, readIfNull = -1;
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
  case '?':
  case '-': {
    const size_t end = word.find_first_of("@%");
    row.call.states.push_back({.name = word.substr(0, end).str(),
                               .isLocked = kind == '!',
                               .isWritten = kind != '?',
                               .isCertain = kind != '-'});
    if (end == StringRef::npos)
      return;
    int &argument = word[end] == '@' ? row.usedIfNull : row.readIfNull;
    word = word.drop_front(end + 1);
    argument = takeNumber(word);
    return;
  }
  case '^':
    row.call.touchesEarlier = word.empty();
    if (!word.empty())
      row.earlier = takeNumber(word);
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
    use.size = word.consume_front("<") ? LibraryUse::Size::AtMost
                                       : LibraryUse::Size::Counted;
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

/// False for another function of that name, or another declaration.
static bool hasArgumentsOf(const CallBase &call, const Row &row) {
  auto isPointer = [&](int argument) {
    return argument < int(call.arg_size()) &&
           call.getArgOperand(argument)->getType()->isPointerTy();
  };
  auto isCount = [&](int argument) {
    return argument < int(call.arg_size()) &&
           call.getArgOperand(argument)->getType()->isIntegerTy();
  };
  for (int argument :
       {row.call.returnedArgument, row.earlier, row.usedIfNull, row.readIfNull})
    if (argument >= 0 && !isPointer(argument))
      return false;
  if ((row.call.returnsState || row.call.returnsOwn ||
       row.call.returnedArgument >= 0) &&
      !call.getType()->isPointerTy())
    return false;
  return all_of(row.streams, isPointer) &&
         all_of(row.call.uses, [&](const LibraryUse &use) {
           return isPointer(use.argument) &&
                  (!use.isCounted() || (isCount(use.count) &&
                                        (use.unit < 0 || isCount(use.unit)))) &&
                  (use.size != LibraryUse::Size::Text || isPointer(use.count));
         });
}

/// Some functions behave differently for null pointers.
static void refineByNull(const CallBase &call, const Row &row,
                         LibraryCall &result) {
  auto isNull = [&](int argument) {
    return isa<ConstantPointerNull>(call.getArgOperand(argument));
  };
  auto isNotNull = [&](int argument) {
    return isKnownNonZero(call.getArgOperand(argument),
                          SimplifyQuery(call.getDataLayout(), &call));
  };
  if (row.earlier >= 0 && !isNotNull(row.earlier))
    result.touchesEarlier = true;
  if (row.usedIfNull >= 0 && isNotNull(row.usedIfNull)) {
    result.states.pop_back();
    result.returnsState = false;
    result.returnedArgument = row.usedIfNull;
  } else if (row.usedIfNull >= 0 && !isNull(row.usedIfNull)) {
    result.states.back().isCertain = false;
    result.returnsState = false;
  }
  if (row.readIfNull >= 0 && isNull(row.readIfNull))
    result.states.back().isWritten = false;
  else if (row.readIfNull >= 0 && !isNotNull(row.readIfNull))
    result.states.back().isCertain = false;
  // The result then points to unknown memory.
  if (result.returnedArgument >= 0 &&
      (isNull(result.returnedArgument) ||
       (result.touchesEarlier && result.returnedArgument == row.earlier)))
    result.returnedArgument = -1;
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
  if (!hasArgumentsOf(*call, row))
    return std::nullopt;
  refineByNull(*call, row, result);
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
  // This one is a variable that programs see.
  if (state == "signgam")
    return state.str();
  return (statePrefix + state).str();
}

StringRef sluice::libraryStateOf(StringRef variable) {
  return variable.consume_front(statePrefix) ? variable : StringRef();
}
