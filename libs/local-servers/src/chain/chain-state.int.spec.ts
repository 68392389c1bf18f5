import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { ChainStateFiles } from './chain-state.js';

const hex = (value: number): string => `0x${value.toString(16)}`;
const stateOf = (height: number): string =>
  JSON.stringify({
    best_block_number: height,
    accounts: { a: { balance: '0xffffffffffffffffffffffff' } },
    blocks: Array.from({ length: height }, (_, number) => ({
      header: { number: hex(number + 1) },
      transactions: (number + 1) % 100 === 0 ? ['x'] : [],
    })),
  });

describe('the files of a chain', () => {
  let folder: string;
  let files: ChainStateFiles;
  const loaded = async (): Promise<
    { best_block_number: number; blocks: { header: { number: string } }[] } | undefined
  > => {
    const file = await files.latest();
    return file === undefined
      ? undefined
      : (JSON.parse(await readFile(file, 'utf8')) as {
          best_block_number: number;
          blocks: { header: { number: string } }[];
        });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vuka-chain-state-'));
    files = new ChainStateFiles(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are none for a new one', async () => {
    expect(await loaded()).toBeUndefined();
  });

  it('have what was saved last, and of the end of a run what is whole', async () => {
    await files.save(gzipSync(stateOf(10)));
    expect(await loaded()).toEqual(JSON.parse(stateOf(10)));
    await writeFile(files.exitFile, stateOf(20));
    expect((await loaded())?.best_block_number).toBe(20);
    expect(existsSync(files.exitFile)).toBe(false);
    await writeFile(files.exitFile, stateOf(30).slice(0, -10));
    expect((await loaded())?.best_block_number).toBe(20);
    expect((await loaded())?.best_block_number).toBe(20);
  });

  it('leave out empty blocks of long ago, and nothing that anybody asks for', async () => {
    await files.save(gzipSync(stateOf(8_000)));
    const numbers = (await loaded())?.blocks.map(({ header }) => Number(header.number)) ?? [];
    expect(numbers.filter((number) => number <= 6_000)).toEqual(
      Array.from({ length: 60 }, (_, index) => (index + 1) * 100),
    );
    expect(numbers.filter((number) => number > 6_000)).toHaveLength(2_000);
  });

  it('are named if they are damaged: no chain starts again silently', async () => {
    await files.save(gzipSync('{'));
    await expect(loaded()).rejects.toThrow(/state\.json\.gz is damaged/);
  });
});
