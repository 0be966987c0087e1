# same.sh SLUICE RANKS,... EXAMPLE FOLDER ARGUMENTS...: runs an example on one
# machine and on several numbers of ranks, and compares what it prints.
set -eu
sluice=$1 numbers=$2 example=$3 files=$4/$3/$3
shift 4
expected=$("$sluice" run "$files.mlir" "$files.cpp" -- "$@")
case $expected in
*": ok"*) ;;
*) echo "$example on one machine: $expected"; exit 1 ;;
esac
for ranks in ${numbers//,/ }; do
  found=$(timeout 600 "$sluice" run --ranks=$ranks "$files.mlir" "$files.cpp" \
    -- "$@")
  if [ "$found" != "$expected" ]; then
    echo "$example on $ranks ranks: $found"
    echo "instead of: $expected"
    exit 1
  fi
done
