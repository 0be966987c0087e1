//===- sluice-random-regions.cpp - Random region programs as files --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A developer's tool. Writes random modules that the checks accept, with the
// sources of their tasks, to a folder. Prints a line for each: its name and the
// value of its loops' parameter.
//
//   sluice-random-regions FOLDER COUNT [SEED]
//
//===----------------------------------------------------------------------===//

#include "WriteProgram.h"
#include "sluice/RDIR/RDIR.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdlib>
#include <string>
#include <system_error>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

static bool writeFile(const std::string &path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    write(os);
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    llvm::errs() << "'" << path << "': " << error.message() << '\n';
  return !error;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    llvm::errs() << "usage: sluice-random-regions FOLDER COUNT [SEED]\n";
    return 2;
  }
  std::string folder = argv[1];
  uint64_t wanted = std::strtoull(argv[2], nullptr, 10);
  uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  mlir::MLIRContext context;
  context.loadDialect<RDIRDialect>();
  SmallForest forest;
  for (uint64_t written = 0; written < wanted; ++seed) {
    SmallProgram program(forest, seed, {});
    if (!program.lower(context))
      continue;
    ++written;
    std::string name = "random" + std::to_string(seed);
    std::string path = folder + "/" + name;
    bool isWritten =
        writeFile(path + ".mlir",
                  [&](llvm::raw_ostream &os) { writeModule(program, os); }) &&
        writeFile(path + ".cpp", [&](llvm::raw_ostream &os) {
          writeTasks(program, name, os);
        });
    if (!isWritten)
      return 1;
    llvm::outs() << name << ' ' << program.count << '\n';
  }
  return 0;
}
