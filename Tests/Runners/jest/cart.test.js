test('a cart adds up', () => expect(1 + 1).toBe(2));

test('a total is right', () => {
  expect(4).toBe(5); // fails: a total is right
});

test('a cart is empty', () => {
  expect([1]).toHaveLength(0); // fails: a cart is empty
});

test('an error is thrown', () => {
  throw new RangeError('no such item'); // fails: an error is thrown
});

test('a promise is rejected', async () => {
  await expect(Promise.resolve(1)).resolves.toBe(2); // fails: a promise is rejected
});

describe('lists', () => {
  test('two lists agree', () => {
    expect([1, 2]).toEqual([1, 3]); // fails: lists › two lists agree
  });
});

test('a value is missing', () => {
  const cart = undefined;
  return cart.total; // fails: a value is missing
});

// Jest names the line of the test.
test('a test takes too long', () => new Promise(() => {}), 50); // fails: a test takes too long
