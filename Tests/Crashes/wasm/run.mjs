// Runs a program of WASI under V8; the error that ends it is the log.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2) });
Error.stackTraceLimit = 100;
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject());
wasi.start(instance);
