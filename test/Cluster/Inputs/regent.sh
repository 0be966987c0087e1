# regent.sh SLUICE FOLDER OUTPUT NAMES...: builds programs and runs them on one to
# four ranks, which all print the same; what they compute is not wrong anywhere.
set -euo pipefail
sluice=$1 folder=$2 output=$3
shift 3
mkdir -p "$output"
for name in "$@"; do
  "$sluice" build "$folder/$name.mlir" "$folder/$name.cpp" -o "$output/$name"
  first=$(SLUICE_WORKERS=1 timeout 120 "$output/$name")
  for ranks in 1 2 3 4; do
    found=$first
    if ((ranks > 1)); then
      found=$(SLUICE_WORKERS=$((ranks == 3 ? 2 : 1)) timeout 120 \
        mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none \
        -n $ranks "$output/$name")
    fi
    if [[ $found != *" 0 wrong" || $found != "$first" ]]; then
      echo "$name on $ranks ranks: $found"
      exit 1
    fi
  done
done
