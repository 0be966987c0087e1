// Says whether starting MPI has loaded a driver of OpenCL.

#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  char line[4096];
  int isLoaded = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    isLoaded |= strstr(line, "libpocl") != NULL;
  fclose(maps);
  puts(isLoaded ? "a driver of OpenCL" : "no driver of OpenCL");
  MPI_Finalize();
  return 0;
}
