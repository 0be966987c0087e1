//===- starpu.cpp - The circuit on StarPU ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle per piece for its voltages and one for its currents; StarPU finds
// the dependences from what tasks read and write.
//
//===----------------------------------------------------------------------===//

#include "circuit.h"

#include <starpu.h>

using namespace bench;

namespace {
std::vector<starpu_data_handle_t> voltages, currents;
starpu_codelet flowCodelet, gatherCodelet;

int64_t pieceOf(void *argument) {
  return int64_t(reinterpret_cast<intptr_t>(argument));
}
void runFlows(void **, void *argument) {
  simulation.flowsOfPiece(pieceOf(argument));
}
void runGather(void **, void *argument) {
  simulation.gatherOfPiece(pieceOf(argument));
}

void registerArray(std::vector<starpu_data_handle_t> &handles, void *memory,
                   int64_t count, size_t size) {
  starpu_vector_data_register(&handles.emplace_back(), STARPU_MAIN_RAM,
                              reinterpret_cast<uintptr_t>(memory),
                              uint32_t(count), size);
}

void submit(starpu_codelet *codelet, int64_t piece,
            const std::vector<int64_t> &readPieces,
            const std::vector<starpu_data_handle_t> &read,
            starpu_data_handle_t written) {
  starpu_task *task = starpu_task_create();
  size_t count = readPieces.size() + 1;
  task->cl = codelet;
  task->cl_arg = reinterpret_cast<void *>(intptr_t(piece));
  starpu_data_handle_t *handles = task->handles;
  starpu_data_access_mode *modes = task->modes;
  if (count > STARPU_NMAXBUFS) { // StarPU frees them
    handles = task->dyn_handles =
        static_cast<starpu_data_handle_t *>(malloc(count * sizeof(*handles)));
    modes = task->dyn_modes =
        static_cast<starpu_data_access_mode *>(malloc(count * sizeof(*modes)));
  }
  for (size_t i = 0; i + 1 < count; ++i) {
    handles[i] = read[readPieces[i]];
    modes[i] = STARPU_R;
  }
  handles[count - 1] = written;
  modes[count - 1] = STARPU_RW;
  task->nbuffers = int(count);
  if (starpu_task_submit(task) != 0) {
    fprintf(stderr, "cannot submit a task\n");
    exit(1);
  }
}
} // namespace

void bench::prepareCircuit() {
  const Circuit &c = simulation.circuit;
  for (int64_t p = 0; p < c.numPieces; ++p) {
    registerArray(voltages, simulation.voltage + c.firstNode(p),
                  c.firstNode(p + 1) - c.firstNode(p), sizeof(double));
    registerArray(currents, simulation.current + c.firstWire(p),
                  c.firstWire(p + 1) - c.firstWire(p), sizeof(double[4]));
  }
}

void bench::releaseCircuit() {
  for (auto *handles : {&voltages, &currents}) {
    for (starpu_data_handle_t handle : *handles)
      starpu_data_unregister(handle);
    handles->clear();
  }
}

void bench::runCircuit() {
  int64_t numPieces = simulation.circuit.numPieces;
  for (int64_t step = 0; step < simulation.steps; ++step) {
    for (int64_t p = 0; p < numPieces; ++p)
      submit(&flowCodelet, p, simulation.nodesOf[p], voltages, currents[p]);
    for (int64_t p = 0; p < numPieces; ++p)
      submit(&gatherCodelet, p, simulation.wiresOf[p], currents, voltages[p]);
  }
  starpu_task_wait_for_all();
}

void bench::instantiateCircuit() {}

int main() {
  for (starpu_codelet *codelet : {&flowCodelet, &gatherCodelet}) {
    starpu_codelet_init(codelet);
    codelet->nbuffers = STARPU_VARIABLE_NBUFFERS;
  }
  flowCodelet.cpu_funcs[0] = runFlows;
  gatherCodelet.cpu_funcs[0] = runGather;
  if (starpu_init(nullptr) != 0) {
    fprintf(stderr, "cannot start StarPU\n");
    return 1;
  }
  int status = serveCircuit();
  starpu_shutdown();
  return status;
}
