#!/bin/bash
# A Go program with C in it and beside it; its logs as it prints them itself, and what llvm-symbolizer says of the C frames.
. "$(dirname "$0")/../../tools/environment.sh"

printf 'module tank\n\ngo 1.18\n' >go.mod
mkdir library && mv spill.c library
export CGO_ENABLED=1 GOOS=linux GOARCH=amd64 GOFLAGS=-mod=mod GOTOOLCHAIN=local GOCACHE=$SCRATCH/.cache GOPATH=$SCRATCH/.path
gcc -g -O1 -fno-omit-frame-pointer -fPIC -shared "-ffile-prefix-map=$SCRATCH=/src" -Wl,--build-id=sha1 library/spill.c -o libspill.so
go build -trimpath -buildvcs=false -ldflags "-extldflags=-Wl,--build-id=sha1" -o tank .

# What is shipped is stripped; what was taken away lies in files of its own.
for name in tank libspill.so; do
    objcopy --only-keep-debug --compress-debug-sections=zlib $name "$OUT/$name.debug"
    strip -o "$name.stripped" $name
done
folder=/srv/cairn-fixtures
rm -rf $folder && mkdir -p $folder
cp tank.stripped $folder/tank
cp libspill.so.stripped $folder/libspill.so
logs=$LOGS_DIR/go-panic/GoCrash
rm -rf "$logs" && mkdir -p "$logs"
for way in nil goroutine cgo traced library; do
    for level in single crash; do
        # `single` prints every goroutine where the runtime itself gave up.
        [ $level = crash ] && [ $way = goroutine ] && continue
        (cd $folder && ulimit -c 0 && env -i GOTRACEBACK=$level GOMAXPROCS=1 setarch -R ./tank $way >"$logs/$way-$level.txt" 2>&1 || true) 2>/dev/null
    done
done
rm -rf $folder
python3 expect_crash.py "$OUT/tank.debug" "$TOOLS_DIR" "$logs"/*.txt >"$OUT/tank.c-frames.tsv"
record_versions gcc objcopy "$LLVM_SYMBOLIZER"
echo "- \`go\`: $(go version)" >>"$CASE_DIR/README.md"
