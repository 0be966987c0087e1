//===- PrintReport.cpp - Answers from a trace as text ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables for terminals, with the largest numbers first. All times have three
// digits, so that they can be compared at a glance.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/StableSort.h"
#include "sluice/Base/Text.h"
#include "sluice/Driver/TraceReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

StringRef driver::waitName(WaitKind kind) {
  constexpr StringLiteral names[] = {"dependence",   "memory", "transfer",
                                     "compile",      "start",  "shortage",
                                     "nothing to do"};
  return names[unsigned(kind)];
}

StringRef driver::waitMeaning(WaitKind kind) {
  constexpr StringLiteral meanings[] = {
      "nodes that the next one waits for still ran",
      "the launch waited for memory that others used",
      "bytes were on their way",
      "a device's driver compiled kernels",
      "the next node could run, and was not taken up yet",
      "launches were in flight, with no more to do for this worker",
      "no launch was in flight: the host program's own time"};
  return meanings[unsigned(kind)];
}

std::string driver::shortName(StringRef name) {
  constexpr size_t most = 200;
  if (name.size() <= most)
    return name.str();
  size_t length = most;
  while (length && (static_cast<unsigned char>(name[length]) & 0xc0) == 0x80)
    --length;
  return name.take_front(length).str() + "...";
}

std::string driver::spellTime(double nanoseconds) {
  static constexpr struct {
    double unit;
    const char *name;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  std::string text;
  raw_string_ostream os(text);
  for (auto [unit, name] : units) {
    // A value that rounds to a thousand is shown in the next unit.
    if (nanoseconds < 0.9995 * unit)
      continue;
    const double value = nanoseconds / unit;
    os << format("%.*f ",
                 value < 9.995   ? 2
                 : value < 99.95 ? 1
                                 : 0,
                 value)
       << name;
    return text;
  }
  os << format("%.0f ns", nanoseconds);
  return text;
}

static std::string percent(double part, double whole) {
  std::string text;
  raw_string_ostream(text) << format("%.1f %%",
                                     whole > 0 ? 100 * part / whole : 0.0);
  return text;
}

namespace {
class Printer {
public:
  Printer(const Timeline &timeline, const TraceReport &report,
          const TracePrintOptions &options, raw_ostream &os)
      : timeline(timeline), report(report), options(options), os(os),
        whole(double(timeline.end - timeline.begin)) {}

  void printHead();
  void printRows();
  void printRanks();
  void printWaits();
  void printPath();
  void printNodes();

private:
  std::string nameOf(uint32_t name) const {
    return name == Timeline::none ? "?" : shortName(timeline.names[name]);
  }
  std::string rowName(uint32_t number) const;
  const Timeline::Process *processOf(uint32_t number) const;
  void printStep(const TraceReport::Step &step);
  void printMore(size_t number, StringRef what) {
    if (number > options.most)
      os << "  and " << number - options.most << ' ' << what
         << " more (--top=N)\n";
  }

  const Timeline &timeline;
  const TraceReport &report;
  const TracePrintOptions &options;
  raw_ostream &os;
  const double whole;
};
} // namespace

const Timeline::Process *Printer::processOf(uint32_t number) const {
  auto found = find_if(timeline.processes, [&](const Timeline::Process &one) {
    return one.number == number;
  });
  return found == timeline.processes.end() ? nullptr : &*found;
}

/// Includes the process if there are several.
std::string Printer::rowName(uint32_t number) const {
  const Timeline::Row &row = timeline.rows[number];
  const Timeline::Process *process = processOf(row.process);
  const bool isAlone = all_of(timeline.rows, [&](const Timeline::Row &other) {
    return other.process == row.process;
  });
  if (isAlone || !process || process->name.empty())
    return shortName(row.name);
  return shortName(process->name) + ": " + shortName(row.name);
}

void Printer::printHead() {
  os << spellTime(whole) << ", "
     << countOf(timeline.launches.size(), "launch", "launches") << ", "
     << countOf(count_if(timeline.rows,
                         [](const Timeline::Row &row) { return row.isWorker; }),
                "worker", "workers")
     << '\n';
  for (const Timeline::Process &process : timeline.processes)
    if (!process.about.empty())
      os << shortName(process.name) << ": " << shortName(process.about) << '\n';
}

void Printer::printRows() {
  os << "\nUtilisation\n";
  size_t width = 0;
  for (const TraceReport::RowUse &use : report.rows)
    width = std::max(width, rowName(use.row).size());
  for (const TraceReport::RowUse &use : report.rows) {
    os << "  " << left_justify(rowName(use.row), width)
       << right_justify(percent(double(use.busy), whole), 9)
       << right_justify(spellTime(double(use.busy)), 10) << " in "
       << countOf(use.numSpans, "part", "parts") << '\n';
  }
}

/// Prints how long each rank computed and waited, and what it sent.
void Printer::printRanks() {
  struct Rank {
    std::string name;
    unsigned numWorkers = 0;
    double work = 0, waits = 0;
    uint64_t number[2] = {}, bytes[2] = {}; ///< sent, received
  };
  std::map<uint32_t, Rank> ranks;
  for (const Timeline::Row &row : timeline.rows)
    if (row.isWorker) {
      Rank &rank = ranks[row.rank];
      ++rank.numWorkers;
      if (const Timeline::Process *process = processOf(row.process))
        rank.name = shortName(process->name);
    }
  if (ranks.size() < 2)
    return;
  for (const Timeline::Span &span : timeline.spans) {
    Rank &rank = ranks[timeline.rows[span.row].rank];
    if (span.isWork())
      rank.work += double(span.end - span.start);
    if (span.kind != Timeline::Kind::Message || span.name == Timeline::none)
      continue;
    const bool isReceived =
        StringRef(timeline.names[span.name]).starts_with("from ");
    ++rank.number[isReceived];
    rank.bytes[isReceived] += span.count;
  }
  for (const TraceReport::Wait &wait : report.waits)
    ranks[timeline.rows[wait.row].rank].waits += double(wait.end - wait.start);
  size_t width = 0;
  double sum = 0, most = 0;
  std::string busiest;
  for (const auto &[number, rank] : ranks) {
    width = std::max(width, rank.name.size());
    sum += rank.work;
    if (rank.work > most) {
      most = rank.work;
      busiest = rank.name;
    }
  }
  os << "\nRanks\n  " << left_justify("", width)
     << "  workers   in nodes   waiting  sent                    received\n";
  for (const auto &[number, rank] : ranks) {
    auto messages = [&, &one = rank](bool isReceived) {
      return std::to_string(one.bytes[isReceived]) + " bytes in " +
             std::to_string(one.number[isReceived]);
    };
    os << "  " << left_justify(rank.name, width)
       << right_justify(std::to_string(rank.numWorkers), 9)
       << right_justify(spellTime(rank.work), 11)
       << right_justify(spellTime(rank.waits), 10) << "  "
       << left_justify(messages(false), 24) << messages(true) << '\n';
  }
  if (sum > 0)
    os << "  imbalance " << format("%.2f", most * double(ranks.size()) / sum)
       << ": " << busiest << " was that many times as long in nodes as ranks "
       << "are on average\n";
}

void Printer::printWaits() {
  double sum = 0;
  for (double time : report.waitTimes)
    sum += time;
  os << "\nWaits: " << spellTime(sum) << " of all workers\n";
  for (unsigned kind = 0; kind != numWaitKinds; ++kind)
    if (report.waitTimes[kind] > 0)
      os << "  " << left_justify(waitName(WaitKind(kind)), 14)
         << right_justify(spellTime(report.waitTimes[kind]), 10)
         << right_justify(percent(report.waitTimes[kind], sum), 9) << "  "
         << waitMeaning(WaitKind(kind)) << '\n';
  std::vector<TraceReport::Cause> causes;
  for (const TraceReport::Cause &cause : report.causes)
    if (cause.next != Timeline::none && cause.kind != WaitKind::Nothing)
      causes.push_back(cause);
  if (causes.empty())
    return;
  os << "\nWhat was waited for\n";
  for (const TraceReport::Cause &cause :
       ArrayRef(causes).take_front(options.most)) {
    os << "  " << right_justify(spellTime(cause.time), 9) << "  "
       << waitName(cause.kind) << ": " << nameOf(cause.next);
    if (cause.waitedFor != Timeline::none)
      os << " waited for " << nameOf(cause.waitedFor);
    os << ", " << countOf(cause.number, "time", "times") << ", longest "
       << spellTime(double(cause.longest)) << '\n';
  }
  printMore(causes.size(), "causes");
}

void Printer::printStep(const TraceReport::Step &step) {
  const Timeline::Span &span = timeline.spans[step.span];
  if (step.waitStart < step.start)
    os << right_justify(spellTime(double(step.waitStart - timeline.begin)), 11)
       << right_justify(spellTime(double(step.start - step.waitStart)), 10)
       << "    " << waitName(step.wait) << '\n';
  os << right_justify(spellTime(double(step.start - timeline.begin)), 11)
     << right_justify(spellTime(double(step.end - step.start)), 10) << "  "
     << nameOf(span.name) << " on " << rowName(span.row);
  if (span.launch != Timeline::none)
    os << ", launch " << span.launch + 1;
  if (step.numSpans > 1)
    os << ", " << step.numSpans << " parts";
  os << '\n';
}

void Printer::printPath() {
  double inNodes = 0;
  std::vector<TraceReport::NodeUse> nodes;
  for (const TraceReport::NodeUse &node : report.nodes)
    if (node.onPath > 0) {
      inNodes += node.onPath;
      nodes.push_back(node);
    }
  stableSort(nodes, [](auto &a, auto &b) { return a.onPath > b.onPath; });
  os << "\nCritical path: " << spellTime(inNodes) << " in nodes, "
     << spellTime(whole - inNodes) << " between them\n";
  for (const TraceReport::NodeUse &node :
       ArrayRef(nodes).take_front(options.most))
    os << "  " << right_justify(spellTime(node.onPath), 9)
       << right_justify(percent(node.onPath, whole), 9) << "  "
       << nameOf(node.name) << '\n';
  printMore(nodes.size(), "nodes");
  auto printOther = [&](double time, StringRef name) {
    if (time > 0)
      os << "  " << right_justify(spellTime(time), 9)
         << right_justify(percent(time, whole), 9) << "  (" << name << ")\n";
  };
  for (unsigned kind = 0; kind != numWaitKinds; ++kind)
    printOther(report.pathWaits[kind], waitName(WaitKind(kind)));
  printOther(report.pathOther, "transfers, messages and compiling");
  printOther(double(report.pathTail), "after the last node");
  if (!options.hasSteps)
    return;
  os << "\nSteps of the critical path\n         at      time\n";
  for (const TraceReport::Step &step : report.path)
    printStep(step);
}

void Printer::printNodes() {
  double sum = 0;
  for (const TraceReport::NodeUse &node : report.nodes)
    sum += node.time;
  os << "\nMost expensive nodes\n"
        "       time    share    parts  launches   longest\n";
  for (const TraceReport::NodeUse &node :
       ArrayRef(report.nodes).take_front(options.most))
    os << "  " << right_justify(spellTime(node.time), 9)
       << right_justify(percent(node.time, sum), 9)
       << right_justify(std::to_string(node.numSpans), 9)
       << right_justify(std::to_string(node.numLaunches), 10)
       << right_justify(spellTime(double(node.longest)), 10) << "  "
       << nameOf(node.name) << '\n';
  printMore(report.nodes.size(), "nodes");
}

void driver::printTraceReport(const Timeline &timeline,
                              const TraceReport &report,
                              const TracePrintOptions &options,
                              raw_ostream &os) {
  Printer printer(timeline, report, options, os);
  printer.printHead();
  if (timeline.spans.empty()) {
    os << "no node has run, or the program was ended before it could say so\n";
    return;
  }
  printer.printRows();
  printer.printRanks();
  printer.printWaits();
  printer.printPath();
  printer.printNodes();
}
