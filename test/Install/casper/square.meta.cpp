#include <casper.h>

#include <vector>

using namespace cac;

int main(int argc, char **argv) {
  Options opts;
  opts.parseOrExit(argc, argv);

  TaskGraph tg("square");
  tg.setDatPrint(true);
  std::vector<double> values{1, 2, 3, 4};
  Dat *mat = &tg.createDat(2, 2, values);
  Task &first = tg.createTask(CKernel("square"), {mat});
  Task &second = tg.createTask(CKernel("square"), {mat}, {&first});
  second.onlyRank0 = true;
  return tryCompile(tg, opts);
}
