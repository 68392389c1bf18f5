import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ProfileId, PROFILES } from './book/provider-profile.js';
import { payoutTo, RunningProvider } from './running-provider.spec-support.js';
import { until } from './until.spec-support.js';

const RECIPIENTS = {
  bank: (number: string) => ({ account_number: `011012${number}`, bank_code: '01' }),
  mobile: (number: string) => ({ kind: 'mobile', shortcode: `077234${number}`, mobile_network: 'MTN' }),
  // A paybill's name is the business's, whatever the account.
  paybill: (number: string) => ({ kind: 'paybill', shortcode: `24${number}`, account_number: 'INV 0000' }),
  till: (number: string) => ({ kind: 'till', shortcode: `512${number}` }),
};
/** Above the provider's limit. */
const CALLERS = 1_050;

let simulator: RunningProvider;
afterEach(() => simulator.remove());
const lookUp = (recipient: object, currency = 'KES') => simulator.call('POST', '/v1/lookups', { currency, recipient });

describe.each(Object.keys(PROFILES) as ProfileId[])('a name at %s', (profile) => {
  beforeEach(async () => {
    simulator = await RunningProvider.start({ profile });
  });

  it.each(Object.entries(RECIPIENTS))(
    'of a %s is told, does not exist or cannot be told, by its number',
    async (_kind, to) => {
      expect(await lookUp(to('7890'))).toEqual({ status: 200, body: { status: 'FOUND', name: 'TEST 7890' } });
      expect(await lookUp(to('0000'))).toEqual({ status: 200, body: { status: 'NOT_FOUND' } });
      expect(await lookUp(to('0006'))).toEqual({ status: 200, body: { status: 'NAME_UNAVAILABLE' } });
      expect(await lookUp(to('0001'))).toEqual({ status: 200, body: { status: 'FOUND', name: 'TEST 0001' } });
    },
  );

  it.each(['UGX', 'NGN', 'GHS', 'MWK', 'CDF', 'ETB', 'USD'])('is told in %s, too', async (currency) => {
    expect((await lookUp(RECIPIENTS.mobile('7890'), currency)).body).toEqual({ status: 'FOUND', name: 'TEST 7890' });
  });

  it('is refused by the field that is wrong', async () => {
    expect(await lookUp({ kind: 'paybill', account_number: '1' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringMatching(/^shortcode /) },
    });
    expect(
      await simulator.call('POST', '/v1/lookups', {
        currency: 'KES',
        recipient: RECIPIENTS.till('7890'),
        more: 'a'.repeat(20_000),
      }),
    ).toMatchObject({ status: 400 });
  });

  it('leaves nothing behind', async () => {
    for (const to of Object.values(RECIPIENTS)) await lookUp(to('7890'));
    await simulator.stop();
    const files = await readdir(simulator.folder);
    expect(
      (await Promise.all(files.map((file) => readFile(join(simulator.folder, file), 'utf8')))).join(''),
    ).not.toMatch(/7890/);
    await simulator.begin();
    expect(await simulator.book()).toEqual([]);
  });
});

describe('a name that is not told in time', () => {
  let sockets: Socket[];
  beforeEach(async () => {
    simulator = await RunningProvider.start();
    sockets = [];
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  function ask(): Socket {
    const { hostname, port } = new URL(simulator.baseUrl);
    const body = JSON.stringify({ currency: 'KES', recipient: RECIPIENTS.mobile('0011') });
    const head = [
      'POST /v1/lookups HTTP/1.1',
      'host: rail',
      ...Object.entries(simulator.headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${body.length}`,
    ];
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  it('keeps nobody from being answered or paid, and does not hold up the end', async () => {
    let heard = '';
    for (let i = 0; i < CALLERS; i += 1) ask().on('data', (chunk: Buffer) => (heard += chunk.toString()));
    // Those above the limit are cut off, so the rest are held.
    await until('the room is full', 20_000, async () =>
      sockets.filter((socket) => socket.closed).length === CALLERS - 1_000 ? true : null,
    );
    expect((await lookUp(RECIPIENTS.mobile('7890'))).body).toEqual({ status: 'FOUND', name: 'TEST 7890' });
    expect((await simulator.submit('quick', '0110121234')).status).toBe(202);
    // Payouts have their own room: this one is held, not cut off.
    let isCutOff = false;
    const withheld = fetch(`${simulator.baseUrl}/v1/payouts`, {
      method: 'POST',
      headers: simulator.headers,
      body: JSON.stringify(payoutTo('slow', '0110120002')),
    }).catch(() => (isCutOff = true));
    await until('the submit is taken', 5_000, async () =>
      (await simulator.book()).some(({ id }) => id === 'slow') ? true : null,
    );
    for (let i = 0; i < 3; i += 1) await simulator.record('slow');
    expect([heard, isCutOff]).toEqual(['', false]);
    await simulator.stop();
    await withheld;
    expect(isCutOff).toBe(true);
    await until('every connection has ended', 5_000, async () =>
      sockets.every((socket) => socket.closed) ? true : null,
    );
    await simulator.begin();
  }, 60_000);

  it('is paid to like all else', async () => {
    expect((await simulator.submit('a-1', '0110120011')).status).toBe(202);
    simulator.nowMs += 1_000;
    expect(await simulator.record('a-1')).toMatchObject({ status: 'PAID', name: 'TEST 0011' });
  });
});
