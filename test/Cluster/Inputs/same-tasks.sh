# same-tasks.sh PROGRAM EXPECTED WORKERS RANKS,... ARGUMENTS...: runs the
# executable of a task graph on several numbers of ranks, and compares what it
# prints with the file EXPECTED, and the file 'saved' with EXPECTED.saved.
set -eu
program=$1 expected=$2 workers=$3 numbers=$4
shift 4
if [ "${MPI:-openmpi}" = openmpi ]; then
  launcher="mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none"
else
  launcher=mpirun.$MPI
fi
export SLUICE_WORKERS=$workers
for ranks in ${numbers//,/ }; do
  rm -f saved
  found=$(timeout 600 $launcher -n $ranks "$program" "$@")
  if [ "$found" != "$(cat "$expected")" ]; then
    echo "$program on $ranks ranks: $found"
    echo "instead of: $(cat "$expected")"
    exit 1
  fi
  if [ -f "$expected.saved" ]; then
    cmp saved "$expected.saved"
  fi
done
