import assert from 'node:assert';
import test from 'node:test';

test('a cart adds up', () => assert.strictEqual(1 + 1, 2));

test('a total is right', () => {
  assert.strictEqual(4, 5); // fails: a total is right
});

test('a cart is empty', () => {
  assert.ok([1].length === 0, 'one is left'); // fails: a cart is empty
});

test('an error is thrown', () => {
  throw new RangeError('no such item'); // fails: an error is thrown
});

test('a promise is rejected', async () => {
  await null;
  throw new Error('rejected'); // fails: a promise is rejected
});

test('two lists agree', () => {
  assert.deepStrictEqual([1, 2], [1, 3]); // fails: two lists agree
});

test('a part fails', async (t) => {
  await t.test('with a weight', () => {
    assert.match('four', /five/); // fails: with a weight
  });
});

test('a value is missing', () => {
  const cart = undefined;
  return cart.total; // fails: a value is missing
});
