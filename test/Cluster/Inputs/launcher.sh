#!/bin/sh
# A launcher that is killed.
case "$1" in
--version) echo "mpirun (Open MPI) 4.1.4" ;;
*) kill -9 $$ ;;
esac
