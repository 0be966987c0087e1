//===- Options.td - The command line of sluice ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every command and every option is defined once: this table serves both to
// parse command lines and to print help. An option is visible in the commands
// that accept it. The text of a command is the help text of the group with its
// name.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_OPTIONS_TD
#define SLUICE_DRIVER_OPTIONS_TD

include "llvm/Option/OptParser.td"

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

class Command<string name, string help, string usage>
    : SubCommand<name, help, usage>, OptionVisibility;

def run : Command<"run", "compile (cached) and run a program",
                  "[OPTIONS] FILE... [-- ARGUMENTS]">;
def build : Command<"build", "compile a program to an executable",
                    "[OPTIONS] FILE... -o PROGRAM">;
def cc : Command<"cc", "compile and link C as clang and gcc do",
                 "[WORDS OF CLANG OR GCC]">;
def cxx : Command<"c++", "compile and link C++ as clang++ and g++ do",
                  "[WORDS OF CLANG OR GCC]">;
def check : Command<"check",
                    "verify a program, and say all that is wrong with it",
                    "[OPTIONS] FILE...">;
def graph : Command<"graph", "draw the graphs of a program",
                    "[OPTIONS] FILE... [-o PICTURE]">;
def tune : Command<"tune",
                   "find the fastest parameters of a program's Halide tasks",
                   "[OPTIONS] PROGRAM [PARAMETER=VALUE,VALUE...] "
                   "[-- ARGUMENTS]">;
def pack : Command<"pack", "show what Pack makes of a data layout",
                   "[OPTIONS] LAYOUT...">;
def devices : Command<"devices", "list what programs can run on here",
                      "[--history [--program NAME] [--clear]]">;
def cache : Command<"cache", "show and remove what was compiled and is kept",
                    "[--list | --clear | --limit=SIZE] [KIND...]">;
def lsp : Command<"lsp", "serve an editor by the language server protocol",
                  "[--compile-commands-dir=DIR] [--log]">;
def init : Command<"init", "write the files of a new project",
                   "[--hpvm | --hetero | --regions | --tasks | --pack] "
                   "DIR">;
def trace : Command<"trace", "say where the time of a run went",
                    "[OPTIONS] TRACE.json [-o PICTURE.svg]">;
def debug : Command<"debug", "step through a recorded run, or compare two",
                    "[OPTIONS] DIR [DIR] [-o PAGE.html]">;

def completion : Command<"completion",
                         "print what completes command lines in a shell",
                         "bash|zsh|fish">;

/// The flags for sources of kernels in task graphs; not a command.
def kernels : OptionVisibility;

class Text<string command, string text> : OptionGroup<command> {
  string HelpText = text;
}

def : Text<"sluice", [{
Files
  .c .cc .cpp .cxx   sources with HPVM calls (#include "hpvm.h")
  .ll .bc            LLVM IR with llvm.hpvm.* intrinsics
  .mlir              graphs in the dfg dialect, a task graph in it with the
                     sources of its kernels, or a program over regions in the
                     rdir dialect with the sources of its tasks
  .o .a .so          linked

'sluice COMMAND --help' shows the options of a command and examples.
Exit status: 0 fine, 1 the program has problems, 2 wrong usage.
}]>;

def : Text<"run", [{
Compiles the program into the cache and runs it. A program whose files did not
change starts from the cache at once. The program's exit status is that of
'sluice run'. A program over regions (X.mlir in the rdir dialect) takes its
parameters behind --; its tasks' sources include "X.rdir.h". A task graph takes
the sources of its C kernels as further files.

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
}]>;

def : Text<"build", [{
Compiles a program ahead of time. The executable needs no LLVM and no compiler.
The default CPU is x86-64-v2. With --emit=LANGUAGE, a module of regions becomes
source code.

Examples
  sluice build program.c -o program && ./program
  sluice build -march=native -DSIZE=512 host.cpp graph.cpp -o app
  sluice build program.c --print=plan
  sluice build program.c --hint=gpu --print=ptx
  sluice build matrix.mlir kernels.c -o matrix
  sluice build cg.mlir --emit=legion -o cg.legion.cpp
}]>;

def : Text<"cc", [{
Takes the place of a C compiler in builds of programs: it takes clang's words,
and makes ordinary objects, libraries and programs. Parallel loops in OpenMP (with
-fopenmp), and graphs in HPVM-C and Hetero-C++, become what 'sluice build' makes
of them. Everything else is clang's. Objects of gcc and clang can be linked with
them in any order. 'sluice-cc' is the same under one name, for CMake.

Examples
  sluice cc -O2 -fopenmp -c solver.c && sluice cc -fopenmp solver.o main.o -o app
  CC='sluice cc' CFLAGS='-O2 -fopenmp' ./configure && make
  cmake -DCMAKE_C_COMPILER=sluice-cc -DCMAKE_CXX_COMPILER=sluice-c++ -B build
}]>;

def : Text<"c++", [{
The same as 'sluice cc' for C++: it takes the words of clang++ and g++, and links
the C++ library. 'sluice-c++' is the same under one name, for CMake.

Examples
  sluice c++ -O2 -fopenmp -std=c++20 program.cpp -o program
  make CXX='sluice c++'
}]>;

def : Text<"check", [{
Verifies a program against the rules of the language (docs/hpvm-rules.md) and
prints everything that is wrong, each problem with its place and the rule.
Exit status 1 if there is a problem. A module of the rdir dialect (.mlir,
.mlirbc) is checked against docs/rdir-rules.md.

Examples
  sluice check program.c
  sluice check --legacy old.ll
  sluice check --order circuit.mlir
}]>;

def : Text<"graph", [{
Draws the graphs of a program. The ending of the output decides the form: .svg,
.png and .pdf are pictures, .html is a page to move, zoom and search in, with the
source of each node; these need Graphviz, and .dot is its language. Without -o,
.dot is printed. Races of a program, and what is wrong with a module of regions,
are drawn in red. With --trace, nodes have the times of a run, and a page its
timeline.

Examples
  sluice graph program.c -o program.svg
  sluice graph program.c --root=pipeline -o pipeline.dot
  sluice graph circuit.mlir -o circuit.html
  SLUICE_TRACE=t.json sluice run program.c &&
    sluice graph program.c --transformed --trace=t.json -o times.html
}]>;

def : Text<"tune", [{
Runs a task graph, times every variant of each of its Halide tasks on the data
that it meets, compares what they compute, and writes the parameters of the
fastest one that agrees with the first. PROGRAM is a meta-program, an executable
made with --variants, or a .mlir file that was dumped with --variants. Of a
meta-program, PARAMETER=VALUE,... tries these values of a parameter, in all
combinations (64 per task at most). Numbers agree if they differ by at most
atol + rtol times the first variant's; integers must be equal.

Of any other program, an executable or its sources, it looks for the fastest way
to run the nodes of its graphs strip by strip, in some twenty runs. The program
takes it from the file that SLUICE_TUNED names; results are the same.

Examples
  sluice tune ./blur
  sluice tune ./blur tile=8,16,32 threads=1,2 -o blur.ini
  sluice tune graph.mlir -o tuned.ini
  sluice tune ./sweeps -o sweeps.ini -- 1000 && SLUICE_TUNED=sweeps.ini ./sweeps
}]>;

def : Text<"pack", [{
Shows what Pack makes of data layouts: size, bounds, normal form and the kernel
that is ready when the layout is committed. A layout is written as for
ddtplayer; ranges stand for several layouts. @FILE reads layouts from a file.

Layouts
  ctg(COUNT)[LAYOUT]               vec(COUNT LENGTH STRIDE)[LAYOUT]
  hvec(COUNT LENGTH BYTES)[LAYOUT] resized(LOWER, EXTENT)[LAYOUT]
  idx(PLACE,LENGTH ...)[LAYOUT]    idxb(LENGTH: PLACE ...)[LAYOUT]
  hidx(BYTE,LENGTH ...)[LAYOUT]    hidxb(LENGTH: BYTE ...)[LAYOUT]
  struct(BYTE,LENGTH[LAYOUT] ...)  subarray, darray, dup, and the basic types of
  MPI, such as int, double and byte: docs/pack.md

Examples
  sluice pack 'vec(2 3 5)[int]'
  sluice pack 'vec(34:10:64 1 34)[double]' --json
  sluice pack 'vec(64 1 34)[double]' --ir
  sluice pack @halo.ddt --draw=halo.svg
}]>;

def : Text<"devices", [{
Lists the devices that programs can run on here, with their memory; with --ranks
the processes of a job, their machines, and the links between them.

With --history, shows how long nodes with the hint CPU_OR_GPU_TARGET took at
each place, transfers included, and which place is chosen for them by that. The
size of a node is the number of its instances and the bytes of its graph's
arguments together; 1 Ki stands for 1024 to 2047.

Examples
  sluice devices
  sluice devices --ranks=4 --hostfile=hosts
  sluice devices --history
  sluice devices --history --program camera.c --clear
}]>;

def : Text<"cache", [{
Shows how much lies in the cache: SLUICE_CACHE_DIR, else $XDG_CACHE_HOME/sluice,
else ~/.cache/sluice. The kinds are programs, variants, kernels, halide,
generators, forms, python, pack and times; without one, all are meant. Entries
that are removed are made again when they are needed.

Examples
  sluice cache
  sluice cache --list programs
  sluice cache --clear halide forms
  sluice cache --limit=500M
}]>;

def : Text<"lsp", [{
Editors start it and speak to it on standard input and output. It shows what
'sluice check' would say while a program is typed, changes that put it right,
what a node, a partition or a layout is, and where it is defined: in C and C++
with HPVM or Hetero-C++, modules of the dfg and rdir dialects (.mlir), and
layouts (.ddt). For C and C++ it stands beside clangd, and says nothing that
clangd says. Flags are those of compile_commands.json or compile_flags.txt.

Examples
  sluice lsp                        (docs/editors.md has the lines for VS Code,
                                    Neovim, Emacs and others)
  sluice lsp --compile-commands-dir=build
}]>;

def : Text<"init", [{
Writes a project into the folder DIR: a program that runs and checks itself,
CMake for building, testing and installing it, the flags for clangd, how Visual
Studio Code starts a debugger, and what a CI runs. The program is called like
the folder. Files that are there stay as they are: if one is in the way, nothing
is written.

Examples
  sluice init heat && cd heat && sluice run heat.cpp
  sluice init --regions rod
  sluice init --tasks . && cmake -B build && cmake --build build
}]>;

def : Text<"trace", [{
Reads the timeline that a program writes when SLUICE_TRACE names a file, and
prints how busy each worker and each device was, what they waited for in
between, the critical path, and the nodes that took most time. With -o, draws
the workers and devices over time.

Examples
  SLUICE_TRACE=t.json sluice run program.c && sluice trace t.json
  sluice trace t.json -o t.svg
  sluice trace t.json --top=30 --steps
}]>;

def : Text<"debug", [{
Reads the record that a program makes when SLUICE_RECORD names a folder. Its
steps are the launches, and the nodes of each in the order in which they ran,
with all values and with the bytes that each changed. Commands that step through
them are read from standard input, where 'help' lists them. With -o, writes a
page that does the same in a browser. Two records are compared: the first step
that differs is named, and the exit status is 1.

Examples
  SLUICE_RECORD=r sluice run program.c && sluice debug r
  sluice debug r --who=Y+12
  sluice debug r --step=root/blur --who='Out[7] as f32'
  sluice debug r -o r.html
  sluice debug before after
}]>;

def : Text<"completion", [{
Prints a script that completes the commands and options of sluice when TAB is
pressed, and their values and files. Installed packages have it where the shells
look. It is made from the table of options, as 'sluice --help' and the manual
pages are.

Examples
  source <(sluice completion bash)                       (in ~/.bashrc)
  sluice completion zsh > ~/.zfunc/_sluice               (a folder of $fpath)
  sluice completion fish > ~/.config/fish/completions/sluice.fish
}]>;

//===----------------------------------------------------------------------===//
// Options of Sluice
//===----------------------------------------------------------------------===//

def options_Group : OptionGroup<"options">, HelpText<"Options">;
def compiling_Group : OptionGroup<"compiling">, HelpText<"Compiling">;

class In<list<OptionVisibility> commands> : Visibility<commands>;
/// An option without a value: --name.
class Switch<string name, string help>
    : Flag<["--", "-"], name>, HelpText<help>;
/// A word with a value: --name=VALUE, or the value in the next word.
multiclass Setting<string name, string metavar, string help> {
  def NAME : Joined<["--", "-"], name # "=">, MetaVarName<metavar>,
             HelpText<help>;
  def _apart : Separate<["--", "-"], name>, Alias<!cast<Option>(NAME)>;
}

class Own<list<OptionVisibility> commands>
    : In<commands>, Group<options_Group>;
class Compiling : In<[run, build, check, graph]>, Group<compiling_Group>;

defvar everywhere = [DefaultVis, run, build, cc, cxx, check, graph, tune, pack,
                     devices, cache, lsp, init, trace, debug, completion];
/// For commands with long operations that may report progress.
defvar working = [run, build, check, graph, tune];

def help : Switch<"help", "show this text">, Own<everywhere>;
def : Flag<["-"], "h">, Alias<help>, In<everywhere>;
def quiet : Switch<"quiet", "print errors only, and no progress">,
            Own<working>;
def : Flag<["-"], "q">, Alias<quiet>, In<working>;
def verbose : Switch<"verbose", "say on standard error what is done, and how "
                     "long each step takes">,
              Own<working>;
def : Flag<["-"], "v">, Alias<verbose>, In<!listconcat(working, [kernels])>;
defm color : Setting<"color", "auto|always|never",
                     "messages in colour (default auto: on a terminal, unless "
                     "NO_COLOR is set)">,
             Values<"auto,always,never">,
             Own<[run, build, check, graph, tune, pack, devices, cache, lsp,
                  init, trace, debug, completion]>;
defm diagnostics : Setting<"diagnostics", "text|json|sarif",
                          "messages as text (the default), or all of them as "
                          "one document of JSON, or of SARIF 2.1.0, on standard "
                          "error (docs/diagnostics.md)">,
                  Values<"text,json,sarif">, Own<[run, build, check, pack]>;
defm diagnostics_file
    : Setting<"diagnostics-file", "FILE",
              "where that document goes instead; of 'run', without what the "
              "program prints">,
      Own<[run, build, check, pack]>;
def version : Switch<"version", "show the versions of Sluice, of LLVM, of the "
                     "MPIs that are found, and of devices' drivers">,
              Own<[DefaultVis]>;

def o : JoinedOrSeparate<["-"], "o">, MetaVarName<" FILE">,
        HelpText<"the file to write">,
        HelpTextForVariants<[tune], "the file to write (default tuned.ini); "
                            "meta-programs read it with --tuned-params=FILE, "
                            "other programs with SLUICE_TUNED=FILE">,
        Own<[build, graph, tune, trace, debug]>;
defm root : Setting<"root", "NAME",
                   "the task graph to take, if a module has several">,
           HelpTextForVariants<[graph], "draw this root only">,
           Own<[run, build, check, graph]>;

defm ranks : Setting<"ranks", "N",
                    "run the program as N processes, under the launcher of the "
                    "MPI that is found (docs/cluster.md)">,
             HelpTextForVariants<[devices],
                                 "list N processes of the MPI that is found, "
                                 "and what messages between them take">,
             Own<[run, devices]>;
defm hostfile : Setting<"hostfile", "FILE",
                       "the machines for --ranks, in the form of the launcher "
                       "(default: this one)">,
                Own<[run, devices]>;
defm ranks_by : Setting<"ranks-by", "UNIT",
                       "deal ranks out to each 'machine', 'socket', 'numa' "
                       "node or 'core' in turn and bind them to it, or to "
                       "'none' (default: socket, where this machine has "
                       "several)">,
                Own<[run, devices]>;

/// For a process that MPI's launcher was asked to start alone.
def as_rank : Flag<["--"], "as-rank">, In<[devices]>, Flags<[HelpHidden]>;

def static_runtime
    : Switch<"static-runtime", "link Sluice's runtime into the executable "
             "instead of using its shared library">,
      Own<[build]>;
def shared
    : Switch<"shared", "make a shared object of a program over regions, for "
             "Python and other processes that run it in their memory; without "
             "-o in the cache, and its path is printed">,
      Own<[build]>;
def simulated
    : Switch<"simulated", "make what SMPI's 'smpirun' starts, to simulate a "
             "program over regions on many ranks (docs/cluster.md)">,
      Own<[build]>;
defm print
    : Setting<"print", "STAGE",
              "print a stage to standard output instead of building: graph (of "
              "a task graph: its tasks), canonical (LLVM IR with intrinsics), "
              "dfg (the graphs as written), rdir (what the race check "
              "believes: regions and privileges), transformed (the graphs that "
              "are compiled), plan (what is scheduled), device (which kernels "
              "devices get, or why not), spirv and ptx (their code), kernels "
              "(LLVM IR with loops over instances), llvm (optimised), asm">,
      Values<"graph,canonical,dfg,rdir,transformed,plan,device,spirv,ptx,"
             "kernels,llvm,asm">,
      Own<[build]>;
defm emit : Setting<"emit", "LANGUAGE",
                   "write a module of the rdir dialect as source code, to FILE "
                   "or standard output: header (what its tasks define), c++ "
                   "(for Sluice's runtime), legion (C++), starpu (C), "
                   "starpu-mpi (C, for several ranks)">,
           Values<"header,c++,legion,starpu,starpu-mpi">, Own<[build]>;
def legion_static_traces : Switch<"legion-static-traces",
                                  "hand proven dependences to Legion">,
                           Own<[build]>;
def legion_no_must_epochs : Switch<"legion-no-must-epochs",
                                   "issue the tasks of a must-epoch one by one">,
                            Own<[build]>;
def legion_no_independent_requirements
    : Switch<"legion-no-independent-requirements",
             "do not tell Legion which tasks' regions are provably "
             "apart">,
      Own<[build]>;

def require_proof
    : Switch<"require-proof",
             "end with status 2 unless everything is proven: also where "
             "something is unknown or assumed, or where there was nothing "
             "to check">,
      Own<[check]>;
def order : Switch<"order",
                   "of a module of regions, print the proven serial order of "
                   "the tasks, and how many steps they take when all that may "
                   "run at the same time does">,
            Own<[check]>;

defm around : Setting<"around", "NODE", "of a module of regions, draw what is "
                     "near this node only">,
             Own<[graph]>;
defm within : Setting<"within", "N",
                     "how many edges away \"near\" is (default 3)">,
             Own<[graph]>;
def versions
    : Switch<"versions", "of a module of regions, draw the versions of regions "
             "also in graphs that do not name them">,
      Own<[graph]>;
def transformed
    : Switch<"transformed",
             "draw the graphs that are compiled, in which nodes may be fused, "
             "removed or moved up, not those that are written">,
      Own<[graph]>;
def sizes : Switch<"sizes", "draw the ports that only carry the sizes of "
                   "pointers, too">,
            Own<[graph]>;

defm trace_of : Setting<"trace", "T.json", "colour nodes by the time they took "
                       "in a run with SLUICE_TRACE=T.json; pages have the "
                       "timeline, too">,
               Own<[graph]>;

def candidates : Switch<"candidates", "of a meta-program, try usual values of "
                        "all tunable parameters">,
                 Own<[tune]>;
defm rtol : Setting<"rtol", "X", "how far numbers may differ, relative to the "
                   "first (default 1e-5 for float, 1e-10 for double)">,
           Own<[tune]>;
defm atol : Setting<"atol", "X", "how far numbers may differ beyond that "
                   "(default 0)">,
           Own<[tune]>;

defm top : Setting<"top", "N", "how many nodes, and how many causes of waits, "
                  "are shown (default 10)">,
          Own<[trace]>;
def steps : Switch<"steps", "print each step of the critical path">,
            Own<[trace]>;

defm who : Setting<"who", "PLACE", "say who changed a byte of memory last: "
                  "NAME+OFFSET, or 'NAME[INDEX] as TYPE'">,
          Own<[debug]>;
defm step : Setting<"step", "STEP", "begin at a step: its number, the name of a "
                   "node, or 'last'">,
           Own<[debug]>;

defm file : Setting<"file", "FILE", "the same as @FILE; - is standard input">,
           Own<[pack]>;
def ir : Switch<"ir", "the LLVM IR that is compiled for the layout">,
         Own<[pack]>;
def asm : Switch<"asm", "the machine code it becomes on this machine">,
          Own<[pack]>;
defm draw : Setting<"draw", "FILE.svg", "draw the bytes of the layout">,
           Own<[pack]>;
def json : Switch<"json", "print an array of objects">, Own<[pack]>;

def history : Switch<"history", "show the times of earlier runs">,
              Own<[devices]>;
defm program : Setting<"program", "NAME", "only nodes of this program: the name "
                      "or the beginning of the hash that the table shows">,
              Own<[devices]>;
def clear : Switch<"clear", "forget the times instead of showing them">,
            HelpTextForVariants<[cache], "remove all entries of these kinds">,
            Own<[devices, cache]>;

def list_entries : Switch<"list", "show each entry, the one used last first">,
                   Own<[cache]>;
defm limit : Setting<"limit", "SIZE", "let all entries have so many bytes at "
                     "most from now on, as in 500M or 2G (default 2G); those "
                     "not used for longest go">,
             Own<[cache]>;

defm compile_commands_dir
    : Setting<"compile-commands-dir", "DIR",
              "the folder of compile_commands.json (default: it is looked for "
              "in the folders above each source)">,
      Own<[lsp]>;
def log : Switch<"log", "print what is received and sent on standard error">,
          Own<[lsp]>;

def init_hpvm : Switch<"hpvm", "a graph of nodes in HPVM-C (the default)">,
                Own<[init]>;
def init_hetero : Switch<"hetero", "marked loops and tasks in ordinary C++ "
                         "(Hetero-C++)">,
                  Own<[init]>;
def init_regions : Switch<"regions", "tasks over regions: a module of the "
                          "dialect rdir and C++ functions">,
                   Own<[init]>;
def init_tasks : Switch<"tasks", "a task graph: a C++ meta-program and kernels "
                        "in C">,
                 Own<[init]>;
def init_pack : Switch<"pack", "a C++ program that packs data with Pack">,
                Own<[init]>;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

def march : Joined<["-", "--"], "march=">, MetaVarName<"CPU">,
            HelpText<"generate code for this CPU (\"native\": this machine's)">,
            Compiling;
def : Separate<["-", "--"], "march">, Alias<march>, Compiling;
defm hpvm_version : Setting<"hpvm-version", "0.5|1.0",
                           "which version's numbers target hints have (default "
                           "1.0)">,
                   Values<"0.5,1.0">, Compiling;
def legacy : Switch<"legacy", ".ll files are in the form of LLVM 9 and older "
                    "(typed pointers, bare in/out attributes); needs "
                    "llvm-as-14">,
             Compiling;
def reference : Switch<"reference", "plain loops over instances, one after "
                       "another: slow, for comparing results">,
                Compiling;
defm math : Setting<"math", "inline|libm",
                   "what leaves call as expf, logf, powf, ...: functions that "
                   "become vector code and differ from libm's by a unit or two "
                   "in the last place (inline, the default), or libm's">,
           Values<"inline,libm">, Compiling;
def no_lanes : Switch<"no-lanes", "run instances with loops in them one after "
                      "another, not as lanes of vectors">,
               Compiling;
def no_panels : Switch<"no-panels", "copy nothing that many rows of instances "
                       "read">,
                Compiling;
def no_borders : Switch<"no-borders", "the same code for instances at the "
                        "borders of a grid and for those inside">,
                 Compiling;
def no_flatten : Switch<"no-flatten", "keep internal nodes">, Compiling;
def no_dead : Switch<"no-dead", "keep what nobody needs">, Compiling;
def no_fuse : Switch<"no-fuse", "fuse no chains of nodes">, Compiling;
def no_tile : Switch<"no-tile", "run each node as a whole, not by strips">,
              Compiling;
def no_pipeline : Switch<"no-pipeline", "run one-to-one edges node by node">,
                  Compiling;
def no_transforms : Switch<"no-transforms",
                           "leave the graph as it is written: all of these">,
                    Compiling;
defm hint : Setting<"hint", "cpu|gpu|either",
                   "compile as if every node had this hint: CPU_TARGET, "
                   "GPU_TARGET or CPU_OR_GPU_TARGET (docs/devices.md)">,
           Values<"cpu,gpu,either">, Compiling;
defm device_arch : Setting<"device-arch", "sm_NN",
                          "the least NVIDIA GPU that can run the PTX ('sluice "
                          "run': this machine's; else sm_75)">,
                  Compiling;
def checked : Switch<"check", "code that reports every access to memory, for "
                     "finding races and wrong accesses while the program runs: "
                     "slow; SLUICE_CHECK=1 makes 'sluice run' compile so">,
              Compiling;

// Passes over leaves, and LLVM's.
class Seeing : In<[run, build]>, Group<compiling_Group>;
defm print_after
    : Setting<"print-after", "PASS[,PASS...]|all",
              "print the code on standard error after these passes, such as "
              "sluice-jam-loops (docs/passes.md)">,
      Seeing;
defm print_before : Setting<"print-before", "PASS[,PASS...]|all",
                           "print it before them">,
                   Seeing;
def print_changed : Switch<"print-changed",
                           "print the code after each pass that changes it">,
                    Seeing;
defm node : Setting<"node", "NAME",
                   "with these, print code of this node only">,
           Seeing;
def time_passes : Switch<"time-passes",
                         "say how long each pass took, on standard error">,
                  Seeing;
def stats : Switch<"stats", "say how often each pass over leaves did what it "
                   "does">,
            Seeing;

include "sluice/Driver/CompilerFlags.td"

#endif // SLUICE_DRIVER_OPTIONS_TD
