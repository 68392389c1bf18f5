import { describe, expect, it } from '@jest/globals';

import { answerWithin } from './answer-within.js';

describe('answerWithin', () => {
  it('returns the result of the work, and throws its errors', async () => {
    expect(await answerWithin(60_000, Promise.resolve(1), 'late')).toBe(1);
    await expect(answerWithin(60_000, Promise.reject(new TypeError('ours')), 'late')).rejects.toThrow(TypeError);
  });

  it('does not wait for endless work', async () => {
    expect(await answerWithin(1, new Promise<number>(() => undefined), 'late')).toBe('late');
  });
});
