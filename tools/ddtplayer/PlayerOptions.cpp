//===- PlayerOptions.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the command line of the player and reports errors.
//
//===----------------------------------------------------------------------===//

#include "PlayerOptions.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

using namespace sluice;
using namespace sluice::player;

namespace {
/// An option as written, with the placeholder of its value, and its
/// description.
struct PlayerOption {
  std::string_view name, value, help;
  bool takesValue() const { return !value.empty(); }
};
} // namespace

static constexpr PlayerOption optionTable[] = {
    {"-e", " TEXT", "a description on the command line"},
    {"--mpi", "=LIBRARY", "openmpi, mpich, none or all (default: those found)"},
    {"--no-mpi", "", "the same as --mpi=none"},
    {"--count", "=N", "pack N instances of each type (default 1)"},
    {"--only", "=pack|unpack", "measure only this"},
    {"--kernel", "=KIND",
     "which of our kernels: ready (made ahead of time), compiled, interpreted, "
     "or best (default: compiled if there is a compiler, ready if there is "
     "none)"},
    {"--rounds", "=N", "medians of N rounds (default 7)"},
    {"--min-time", "=TIME",
     "time of one measurement, such as 200us (the default)"},
    {"--csv", "=FILE",
     "write the figures as a table, one row for each type and library; times "
     "in nanoseconds"},
    {"--plot", "=FILE.svg", "draw the ratios"},
    {"--quiet", "", "no progress and no remarks, only the table and errors"},
    {"--version", "",
     "the versions of ddtplayer, LLVM, the MPIs that are found, and devices' "
     "drivers"},
    {"--help", "", "this text"},
};

static constexpr std::string_view helpHead =
    R"(Usage: ddtplayer [OPTIONS] FILE...

Builds every type that the files describe with Sluice's Pack library and with
MPI, compares what they pack and unpack byte for byte, and prints how long
committing, packing and unpacking take.

  FILE                 descriptions of types; - is standard input

Options
)";

static constexpr std::string_view helpRest = R"(
Types
  byte char short int long float double ... (every basic type of MPI)
  ctg(COUNT)[TYPE]                  vec(COUNT LENGTH STRIDE)[TYPE]
  hvec(COUNT LENGTH BYTES)[TYPE]    resized(LOWER, EXTENT)[TYPE]
  idx(PLACE,LENGTH ...)[TYPE]       idxb(LENGTH: PLACE ...)[TYPE]
  hidx(BYTE,LENGTH ...)[TYPE]       hidxb(LENGTH: BYTE ...)[TYPE]
  struct(BYTE,LENGTH[TYPE] ...)     subarray, darray, dup: docs/pack.md
  A number of ctg, vec and hvec may be a range START:STEP:STOP; ranges multiply
  out. // begins a comment.

The table gives the median time of one operation, and in brackets the ratio: the
time of MPI / our time; above 1 ours is faster. 'hot' times have both buffers
in the caches, 'cold' ones have none of them there.

Exit status: 0 fine, 1 buffers differ or a library failed, 2 wrong usage or
text.

Examples
  ddtplayer -e 'hidx(0,1 17952,1)[vec(34:10:64 1 34)[double]]'
  ddtplayer --csv=halo.csv --plot=halo.svg halo.ddt
  echo 'vec(4096 1 2)[double]' | ddtplayer --mpi=mpich --kernel=ready -
)";

/// The help of one option, its text in lines of 80 columns from the 22nd column
/// on.
static std::string helpOf(const PlayerOption &option) {
  constexpr size_t column = 23;
  std::string text, line = concat("  ", option.name, option.value);
  line.resize(std::max(line.size() + 1, column), ' ');
  std::string_view rest = option.help;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(' '), rest.size());
    if (line.size() + end > 80) {
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line.assign(column, ' ');
    }
    line += rest.substr(0, end);
    line += ' ';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

void sluice::player::printHelp() {
  std::string text(helpHead);
  for (const PlayerOption &option : optionTable)
    text += helpOf(option);
  text += helpRest;
  std::fputs(text.c_str(), stdout);
}

static std::optional<int64_t> parseNumber(std::string_view text) {
  int64_t number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end)
    return std::nullopt;
  return number;
}

/// "200us" in seconds.
static std::optional<double> parseTime(std::string_view text) {
  double number = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number > 0))
    return std::nullopt;
  std::string_view unit(rest, size_t(end - rest));
  if (unit == "ns")
    return number * 1e-9;
  if (unit == "us")
    return number * 1e-6;
  if (unit == "ms")
    return number * 1e-3;
  if (unit == "s")
    return number;
  return std::nullopt;
}

static Status wrong(std::string_view option, std::string_view expected,
                    std::string_view value) {
  return Status::invalidArgument(
      concat(option, " takes ", expected, ", not ", quoted(value)));
}

static Status setNumber(std::string_view option, std::string_view value,
                        int64_t most, int64_t &number) {
  std::optional<int64_t> parsed = parseNumber(value);
  if (!parsed || *parsed < 1 || *parsed > most)
    return wrong(option, concat("a number from 1 to ", most), value);
  number = *parsed;
  return Status();
}

static Status setRounds(std::string_view value, PlayerOptions &options) {
  int64_t rounds = 0;
  Status status = setNumber("--rounds", value, 1000, rounds);
  options.rounds = int(rounds);
  return status;
}

static Status setTime(std::string_view value, PlayerOptions &options) {
  std::optional<double> time = parseTime(value);
  if (!time || *time > 60)
    return wrong("--min-time", "a time of at most 60s, such as 200us", value);
  options.minimumTime = *time;
  return Status();
}

static Status setOnly(std::string_view value, PlayerOptions &options) {
  if (value != "pack" && value != "unpack")
    return wrong("--only", "pack or unpack", value);
  options.hasPack = value == "pack";
  options.hasUnpack = value == "unpack";
  return Status();
}

static Status setKernel(std::string_view value, PlayerOptions &options) {
  if (value == "best")
    options.kernel = KernelChoice::Best;
  else if (value == "ready")
    options.kernel = KernelChoice::ReadyMade;
  else if (value == "compiled")
    options.kernel = KernelChoice::Compiled;
  else if (value == "interpreted")
    options.kernel = KernelChoice::Interpreted;
  else
    return wrong("--kernel", "best, ready, compiled or interpreted", value);
  return Status();
}

static Status setMPI(std::string_view value, PlayerOptions &options) {
  options.isAnyMPI = false;
  options.libraries.clear();
  if (value == "all")
    options.libraries = {"openmpi", "mpich"};
  else if (value == "openmpi" || value == "mpich")
    options.libraries = {std::string(value)};
  else if (value != "none")
    return wrong("--mpi", "openmpi, mpich, none or all", value);
  return Status();
}

static Status setPlot(std::string_view value, PlayerOptions &options) {
  if (!value.ends_with(".svg"))
    return wrong("--plot", "a file that ends in .svg", value);
  options.plot = value;
  return Status();
}

/// Options with a value, written --NAME=VALUE or --NAME VALUE.
static Status setOption(std::string_view name, std::string_view value,
                        PlayerOptions &options) {
  if (name == "--csv") {
    options.csv = value;
    return value.empty() ? wrong(name, "a file", value) : Status();
  }
  if (name == "--plot")
    return setPlot(value, options);
  if (name == "--mpi")
    return setMPI(value, options);
  if (name == "--kernel")
    return setKernel(value, options);
  if (name == "--only")
    return setOnly(value, options);
  if (name == "--min-time")
    return setTime(value, options);
  if (name == "--rounds")
    return setRounds(value, options);
  return setNumber(name, value, int64_t(1) << 31, options.count);
}

static const PlayerOption *findOption(std::string_view name) {
  for (const PlayerOption &option : optionTable)
    if (option.name == name)
      return &option;
  return nullptr;
}

/// The number of letters to insert, delete or replace.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// The option that was probably meant by an unknown one.
static std::string suggestionFor(std::string_view name) {
  const PlayerOption *nearest = std::min_element(
      std::begin(optionTable), std::end(optionTable), [&](auto &a, auto &b) {
        return distance(name, a.name) < distance(name, b.name);
      });
  if (name.size() < 4 || distance(name, nearest->name) > 2)
    return "see 'ddtplayer --help'";
  return concat("did you mean ", quoted(nearest->name), "?");
}

namespace {
/// Walks over the words of the command line.
class Words {
public:
  Words(int argc, char **argv) : next(argv + 1), end(argv + argc) {}
  bool hasMore() const { return next != end; }
  std::string_view take() { return *next++; }

private:
  char **next, **end;
};
} // namespace

static Status parseOption(std::string_view word, Words &words,
                          PlayerOptions &options) {
  size_t equals = word.find('=');
  std::string_view name = word.substr(0, equals);
  bool needsNext = equals == std::string_view::npos;
  if (word == "-h" || word == "-q")
    name = word == "-h" ? "--help" : "--quiet";
  const PlayerOption *option = findOption(name);
  if (!option || (!needsNext && !option->takesValue()))
    return Status::invalidArgument(
        concat("unknown option ", quoted(word), "; ",
               option ? "it takes no value" : suggestionFor(name)));
  if (option->takesValue()) {
    if (needsNext && !words.hasMore())
      return Status::invalidArgument(concat(name, " needs a value"));
    std::string_view value = needsNext ? words.take() : word.substr(equals + 1);
    if (name != "-e")
      return setOption(name, value, options);
    options.sources.push_back({"-e", true, std::string(value)});
    return Status();
  }
  if (name == "--no-mpi")
    return setMPI("none", options);
  options.isHelp |= name == "--help";
  options.isVersion |= name == "--version";
  options.isQuiet |= name == "--quiet";
  return Status();
}

Result<PlayerOptions> sluice::player::parseOptions(int argc, char **argv) {
  PlayerOptions options;
  Words words(argc, argv);
  while (words.hasMore()) {
    std::string_view word = words.take();
    if (word.size() > 1 && word[0] == '-') {
      if (Status status = parseOption(word, words, options); !status.ok())
        return status;
      continue;
    }
    options.sources.push_back({std::string(word), false, ""});
  }
  if (options.sources.empty() && !options.isHelp && !options.isVersion)
    return Status::invalidArgument("no types given; see 'ddtplayer --help'");
  return options;
}
