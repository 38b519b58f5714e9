// The ten functions of the library `valibot` that the Firefox Profiler's symbolication client calls: a schema is a function that returns the value, or throws.
const of = (type) => () => (value) => {
  if (typeof value !== type) throw new Error(`expected a ${type}, not ${JSON.stringify(value)}`);
  return value;
};
export const string = of('string');
export const number = of('number');
export const boolean = of('boolean');
export const nullable = (schema) => (value) => (value === null ? null : schema(value));
export const optional = (schema) => (value) => (value === undefined ? undefined : schema(value));
export const array = (schema) => (value) => {
  if (!Array.isArray(value)) throw new Error(`expected a list, not ${JSON.stringify(value)}`);
  return value.map(schema);
};
const entries = (value) => {
  if (typeof value !== 'object' || value === null) throw new Error(`expected an object, not ${JSON.stringify(value)}`);
  return Object.entries(value);
};
export const record = (key, schema) => (value) => Object.fromEntries(entries(value).map(([name, item]) => [key(name), schema(item)]));
export const object = (schemas) => (value) => {
  entries(value);
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schema(value[name])]));
};
export const parse = (schema, value) => schema(value);
