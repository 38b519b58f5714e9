#!/bin/bash
# What a Python program prints when it fails, and what faulthandler does.
. "$(dirname "$0")/../../tools/environment.sh"

folder=/srv/cairn-fixtures
rm -rf $folder && mkdir -p $folder
cp tank.py $folder
for way in chain fault; do
    logs=$LOGS_DIR/python-trace/PythonCrash-$way
    rm -rf "$logs" && mkdir -p "$logs"
    (cd $folder && ulimit -c 0 && env -i setarch -R "$(command -v "${CAIRN_PYTHON:-python3}")" -B tank.py $way >"$logs/trace.txt" 2>&1 || true) 2>/dev/null
done
rm -rf $folder
rmdir "$OUT"
record_versions "${CAIRN_PYTHON:-python3}"
