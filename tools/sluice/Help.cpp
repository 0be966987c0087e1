//===- Help.cpp - The help pages of sluice --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "sluice/Runtime/Host/Settings.h"
#include "llvm/Support/raw_ostream.h"

static const char overviewText[] =
    R"(sluice: compiles, checks and runs programs that are graphs of dataflow

Usage: sluice COMMAND [OPTIONS] FILE...

Commands
  run       compile (cached) and run a program
  build     compile a program to an executable
  check     verify a program, and say all that is wrong with it
  graph     draw the graphs of a program
  tune      find the fastest parameters of a program's Halide tasks
  pack      show what Pack makes of a data layout
  devices   list what programs can run on here

Files
  .c .cc .cpp .cxx   sources with HPVM calls (#include "hpvm.h")
  .ll .bc            LLVM IR with llvm.hpvm.* intrinsics
  .mlir              graphs in the dfg dialect, a task graph in it with the
                     sources of its kernels, or a program over regions in the
                     rdir dialect with the sources of its tasks
  .o .a .so          linked

'sluice COMMAND --help' shows the options of a command and examples.
Exit status: 0 fine, 1 the program has problems, 2 wrong usage.
)";

static const char compileOptionsText[] = R"(
Compiling
  -I DIR  -D NAME[=VALUE]  -U NAME  -std=STANDARD  -f...  -W...  -include FILE
  -isystem DIR  -iquote DIR  -w  -pedantic  -pthread  -ansi  -m...
                       as for clang; flags that cannot be taken are refused
                       with what to do instead
  -march=CPU           generate code for this CPU ("native": this machine's)
  -O0 ... -O3  -Os  -Oz  -Og  -Ofast
                       how much to optimise (default -O3)
  -fprofile-generate[=FOLDER]  -fprofile-use[=FILE]
                       write a profile when the program ends; compile by one
  -l LIB  -L DIR  -Wl,OPTION  -rdynamic  -s
                       as for the linker
  -MD  -MMD  -MF FILE  -MT TARGET  -MP
                       'sluice build': write a dependency file
  --hpvm-version=0.5|1.0
                       which version's numbers target hints have (default 1.0)
  --legacy             .ll files are in the form of LLVM 9 and older (typed
                       pointers, bare in/out attributes); needs llvm-as-14
  --reference          plain loops over instances, one after another: slow, for
                       comparing results
  --no-flatten  --no-dead  --no-fuse  --no-pipeline  --no-transforms
                       leave the graph as it is written: keep internal nodes,
                       keep what nobody needs, fuse no chains of nodes, run
                       one-to-one edges node by node; all of these
  --hint=cpu|gpu|either
                       compile as if every node had this hint: CPU_TARGET,
                       GPU_TARGET or CPU_OR_GPU_TARGET (docs/devices.md)
  --device-arch=sm_NN  the least NVIDIA GPU that can run the PTX ('sluice run':
                       this machine's; else sm_75)
  --check              code that reports every access to memory, for finding
                       races and wrong accesses while the program runs: slow;
                       SLUICE_CHECK=1 makes 'sluice run' compile so
)";

static const char runText[] =
    R"(Usage: sluice run [OPTIONS] FILE... [-- ARGUMENTS]

Compiles the program into the cache and runs it. A program whose files did not
change starts from the cache at once. The program's exit status is that of
'sluice run'. A program over regions (X.mlir in the rdir dialect) takes its
parameters behind --; its tasks' sources include "X.rdir.h". A task graph takes
the sources of its C kernels as further files.

  --root=NAME          which task graph of a module to run, if it has several
)";

static const char runExamples[] = R"(
Examples
  sluice run examples/hello/hello.cpp
  sluice run -O2 examples/camera/*.cpp -lpng -- raw.bin model out.png
  SLUICE_WORKERS=1 sluice run program.ll
  SLUICE_TRACE=t.json sluice run program.c      (open t.json in Perfetto)
  SLUICE_CHECK=1 sluice run program.c           (find races while it runs)
  sluice run cg.mlir cg.cpp -- --pieces=16      (tasks over regions)
  sluice run matrix.mlir kernels.c              (a task graph)
  SLUICE_DEVICE=opencl sluice run --hint=gpu program.c
                                                (every node on a device)
)";

static const char buildText[] =
    R"(Usage: sluice build [OPTIONS] FILE... -o PROGRAM
       sluice build MODULE.mlir --emit=LANGUAGE [-o FILE]

Compiles a program ahead of time. The executable needs no LLVM and no compiler.

  -o PROGRAM           the executable to write
  --static-runtime     link Sluice's runtime into the executable instead of
                       using its shared library
  --root=NAME          which task graph of a module to build, if it has several
  --print=STAGE        print a stage to standard output instead of building:
                       graph (of a task graph: its tasks), canonical (LLVM IR
                       with intrinsics), dfg (the graphs as written), rdir
                       (what the race check believes: regions and privileges),
                       transformed (the graphs that are compiled), plan (what
                       is scheduled), device (which kernels devices get, or why
                       not), spirv and ptx (their code), kernels (LLVM IR with
                       loops over instances), llvm (optimised), asm
  --emit=LANGUAGE      write a module of the rdir dialect as source code, to
                       FILE or standard output: header (what its tasks define),
                       c++ (for Sluice's runtime), legion (C++), starpu (C)
  --legion-static-traces
                       hand proven dependences to Legion
  --legion-no-must-epochs  --legion-no-independent-requirements
                       do without these of Legion's launches
)";

static const char buildExamples[] = R"(
The default CPU of 'sluice build' is x86-64-v2.

Examples
  sluice build program.c -o program && ./program
  sluice build -march=native -DSIZE=512 host.cpp graph.cpp -o app
  sluice build program.c --print=plan
  sluice build program.c --hint=gpu --print=ptx
  sluice build matrix.mlir kernels.c -o matrix
  sluice build cg.mlir --emit=legion -o cg.legion.cpp
)";

static const char checkText[] =
    R"(Usage: sluice check [OPTIONS] FILE...

Verifies a program against the rules of the language (docs/hpvm-rules.md) and
prints everything that is wrong, each problem with its place and the rule.
Exit status 1 if there is a problem. A module of the rdir dialect (.mlir,
.mlirbc) is checked against docs/rdir-rules.md.

  --order              of a module of regions, print the proven serial order of
                       the tasks, and how many steps they take when all that
                       may run at the same time does
)";

static const char checkExamples[] = R"(
Examples
  sluice check program.c
  sluice check --legacy old.ll
  sluice check --order circuit.mlir
)";

static const char graphText[] =
    R"(Usage: sluice graph [OPTIONS] FILE... [-o PICTURE]

Draws the graphs of a program. The ending of the output decides the form: .svg,
.png and .pdf are pictures, .html is a page to move, zoom and search in, with the
source of each node; these need Graphviz, and .dot is its language. Without -o,
.dot is printed. Modules of regions are drawn with what is wrong in red.

  -o PICTURE           the file to write
  --root=NAME          draw this root only
  --around=NODE        of a module of regions, draw what is near this node only
  --within=N           how many edges away "near" is (default 3)
  --transformed        draw the graphs that are compiled, in which nodes may be
                       fused, removed or moved up, not those that are written
)";

static const char graphExamples[] = R"(
Examples
  sluice graph program.c -o program.svg
  sluice graph program.c --root=pipeline -o pipeline.dot
  sluice graph circuit.mlir -o circuit.html
)";

static const char tuneText[] =
    R"(Usage: sluice tune [OPTIONS] PROGRAM [PARAMETER=VALUE,VALUE...]
                   [-- ARGUMENTS]

Runs a task graph, times every variant of each of its Halide tasks on the data
that it meets, compares what they compute, and writes the parameters of the
fastest one that agrees with the first. PROGRAM is a meta-program, an executable
made with --variants, or a .mlir file that was dumped with --variants.

  -o FILE              the file to write (default tuned.ini); meta-programs
                       read it with --tuned-params=FILE
  PARAMETER=VALUE,...  of a meta-program, try these values of a parameter, in
                       all combinations (64 per task at most)
  --candidates         of a meta-program, try usual values of all tunable
                       parameters
  --rtol=X  --atol=X   numbers agree if they differ by at most atol + rtol times
                       the first variant's (default rtol 1e-5 for float, 1e-10
                       for double, atol 0); integers must be equal

Examples
  sluice tune ./blur
  sluice tune ./blur tile=8,16,32 threads=1,2 -o blur.ini
  sluice tune graph.mlir -o tuned.ini
)";

static const char packText[] =
    R"(Usage: sluice pack [OPTIONS] LAYOUT...

Shows what Pack makes of data layouts: size, bounds, normal form and the kernel
that is ready when the layout is committed. A layout is written as for
ddtplayer; ranges stand for several layouts. @FILE reads layouts from a file.

  --file=FILE          the same as @FILE; - is standard input
  --ir                 the LLVM IR that is compiled for the layout
  --asm                the machine code it becomes on this machine
  --draw=FILE.svg      draw the bytes of the layout
  --json               print an array of objects

Layouts
  ctg(COUNT)[LAYOUT]               vec(COUNT LENGTH STRIDE)[LAYOUT]
  hvec(COUNT LENGTH BYTES)[LAYOUT] resized(LOWER, EXTENT)[LAYOUT]
  idx(PLACE,LENGTH ...)[LAYOUT]    idxb(LENGTH: PLACE ...)[LAYOUT]
  hidx(BYTE,LENGTH ...)[LAYOUT]    hidxb(LENGTH: BYTE ...)[LAYOUT]
  struct(BYTE,LENGTH[LAYOUT] ...)  subarray, darray, dup, and the basic types of
  MPI, such as int, double and byte: docs/pack-grammar.md
)";

static const char packExamples[] = R"(
Examples
  sluice pack 'vec(2 3 5)[int]'
  sluice pack 'vec(34:10:64 1 34)[double]' --json
  sluice pack 'vec(64 1 34)[double]' --ir
  sluice pack @halo.ddt --draw=halo.svg
)";

static const char packSettings[] = R"(
Environment of Pack
  SLUICE_PACK_COMPILE_AFTER
      how many uses a layout has before it is compiled; negative: never
  SLUICE_PACK_THREADS
      how many threads share one large pack
  SLUICE_PACK_CACHE
      'off' keeps compiled kernels out of the cache on disk
  SLUICE_PACK_COMPARE
      'off' keeps a compiled kernel even where the ready-made one is faster
  SLUICE_PACK_JIT
      the compiler of kernels, libSluicePackJIT.so; 'off' for none
  SLUICE_PACK_VECTORS
      use no more than these vectors: baseline, avx2 or avx512
)";

static const char devicesText[] =
    R"(Usage: sluice devices
       sluice devices --history [--program NAME] [--clear]

Lists the devices that programs can run on here, with their memory.

With --history, shows how long nodes with the hint CPU_OR_GPU_TARGET took at
each place, transfers included, and which place is chosen for them by that. The
size of a node is the number of its instances and the bytes of its graph's
arguments together; 1 Ki stands for 1024 to 2047.

Options
  --program NAME  only nodes of this program: the name or the beginning of the
                  hash that the table shows
  --clear         forget the times instead of showing them

Examples
  sluice devices
  sluice devices --history
  sluice devices --history --program camera.c --clear
)";

static void printSettings() {
  llvm::outs() << "\nEnvironment of programs\n";
  for (const sluice::Setting &setting : sluice::runtimeSettings())
    llvm::outs() << "  " << setting.name << "\n      " << setting.description
                 << '\n';
}

bool printHelp(llvm::StringRef command) {
  llvm::raw_ostream &os = llvm::outs();
  if (command.empty()) {
    os << overviewText;
    printSettings();
    os << packSettings;
  } else if (command == "run") {
    os << runText << compileOptionsText << runExamples;
    printSettings();
  } else if (command == "build") {
    os << buildText << compileOptionsText << buildExamples;
  } else if (command == "check") {
    os << checkText << compileOptionsText << checkExamples;
  } else if (command == "graph") {
    os << graphText << compileOptionsText << graphExamples;
  } else if (command == "tune") {
    os << tuneText;
  } else if (command == "pack") {
    os << packText << packExamples << packSettings;
  } else if (command == "devices") {
    os << devicesText;
  } else {
    return false;
  }
  return true;
}
