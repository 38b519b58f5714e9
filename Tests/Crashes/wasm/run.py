"""Runs a program of WASI under Wasmtime, and prints the trap alone."""
import sys
from wasmtime import Linker, Module, Store, Trap, WasiConfig, WasmtimeError

store = Store()
wasi = WasiConfig()
wasi.argv = sys.argv[1:]
wasi.inherit_stdout()
wasi.inherit_stderr()
store.set_wasi(wasi)
linker = Linker(store.engine)
linker.define_wasi()
instance = linker.instantiate(store, Module.from_file(store.engine, sys.argv[1]))
try:
    instance.exports(store)["_start"](store)
except (Trap, WasmtimeError) as error:
    print("Error: " + str(error))
