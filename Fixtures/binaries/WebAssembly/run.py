"""Runs a module under Wasmtime, and prints the trap alone."""
import sys
from wasmtime import Func, FuncType, Instance, Module, Store, Trap, ValType, WasmtimeError

store = Store()
module = Module.from_file(store.engine, sys.argv[1])
pull = Func(store, FuncType([ValType.i32()], [ValType.i32()]), lambda cranes: instance.exports(store)["answer"](store, cranes))
instance = Instance(store, module, [pull])
try:
    instance.exports(store)["lift"](store, 1)
except (Trap, WasmtimeError) as error:
    print("Error: " + str(error))
