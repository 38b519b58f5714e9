import assert from 'node:assert';

assert.ok([1].length === 0, 'one is left'); // fails: script.mjs
