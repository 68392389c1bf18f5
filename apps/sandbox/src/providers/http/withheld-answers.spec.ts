import { Socket } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { WithheldAnswers } from './withheld-answers.js';

describe('WithheldAnswers', () => {
  it('lets an answer go when its time has come', async () => {
    const socket = new Socket();
    expect(await new WithheldAnswers(1).hold(socket)).toBe(true);
    expect(socket.listenerCount('close')).toBe(0);
  });

  it('gives an answer up with its caller', async () => {
    const socket = new Socket();
    const held = new WithheldAnswers(60_000).hold(socket);
    socket.destroy();
    expect(await held).toBe(false);
  });

  it('gives all up at the end, and those that come after it', async () => {
    const answers = new WithheldAnswers(60_000);
    const held = [answers.hold(new Socket()), answers.hold(new Socket())];
    answers.end();
    expect(await Promise.all([...held, answers.hold(new Socket())])).toEqual([false, false, false]);
  });

  it('holds a thousand back, and no more', async () => {
    const answers = new WithheldAnswers(60_000);
    const held = Array.from({ length: 1_000 }, () => answers.hold(new Socket()));
    expect(await answers.hold(new Socket())).toBe(false);
    answers.end();
    await Promise.all(held);
  });
});
