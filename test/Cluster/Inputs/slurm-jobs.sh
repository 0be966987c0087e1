#!/bin/bash
#SBATCH --ntasks=2
# slurm-jobs.sh SLUICE INPUTS FOLDER: what slurm.test runs as a job of sbatch, of
# two tasks. It says what came of it in FOLDER/all.
set -u
sluice=$1 inputs=$2
cd "$3" || exit 1
export SLUICE_WORKERS=1
exec > part 2>&1

compare() { # NAME EXPECTED COMMAND...
  local name=$1 expected=$2
  shift 2
  if "$@" 2> errors | diff - "$expected"; then
    echo "$name: the same"
  else
    cat errors
  fi
}
steps=(srun --quiet --overlap --kill-on-bad-exit=1)
for mpi in pmix pmi2; do
  compare "$mpi line" line.expected "${steps[@]}" --mpi=$mpi ./line
  compare "$mpi dot" dot.expected "${steps[@]}" --mpi=$mpi ./dot 10000
  compare "$mpi tasks" tasks.expected "${steps[@]}" --mpi=$mpi ./tasks
done
compare "sluice run" line.expected \
  "$sluice" run --ranks=2 "$inputs/line.mlir" "$inputs/line.c"
for how in 1 2; do
  "${steps[@]}" --mpi=pmix ./line --how=$how > ended 2>&1
  echo "how $how: status $?, $(grep -ao 'rank 1 on .*' ended)"
done
"${steps[@]}" --mpi=none ./line > none 2>&1
echo "none: $(grep -a sluice: none | sort -u)"
mv part all
