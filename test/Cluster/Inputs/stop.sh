# stop.sh PROGRAM ARGUMENTS...: the program, of which rank 1 is stopped before it
# begins.
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && kill -STOP $$
exec "$@"
