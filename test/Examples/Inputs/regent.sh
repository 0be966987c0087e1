# regent.sh SLUICE FOLDER OUTPUT PAGE: checks and builds each program of the folder,
# and compares what it prints on several numbers of workers. The page states how many
# lines the module has, without comments and empty lines.
set -euo pipefail
for module in "$2"/*.mlir; do
  name=$(basename "$module" .mlir)
  lines=$(sed 's,//.*,,' "$module" | grep -c '[^ ]')
  grep -q "^| \[$name.mlir\](.*) | $lines |" "$4" || {
    echo "$name.mlir has $lines lines"
    exit 1
  }
  "$1" check "$module" | grep -q '^proven free of races and serializable'
  "$1" build "$module" "$2/$name.cpp" -o "$3/$name"
  SLUICE_WORKERS=1 "$3/$name" | tee "$3/$name.txt"
  for workers in 2 5; do
    SLUICE_WORKERS=$workers "$3/$name" | diff "$3/$name.txt" -
  done
done
echo "all proven, and the same on 1, 2 and 5 workers"
