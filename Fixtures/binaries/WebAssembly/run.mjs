// Runs a module under V8; the error that ends it is the log.
import { readFileSync } from 'node:fs';
let crane;
const env = { pull: (cranes) => crane.exports.answer(cranes) };
crane = (await WebAssembly.instantiate(readFileSync(process.argv[2]), { env })).instance;
crane.exports.lift(1);
