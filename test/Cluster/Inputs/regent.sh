# regent.sh SLUICE FOLDER RANKS,... NAMES...: runs programs on numbers of ranks,
# which all print the same; what they compute is not wrong anywhere.
set -euo pipefail
sluice=$1 folder=$2 numbers=$3
shift 3
for name in "$@"; do
  first=
  for ranks in ${numbers//,/ }; do
    found=$(timeout 120 "$sluice" run --ranks=$ranks "$folder/$name.mlir" \
      "$folder/$name.cpp")
    first=${first:-$found}
    if [[ $found != *" 0 wrong" || $found != "$first" ]]; then
      echo "$name on $ranks ranks: $found"
      exit 1
    fi
  done
done
