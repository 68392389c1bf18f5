import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { HttpRateSource } from './http-rate-source.js';

const GOOD = {
  at: '2026-11-21T10:00:00.000Z',
  rates: { KES: '129.35', UGX: '3560' },
  pegs: { USDC: '0.9998' },
  more: 'is ignored',
};

describe('rates by HTTP', () => {
  let server: Server;
  let source: HttpRateSource;
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    source = new HttpRateSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}/rates?key=s3cret`, 500);
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await source.close();
  });

  const json =
    (body: unknown, status = 200) =>
    (response: ServerResponse): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  it('are read as they are told', async () => {
    answer = json(GOOD);
    expect(await source.read()).toEqual({
      at: new Date(GOOD.at),
      mids: new Map(Object.entries(GOOD.rates)),
      pegs: new Map([['USDC', '0.9998']]),
    });
    answer = json({ ...GOOD, pegs: undefined });
    expect((await source.read()).pegs).toEqual(new Map());
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['another status', json(GOOD, 500), /answered 500/],
    [
      'a redirect',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      /answered 302/,
    ],
    ['no JSON', (response) => void response.end('<html>'), /something else/],
    ['a number for a rate', json({ ...GOOD, rates: { KES: 129.35 } }), /rates\.KES/],
    ['a rate with an exponent', json({ ...GOOD, rates: { KES: '1e3' } }), /rates\.KES/],
    ['no time', json({ ...GOOD, at: 'today' }), /something else: at/],
    ['too much', (response) => void response.end('x'.repeat(100_000)), /source of rates/],
    ['nothing', () => undefined, /does not answer/],
    [
      'half an answer',
      (response) => void response.writeHead(200, { 'content-length': '500' }).write('{"at"', () => response.destroy()),
      /broke off|does not answer/,
    ],
  ])('%s is refused, without the URL', async (_, behave, says) => {
    answer = behave;
    const failure = await source.read().then(
      () => 'read',
      (error: Error) => error.message,
    );
    expect(failure).toMatch(says);
    expect(failure).not.toMatch(/s3cret|127\.0\.0\.1/);
  });

  it('a source that is not there is refused, without the URL', async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await expect(source.read()).rejects.toThrow(/^the source of rates does not answer: ECONNREFUSED$/);
  });
});
