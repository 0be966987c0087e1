//===- Time.cpp - Time of the checks and orders ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a line per phase: "shape nodes edges phase seconds cpu-seconds
// kilobytes". Usage: rdir-time SHAPE NODES [taskorder]
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "sluice/RDIR/Checks.h"
#include "sluice/RDIR/Order.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/resource.h>

using namespace sluice::rdir;

namespace {
class Phases {
public:
  Phases(std::string shape, const Graph &graph)
      : shape(std::move(shape)), graph(graph) {}

  template <typename Action> auto run(const char *phase, Action action) {
    auto start = std::chrono::steady_clock::now();
    std::clock_t startCpu = std::clock();
    auto result = action();
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    double cpu = double(std::clock() - startCpu) / CLOCKS_PER_SEC;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%s %zu %zu %s %.4f %.4f %ld\n", shape.c_str(),
                graph.numNodes(), graph.allEdges().size(), phase, time.count(),
                cpu, usage.ru_maxrss);
    std::fflush(stdout);
    return result;
  }

  void check(const char *phase,
             void (*action)(const Graph &, const CheckOptions &,
                            CheckResult &)) {
    CheckResult result = run(phase, [&] {
      CheckResult found;
      action(graph, {}, found);
      return found;
    });
    for (const Problem &problem : result.problems)
      if (problem.severity == Severity::Error)
        std::printf("error: %s: %s\n", ruleName(problem.rule),
                    problem.message.c_str());
  }

private:
  std::string shape;
  const Graph &graph;
};
} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: rdir-time SHAPE NODES [taskorder]\n");
    return 2;
  }
  bench::Generated generated =
      bench::make(argv[1], std::strtoull(argv[2], nullptr, 10));
  if (!generated.graph) {
    std::fprintf(stderr, "unknown shape '%s'\n", argv[1]);
    return 2;
  }
  const Graph &graph = *generated.graph;
  Phases phases(argv[1], graph);
  phases.check("wellformed", checkWellFormed);
  phases.check("kinds", checkKinds);
  phases.check("launches", checkLaunches);
  phases.check("races", checkRaces);
  phases.check("serializable", checkSerializable);
  phases.run("serialorder", [&] { return serialOrder(graph); });
  if (argc == 3)
    return 0;
  TaskOrder order = phases.run("taskorder", [&] { return taskOrder(graph); });
  phases.run("schedule", [&] { return schedule(order); });
  std::printf("dependences %zu\n", order.predecessors.size());
}
