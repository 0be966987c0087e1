//===- starpu.cpp - The stencil on StarPU ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle per field and block; StarPU finds the dependences from what tasks
// read and write.
//
//===----------------------------------------------------------------------===//

#include "halo.h"

#include <starpu.h>

using namespace bench;

namespace {
struct Block {
  int64_t i, j;
};
std::vector<Block> blocks;
std::vector<starpu_data_handle_t> handles[2];
starpu_codelet codelets[2];

template <int field> void runBlock(void **, void *argument) {
  const Block &block = *static_cast<const Block *>(argument);
  plate.sweepBlock(field ? plate.next : plate.now,
                   field ? plate.now : plate.next, block.i, block.j);
}

void registerBlock(int field, int64_t i, int64_t j) {
  double *memory = field ? plate.next : plate.now;
  int64_t row = plate.firstRow(i), column = plate.firstColumn(j);
  starpu_data_handle_t handle;
  starpu_matrix_data_register(
      &handle, STARPU_MAIN_RAM,
      reinterpret_cast<uintptr_t>(memory + row * plate.n + column),
      uint32_t(plate.n), uint32_t(plate.firstColumn(j + 1) - column),
      uint32_t(plate.firstRow(i + 1) - row), sizeof(double));
  handles[field].push_back(handle);
}

void submit(int field, int64_t block) {
  auto [i, j] = blocks[block];
  starpu_task *task = starpu_task_create();
  task->cl = &codelets[field];
  task->cl_arg = &blocks[block];
  int count = 0;
  auto add = [&](starpu_data_handle_t handle, starpu_data_access_mode mode) {
    task->handles[count] = handle;
    task->modes[count++] = mode;
  };
  add(handles[field][block], STARPU_R);
  if (i > 0)
    add(handles[field][block - plate.columns], STARPU_R);
  if (i + 1 < plate.rows)
    add(handles[field][block + plate.columns], STARPU_R);
  if (j > 0)
    add(handles[field][block - 1], STARPU_R);
  if (j + 1 < plate.columns)
    add(handles[field][block + 1], STARPU_R);
  add(handles[1 - field][block], STARPU_RW);
  task->nbuffers = count;
  if (starpu_task_submit(task) != 0) {
    fprintf(stderr, "cannot submit a task\n");
    exit(1);
  }
}
} // namespace

void bench::prepareHalo() {
  blocks.clear();
  for (int64_t i = 0; i < plate.rows; ++i)
    for (int64_t j = 0; j < plate.columns; ++j) {
      blocks.push_back({i, j});
      registerBlock(0, i, j);
      registerBlock(1, i, j);
    }
}

void bench::releaseHalo() {
  for (std::vector<starpu_data_handle_t> &field : handles) {
    for (starpu_data_handle_t handle : field)
      starpu_data_unregister(handle);
    field.clear();
  }
}

void bench::runHalo() {
  for (int64_t sweep = 0; sweep < 2 * plate.pairs; ++sweep)
    for (size_t block = 0; block < blocks.size(); ++block)
      submit(sweep % 2, int64_t(block));
  starpu_task_wait_for_all();
}

void bench::instantiateHalo() {}

int main() {
  for (starpu_codelet &codelet : codelets) {
    starpu_codelet_init(&codelet);
    codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  }
  codelets[0].cpu_funcs[0] = runBlock<0>;
  codelets[1].cpu_funcs[0] = runBlock<1>;
  if (starpu_init(nullptr) != 0) {
    fprintf(stderr, "cannot start StarPU\n");
    return 1;
  }
  int status = serveHalo();
  starpu_shutdown();
  return status;
}
