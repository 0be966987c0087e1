# same_graph.sh SLUICE openmpi|mpich RANKS,... PROGRAM FILES... -- ARGUMENTS...
#     [-- ARGUMENTS...]...
# builds a program, runs it alone and on several numbers of ranks, and compares
# what it prints and returns; so with each of the arguments. Then prints the
# remarks of the last run.
set -u
sluice=$1 mpi=$2 numbers=$3 program=$4
shift 4
launcher="mpirun.$mpi"
if [ "$mpi" = openmpi ]; then
  launcher+=" --allow-run-as-root --oversubscribe --bind-to none"
fi
files=()
while [ "$1" != -- ]; do
  files+=("$1")
  shift
done
shift
"$sluice" build "${files[@]}" -o "$program" || exit 1
compare() {
  local expected found ranks
  expected=$(SLUICE_CLUSTER=off "$program" "$@"; echo "status $?")
  for ranks in ${numbers//,/ }; do
    found=$(timeout 600 $launcher -n "$ranks" "$program" "$@" 2> "$program.err"
      echo "status $?")
    if [ "$found" != "$expected" ]; then
      echo "on $ranks ranks: $found"
      echo "instead of: $expected"
      cat "$program.err"
      exit 1
    fi
  done
  grep -a "^sluice: remark" "$program.err" | sort -u
  echo "the same on $numbers ranks: $expected"
}
group=()
for argument in "$@" --; do
  if [ "$argument" = -- ]; then
    compare "${group[@]}"
    group=()
  else
    group+=("$argument")
  fi
done
