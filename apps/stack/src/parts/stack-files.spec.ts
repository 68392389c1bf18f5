import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { refuseStackFolder } from '@vuka/data-folder';
import { identifyProcess } from '@vuka/runtime';

import { leftovers } from '../members/leftovers.js';
import { openStackFolder, readRunFacts, settleFacts, writeRunFacts, type RunFacts } from './stack-files.js';

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'vuka-stack-files-'));
});

afterEach(() => rm(path, { recursive: true, force: true }));

const settle = async (kafka: string | null) => settleFacts(await openStackFolder(path), kafka);

describe('the folder of a stack', () => {
  it('keeps its broker and its random prefix', async () => {
    const { broker } = await settle('127.0.0.1:9092');
    expect(broker).toMatchObject({
      kind: 'elsewhere',
      address: '127.0.0.1:9092',
      prefix: expect.stringMatching(/^t[0-9a-f]{10}\.$/),
    });
    expect((await settle('127.0.0.1:9092')).broker).toEqual(broker);
  });

  it('has another random prefix for another folder, and the default prefix for its own Kafka', async () => {
    const first = (await settle('127.0.0.1:9092')).broker.prefix;
    await rm(join(path, 'stack.json'));
    expect((await settle('127.0.0.1:9092')).broker.prefix).not.toBe(first);
    await rm(join(path, 'stack.json'));
    expect((await settle(null)).broker).toEqual({ kind: 'own', prefix: 'sandbox.' });
    expect((await settle(null)).broker).toEqual({ kind: 'own', prefix: 'sandbox.' });
  });

  it.each([
    [null, '127.0.0.1:9092'],
    ['127.0.0.1:9092', null],
    ['127.0.0.1:9092', '127.0.0.1:9093'],
  ])('that has its events with %j is not started on %j', async (had, now) => {
    await settle(had);
    await expect(settle(now)).rejects.toThrow(/not processed yet would be lost/);
  });

  it('is never the folder of an embedded Vuka, and the other way round', async () => {
    expect(() => refuseStackFolder(path)).not.toThrow();
    await settle(null);
    expect(() => refuseStackFolder(path)).toThrow(/is the folder of a stack/);
    await rm(join(path, 'stack.json'));
    await mkdir(join(path, 'postgres'));
    await expect(settle(null)).rejects.toThrow(/is the data folder of an embedded Vuka/);
  });

  it('is refused if its stack.json is not valid', async () => {
    await writeFile(join(path, 'stack.json'), '{"version":1}');
    await expect(settle(null)).rejects.toThrow(/is not what Vuka writes/);
  });
});

describe('what runs, written down', () => {
  const facts: RunFacts = {
    version: 1,
    supervisor: { pid: process.pid, started: 'x', since: '2026-01-02T03:04:05Z' },
    control: { port: 4_000, token: 'open sesame' },
    gateways: ['http://127.0.0.1:3100'],
    processes: [],
  };

  it('is read as it was written, by its owner alone', async () => {
    expect(readRunFacts(path)).toBeNull();
    writeRunFacts(path, facts);
    expect(readRunFacts(path)).toEqual(facts);
    expect((await stat(join(path, 'stack-run.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(path, 'stack-run.json'), 'utf8')).toContain('open sesame');
  });

  it('tells a process that still runs from a later one of the same id', () => {
    const started = identifyProcess(process.pid)?.started ?? '';
    const own = { name: 'payments', kind: 'service' as const, pid: process.pid, started };
    expect(leftovers([own, { ...own, started: 'long ago' }, { ...own, pid: 2 ** 22 + 1 }])).toEqual([own]);
  });
});
