import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type RudeServer, startRudeServer } from './conformance/rude-server.js';
import { ProviderHttp } from './provider-http.js';

describe('ProviderHttp', () => {
  let server: RudeServer;
  let http: ProviderHttp;

  beforeEach(async () => {
    server = await startRudeServer();
    http = new ProviderHttp({
      baseUrl: `${server.baseUrl}/prefix/`,
      headers: {},
      callTimeoutMs: 60_000,
      maxConnections: 1,
    });
  });
  afterEach(async () => {
    await http.close();
    await server.stop();
  });

  it('stops reading an answer without end by its length, not only by time', async () => {
    server.answerWith('an answer without end');
    expect(await http.call('GET', '/a')).toEqual({ kind: 'no_answer', detail: 'HTTP 200 with more than 65536 bytes' });
  });

  it('gives up a call by its own bound, never later than by that of all, and sends nothing where none of it is left', async () => {
    const impatient = new ProviderHttp({ baseUrl: server.baseUrl, headers: {}, callTimeoutMs: 200, maxConnections: 1 });
    server.answerWith('silence until the timeout');
    const started = performance.now();
    expect(await http.call('GET', '/a', { timeoutMs: 100.5 })).toEqual({ kind: 'no_answer', detail: 'TimeoutError' });
    expect(await impatient.call('GET', '/a', { timeoutMs: 60_000 })).toEqual({
      kind: 'no_answer',
      detail: 'TimeoutError',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
    const sent = server.requests();
    for (const timeoutMs of [0, 0.9, -1])
      expect(await http.call('GET', '/a', { timeoutMs })).toEqual({
        kind: 'no_answer',
        detail: 'no time left',
        unsent: true,
      });
    expect(server.requests()).toBe(sent);
    await impatient.close();
  });

  it('sends text and bytes as they are, by any method, and an object as JSON', async () => {
    server.answerWith({ status: 200, body: {} });
    const text = '{ "b" : 1.0, "a":"é" }\n';
    const bytes = Uint8Array.from([0x7b, 0x22, 0xff, 0x00, 0x0a, 0x7d]);
    const signed = { 'content-type': 'application/xml', signature: 'over these bytes' };
    await http.call('PUT', '/a?b=1', { body: text, headers: signed });
    await http.call('POST', '/a', { body: bytes });
    await http.call('PUT', '/a', { body: { b: 1 } });
    await http.call('GET', '/a');
    const seen = server.received();
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /prefix/a?b=1',
      'POST /prefix/a',
      'PUT /prefix/a',
      'GET /prefix/a',
    ]);
    expect(seen.map(({ body }) => body)).toEqual([
      Buffer.from(text),
      Buffer.from(bytes),
      Buffer.from('{"b":1}'),
      Buffer.alloc(0),
    ]);
    expect(seen.map(({ headers }) => [headers['content-type'], headers['signature']])).toEqual([
      ['application/xml', 'over these bytes'],
      ['application/json', undefined],
      ['application/json', undefined],
      [undefined, undefined],
    ]);
  });

  it('hands on an empty answer where its status means something, and only there', async () => {
    for (const [status, emptyAnswers, reply] of [
      [202, [202], { kind: 'json', status: 202, body: undefined }],
      [202, [204], { kind: 'no_answer', detail: 'HTTP 202 that is not JSON' }],
      [202, undefined, { kind: 'no_answer', detail: 'HTTP 202 that is not JSON' }],
      [500, [500], { kind: 'no_answer', detail: 'HTTP 500' }],
    ] as const) {
      server.answerWith({ status, body: undefined });
      expect(await http.call('POST', '/a', { body: {}, ...(emptyAnswers && { emptyAnswers }) })).toEqual(reply);
    }
  });

  it('hands on the JSON of a 5xx where the provider documents it, and no page of a proxy', async () => {
    server.answerWith({ status: 503, body: { code: 'NOT_TAKEN' } });
    const documented = { body: {}, serverErrors: [503] };
    expect(await http.call('POST', '/a', documented)).toEqual({
      kind: 'json',
      status: 503,
      body: { code: 'NOT_TAKEN' },
    });
    expect(await http.call('POST', '/a', { body: {} })).toEqual({ kind: 'no_answer', detail: 'HTTP 503' });
    server.answerWith({ status: 500, body: { code: 'NOT_TAKEN' } });
    expect(await http.call('POST', '/a', documented)).toEqual({ kind: 'no_answer', detail: 'HTTP 500' });
    server.answerWith('status 502 in HTML');
    expect(await http.call('POST', '/a', { body: {}, serverErrors: [502] })).toEqual({
      kind: 'no_answer',
      detail: 'HTTP 502 that is not JSON',
    });
  });

  it('hands on JSON with its status', async () => {
    server.answerWith({ status: 409, body: { code: 'X' } });
    expect(await http.call('POST', '/a', { body: { b: 1 } })).toEqual({
      kind: 'json',
      status: 409,
      body: { code: 'X' },
    });
  });

  it.each([
    ['status 503', 'HTTP 503'],
    ['HTML with status 200', 'HTTP 200 that is not JSON'],
    ['truncated JSON', 'HTTP 200 with broken JSON'],
  ] as const)('says what was wrong with %s', async (rude, detail) => {
    server.answerWith(rude);
    expect(await http.call('GET', '/a')).toEqual({ kind: 'no_answer', detail });
  });

  it('says that nothing was sent where no connection came about, and only there', async () => {
    const nobody = new ProviderHttp({
      baseUrl: 'http://127.0.0.1:1',
      headers: {},
      callTimeoutMs: 5_000,
      maxConnections: 1,
    });
    expect(await nobody.call('POST', '/a', { body: {} })).toEqual({
      kind: 'no_answer',
      detail: 'ECONNREFUSED',
      unsent: true,
    });
    await nobody.close();
    // A name with several addresses; all fail to connect.
    const noName = new ProviderHttp({
      baseUrl: 'http://localhost:1',
      headers: {},
      callTimeoutMs: 5_000,
      maxConnections: 1,
    });
    expect(await noName.call('POST', '/a', { body: {} })).toMatchObject({ kind: 'no_answer', unsent: true });
    await noName.close();
    server.answerWith('a connection reset');
    expect(await http.call('POST', '/a', { body: {} })).not.toHaveProperty('unsent');
  });

  it('names the error of a connection that was cut, and goes on with the next call', async () => {
    server.answerWith('a connection reset');
    expect(await http.call('GET', '/a')).toEqual({
      kind: 'no_answer',
      detail: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/),
    });
    server.answerWith({ status: 200, body: {} });
    expect(await http.call('GET', '/a')).toEqual({ kind: 'json', status: 200, body: {} });
  });
});
