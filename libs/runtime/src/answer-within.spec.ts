import { describe, expect, it } from '@jest/globals';

import { answerWithin } from './answer-within.js';

describe('answerWithin', () => {
  it('answers what the work comes to, and throws what it throws', async () => {
    expect(await answerWithin(60_000, Promise.resolve(1), 'late')).toBe(1);
    await expect(answerWithin(60_000, Promise.reject(new TypeError('ours')), 'late')).rejects.toThrow(TypeError);
  });

  it('waits no longer for work that has no end', async () => {
    expect(await answerWithin(1, new Promise<number>(() => undefined), 'late')).toBe('late');
  });
});
