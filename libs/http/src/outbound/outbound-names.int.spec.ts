import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@vuka/testing';

import { dnsResolver, sandboxResolver, type ResolveName } from './outbound-names.js';

/** `silent…` gets no answer. */
let server: Socket;
let address: string;
let questions: string[];

const RECORDS: Readonly<
  Record<string, { readonly v4?: readonly number[]; readonly v6?: readonly number[] } | 'no such name' | 'broken'>
> = {
  'both.example': { v4: [8, 8, 8, 8], v6: [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11] },
  'four.example': { v4: [127, 0, 0, 1] },
  'none.example': {},
  'unknown.example': 'no such name',
  'broken.example': 'broken',
};

beforeEach(async () => {
  questions = [];
  server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  address = `127.0.0.1:${server.address().port}`;
  server.on('message', (question, from) => {
    const answer = answerOf(question);
    if (answer !== undefined) server.send(answer, from.port, from.address);
  });
});

afterEach(() => new Promise<void>((done) => server.close(done)));

/** RFC 1035, as far as needed. */
function answerOf(question: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.');
  const isV4 = question.readUInt16BE(at + 1) === 1;
  questions.push(`${name} ${isV4 ? 'A' : 'AAAA'}`);
  if (name.startsWith('silent') || (name === 'half.example' && !isV4)) return undefined;
  const record = name === 'half.example' ? { v4: [9, 9, 9, 9] } : (RECORDS[name] ?? 'no such name');
  const data = typeof record === 'string' ? undefined : isV4 ? record.v4 : record.v6;
  const code = record === 'no such name' ? 3 : record === 'broken' ? 2 : 0;
  const header = Buffer.from([
    question[0] ?? 0,
    question[1] ?? 0,
    0x81,
    0x80 + code,
    0,
    1,
    0,
    data === undefined ? 0 : 1,
    0,
    0,
    0,
    0,
  ]);
  const asked = question.subarray(12, at + 5);
  if (data === undefined) return Buffer.concat([header, asked]);
  return Buffer.concat([
    header,
    asked,
    Buffer.from([0xc0, 12, 0, isV4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]),
  ]);
}

const ask = (
  name: string,
  resolve: ResolveName = dnsResolver({ servers: [address], queryMs: 60_000 }),
  signal = new AbortController().signal,
): ReturnType<ResolveName> => resolve(name, signal);

describe('a name asked of DNS', () => {
  it('has the addresses of both families, IPv4 first', async () => {
    expect(await ask('both.example')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await ask('four.example')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });

  it.each([
    ['none.example', 'ENOTFOUND'],
    ['unknown.example', 'ENOTFOUND'],
    ['broken.example', 'EAI_AGAIN'],
  ])('that has none: %s is %s', async (name, code) => {
    await expect(ask(name)).rejects.toMatchObject({ name: 'NameUnresolvedError', code });
  });

  it('is given up when nobody waits for it any more, and keeps what it had by then', async () => {
    const waiting = new AbortController();
    const asked = [ask('silent.example', undefined, waiting.signal), ask('half.example', undefined, waiting.signal)];
    await until(
      () =>
        questions.includes('half.example A') &&
        questions.includes('half.example AAAA') &&
        questions.includes('silent.example AAAA'),
      { withinMs: 10_000, what: 'questions' },
    );
    // Answers come in order.
    await ask('both.example');
    waiting.abort();
    const [silent, half] = await Promise.allSettled(asked);
    expect(silent).toMatchObject({ status: 'rejected', reason: { code: 'EAI_AGAIN' } });
    expect(half).toMatchObject({ status: 'fulfilled', value: [{ address: '9.9.9.9' }] });
    await expect(ask('both.example', undefined, waiting.signal)).rejects.toThrow();
  });

  it('is given up by itself when its server keeps silent', async () => {
    await expect(ask('silent.example', dnsResolver({ servers: [address], queryMs: 20 }))).rejects.toMatchObject({
      code: 'EAI_AGAIN',
    });
    expect(questions.filter((question) => question === 'silent.example A').length).toBeLessThanOrEqual(3);
  });

  it('does not wait for others that never answer: they take no thread', async () => {
    const waiting = Array.from({ length: 100 }, () => new AbortController());
    let ended = 0;
    const silent = waiting.map(({ signal }, number) =>
      ask(`silent-${number}.example`, undefined, signal)
        .catch(() => undefined)
        .finally(() => (ended += 1)),
    );
    await until(() => new Set(questions).size === 200, { withinMs: 30_000, what: 'all the silent names asked for' });
    expect(await ask('four.example')).toHaveLength(1);
    expect(ended).toBe(0);
    for (const each of waiting) each.abort();
    await Promise.all(silent);
  }, 40_000);
});

describe('a name in the sandbox', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vuka-hosts-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const sandbox = (file: string): ResolveName => sandboxResolver(dnsResolver({ servers: [address] }), file);

  it.each(['localhost', 'LOCALHOST.', 'shop.localhost'])('%s is this machine, and nobody is asked', async (name) => {
    expect(await ask(name, sandbox('/nowhere'))).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(questions).toEqual([]);
  });

  it('is looked up in the hosts file before DNS', async () => {
    const file = join(folder, 'hosts');
    await writeFile(
      file,
      '# 1.1.1.1 host.docker.internal\n172.17.0.1\thost.docker.internal other # both.example\nfe80::1%lo0 zoned\nnonsense both.example\n\n::1 Other\n',
    );
    expect(await ask('HOST.docker.internal.', sandbox(file))).toEqual([{ address: '172.17.0.1', family: 4 }]);
    expect(await ask('other', sandbox(file))).toEqual([
      { address: '172.17.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(questions).toEqual([]);
    expect(await ask('both.example', sandbox(file))).toHaveLength(2);
    expect(await ask('four.example', sandbox(join(folder, 'none')))).toHaveLength(1);
  });
});
