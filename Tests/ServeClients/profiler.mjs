// Runs the Firefox Profiler's client against a server: node profiler.mjs CLIENT PORT < requests; what it made of the responses goes to standard output.
import { readFileSync } from 'node:fs';
const [client, port] = process.argv.slice(2);
const { requestSymbols } = await import(client);
const requests = JSON.parse(readFileSync(0)).map(({ debugName, breakpadId, addresses }) => ({
  lib: { debugName, breakpadId },
  addresses: new Set(addresses),
}));
// As its fetch does: a string is sent, whose type is text/plain.
const query = async (path, json) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { body: json, method: 'POST', mode: 'cors', headers: { Origin: 'https://profiler.firefox.com' } });
  if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
  return response.json();
};
const responses = await requestSymbols('symbol server', requests, query);
console.log(JSON.stringify(responses.map((r) => (r.type === 'SUCCESS' ? { ...r, results: [...r.results] } : { type: r.type, error: String(r.error) }))));
