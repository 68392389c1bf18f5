import { randomBytes, randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import {
  ATTEMPT_TOKEN,
  attemptIdIn,
  attemptTokenOf,
  CALLBACK_TOKEN,
  callbackPathOf,
  isOneOf,
} from './callback-path.js';

const TOKEN = 'a1'.repeat(32);
const PREVIOUS = 'b2'.repeat(16);
const ATTEMPT = '5b0c3f7a-91d2-8e44-9a01-2f5a3b9c0d11';

describe('the path of a callback', () => {
  it('is hex behind the provider, which no filter of words refuses', () => {
    expect(callbackPathOf('pawapay', TOKEN)).toBe(`/callbacks/pawapay/${TOKEN}`);
    const [, , , token, attempt] = callbackPathOf('pawapay', TOKEN, ATTEMPT).split('/');
    expect(token).toMatch(CALLBACK_TOKEN);
    expect(attempt).toMatch(ATTEMPT_TOKEN);
  });

  it('names the attempt, by the current token and by the previous one', () => {
    for (const token of [TOKEN, PREVIOUS]) {
      for (const id of [ATTEMPT, randomUUID()]) {
        expect(attemptIdIn(attemptTokenOf(token, id), [TOKEN, PREVIOUS])).toBe(id);
        expect(attemptTokenOf(token, id.toUpperCase())).toBe(attemptTokenOf(token, id));
      }
    }
  });

  it('names none where any digit is another, or the token is nobody’s', () => {
    const good = attemptTokenOf(TOKEN, ATTEMPT);
    for (let place = 0; place < good.length; place += 1) {
      const other = good[place] === '0' ? '1' : '0';
      expect(attemptIdIn(good.slice(0, place) + other + good.slice(place + 1), [TOKEN])).toBeNull();
    }
    for (const bad of ['', good.slice(1), `${good}0`, good.toUpperCase(), attemptTokenOf(PREVIOUS, ATTEMPT)])
      expect(attemptIdIn(bad, [TOKEN])).toBeNull();
    expect([attemptIdIn(good, []), attemptIdIn(attemptTokenOf('', ATTEMPT), [TOKEN])]).toEqual([null, null]);
  });

  it('is right by a whole token alone', () => {
    expect([isOneOf(TOKEN, [TOKEN]), isOneOf(PREVIOUS, [TOKEN, PREVIOUS])]).toEqual([true, true]);
    for (const wrong of ['', TOKEN.slice(1), `${TOKEN}a1`, PREVIOUS, randomBytes(32).toString('hex')])
      expect(isOneOf(wrong, [TOKEN])).toBe(false);
    expect([isOneOf('', []), isOneOf('', ['']), isOneOf(TOKEN, [])]).toEqual([false, false, false]);
  });
});
