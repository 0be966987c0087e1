# regent.sh SLUICE FOLDER RANKS,... NAMES...: runs programs on numbers of ranks;
# what they compute is not wrong anywhere.
set -euo pipefail
sluice=$1 folder=$2 numbers=$3
shift 3
for name in "$@"; do
  for ranks in ${numbers//,/ }; do
    found=$(timeout 120 "$sluice" run --ranks=$ranks "$folder/$name.mlir" \
      "$folder/$name.cpp")
    if ! grep -q " 0 wrong$" <<< "$found"; then
      echo "$name on $ranks ranks: $found"
      exit 1
    fi
  done
done
