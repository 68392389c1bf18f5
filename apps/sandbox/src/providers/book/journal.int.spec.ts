import { appendFile, type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Journal } from './journal.js';

describe('Journal', () => {
  let folder: string;
  let path: string;
  let failures: Error[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'provider-journal-'));
    path = join(folder, 'j.jsonl');
    failures = [];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true, force: true });
  });

  async function reopen(): Promise<{ journal: Journal; entries: unknown[]; droppedBytes: number }> {
    const entries: unknown[] = [];
    const opened = await Journal.open(
      path,
      (entry) => entries.push(entry),
      (error) => failures.push(error),
    );
    return { ...opened, entries };
  }

  /** Counts, holds back or fails syncs of every open file. */
  async function spyOnDatasync(): Promise<jest.SpiedFunction<FileHandle['datasync']>> {
    const probe = await open(folder, 'r');
    const spy = jest.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'datasync');
    await probe.close();
    return spy;
  }

  it('keeps every line, in order, over many batches', async () => {
    const { journal } = await reopen();
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        for (let j = 0; j < 20; j += 1) await journal.whenDurable(journal.append({ i, j }));
      }),
    );
    await journal.close();
    const { entries, journal: again } = await reopen();
    await again.close();
    expect(entries).toHaveLength(1_000);
    for (let i = 0; i < 50; i += 1) {
      const own = (entries as { i: number; j: number }[]).filter((entry) => entry.i === i);
      expect(own.map(({ j }) => j)).toEqual(Array.from({ length: 20 }, (_, j) => j));
    }
  });

  it('reports durability only after the sync, and shares one sync among waiting lines', async () => {
    const { journal } = await reopen();
    const spy = await spyOnDatasync();
    let release!: () => void;
    const reached = new Promise<void>((arrived) => {
      spy.mockImplementationOnce(() => {
        arrived();
        return new Promise<void>((resolve) => (release = resolve));
      });
    });
    const lines = Array.from({ length: 10 }, (_, i) => journal.append({ i }));
    await reached;
    expect(journal.durable).toBe(0);
    release();
    await Promise.all(lines.map((line) => journal.whenDurable(line)));
    expect(journal.durable).toBe(10);
    expect(spy).toHaveBeenCalledTimes(1);
    await journal.close();
  });

  it('accepts nothing more after a failed sync', async () => {
    const { journal } = await reopen();
    const spy = await spyOnDatasync();
    spy.mockImplementationOnce(() => Promise.reject(new Error('EIO')));
    const line = journal.append({ a: 1 });
    await expect(journal.whenDurable(line)).rejects.toThrow('cannot be written');
    expect(failures).toHaveLength(1);
    expect(journal.hasRoom).toBe(false);
    expect(() => journal.append({ a: 2 })).toThrow('cannot be written');
    await journal.close();
  });

  it.each(['{"n":3', '{"n":3}', '\u0000\u0000\u0000', '{"n":3\u0000\n'])(
    'drops an unfinished end %j and goes on after it',
    async (end) => {
      await writeFile(path, '{"n":1}\n{"n":2}\n');
      await appendFile(path, end);
      const first = await reopen();
      expect(first.entries).toEqual([{ n: 1 }, { n: 2 }]);
      expect(first.droppedBytes).toBe(Buffer.byteLength(end));
      await first.journal.whenDurable(first.journal.append({ n: 4 }));
      await first.journal.close();
      expect(await readFile(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":4}\n');
    },
  );

  it.each(['{"n":1}\nnonsense\n{"n":3}\n', 'nonsense\n{"n":3'])(
    'refuses %j: lines that were answered for may be lost',
    async (content) => {
      await writeFile(path, content);
      await expect(reopen()).rejects.toThrow(/line [12] is unreadable/);
    },
  );

  it('reads a file longer than its chunks', async () => {
    const lines = 3_000;
    await writeFile(path, Array.from({ length: lines }, (_, i) => `{"i":${i},"pad":"${'é'.repeat(500)}"}\n`).join(''));
    const { entries, journal } = await reopen();
    await journal.close();
    expect((entries as { i: number }[]).map(({ i }) => i)).toEqual(Array.from({ length: lines }, (_, i) => i));
  });
});
