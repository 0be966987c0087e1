//===- commit_sluice.cpp - What DDT_Commit costs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `commit_sluice compiled` compiles within the commit.
//
//===----------------------------------------------------------------------===//

#include "commits.h"
#include "sluice_types.h"

using namespace bench;

namespace {

bool compiles;

class Api : public SluiceTypes {
public:
  void commit(Type type) { farc::DDT_Commit(type, compiles); }
  void pack(const std::byte *in, const Instances<Type> &layout, std::byte *out,
            int64_t) {
    farc::DDT_Pack(in, out, layout.type, layout.count);
  }
};

} // namespace

int main(int argc, char **argv) {
  compiles = argc > 1 && std::string(argv[1]) == "compiled";
  farc::DDT_Init();
  int status;
  {
    Commits<Api> commits;
    status = commits.serve();
  }
  farc::DDT_Finalize();
  return status;
}
