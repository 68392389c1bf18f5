import { connect, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { payoutTo, RunningProvider } from '../running-provider.spec-support.js';
import { until } from '../until.spec-support.js';

/** Above the provider's limit. */
const CALLERS = 1_050;

describe('a submit that is not answered', () => {
  let simulator: RunningProvider;
  let sockets: Socket[];
  beforeEach(async () => {
    simulator = await RunningProvider.start();
    sockets = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await simulator.remove();
  });

  function submitAndWait(id: string): Socket {
    const { hostname, port } = new URL(simulator.baseUrl);
    const body = JSON.stringify(payoutTo(id, '0110120002'));
    const head = [
      'POST /v1/payouts HTTP/1.1',
      'host: rail',
      ...Object.entries(simulator.headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${body.length}`,
    ];
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  const taken = (count: number) =>
    until(`${count} are taken`, 20_000, async () => {
      const { entries, more } = (await simulator.call('GET', `/v1/book?after=${Math.max(0, count - 1_000)}`)).body as {
        entries: unknown[];
        more: boolean;
      };
      return !more && entries.length + Math.max(0, count - 1_000) >= count ? entries : null;
    });

  it('is still accepted and can be queried; a repeat is answered at once', async () => {
    let heard = '';
    submitAndWait('a-1').on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await taken(1);
    expect(await simulator.record('a-1')).toMatchObject({ status: 'PROCESSING' });
    expect((await simulator.submit('a-1', '0110120002')).body).toMatchObject({ status: 'DUPLICATE' });
    expect(heard).toBe('');
  });

  it('does not delay other answers, in any number, or the stop', async () => {
    for (let i = 0; i < CALLERS; i += 1) submitAndWait(`w-${i}`);
    await taken(CALLERS);
    expect((await simulator.submit('quick', '0110121234')).status).toBe(202);
    const stopping = performance.now();
    await simulator.stop();
    expect(performance.now() - stopping).toBeLessThan(3_000);
    await until('every connection has ended', 5_000, async () =>
      sockets.every((socket) => socket.closed) ? true : null,
    );
    await simulator.restart();
    expect(await simulator.record(`w-${CALLERS - 1}`)).toMatchObject({ status: 'PROCESSING' });
  }, 60_000);

  it('forgets callers that have gone', async () => {
    for (let i = 0; i < 50; i += 1) submitAndWait(`g-${i}`);
    await taken(50);
    for (const socket of sockets) socket.destroy();
    simulator.nowMs += 4_000;
    expect(await simulator.record('g-49')).toMatchObject({ status: 'PAID' });
  });
});
