import { existsSync, readFileSync } from 'node:fs';

import { writeDurably } from '@vuka/data-folder';
import type { KeptBlock } from '@vuka/persistence';
import { BootError } from '@vuka/runtime';

export interface WrittenBlock extends KeptBlock {
  readonly service: string;
  readonly chain: string;
  readonly number: number;
}

const LINE = /^([a-z]+) ([a-z_]+) (\d{1,9}) (\d{1,15}) ([0-9a-f]{64})$/;

/** Blocks kept outside the database: a line for each, `service chain epoch number hash`, added and never changed. */
export class KeptBlocks {
  private constructor(
    private readonly path: string,
    private readonly text: string,
    private readonly chains: ReadonlyMap<string, ReadonlyMap<number, KeptBlock>>,
  ) {}

  /** Throws BootError where a line is not one of these, or the file is not there, unless it `mayBeNew`. */
  static read(path: string, mayBeNew = false): KeptBlocks {
    const isThere = existsSync(path);
    if (!isThere && !mayBeNew)
      throw new BootError(`${path} is not there.`, 'Name the file that --write-head has written.');
    const text = isThere ? readFileSync(path, 'utf8') : '';
    const chains = new Map<string, Map<number, KeptBlock>>();
    for (const [index, line] of text.split('\n').entries()) {
      if (line === '') continue;
      const [, service = '', chain = '', epoch, number, hash = ''] = LINE.exec(line) ?? [];
      const blocks = chains.get(`${service} ${chain}`) ?? new Map<number, KeptBlock>();
      if (hash === '' || blocks.has(Number(number)))
        throw new BootError(
          `Line ${index + 1} of ${path} is not a block of its own: service, chain, epoch, number, hash.`,
          'Take the copy of the file that was made before.',
        );
      chains.set(`${service} ${chain}`, blocks.set(Number(number), { epoch: Number(epoch), hash }));
    }
    return new KeptBlocks(path, text, chains);
  }

  of(service: string, chain: string): ReadonlyMap<number, KeptBlock> {
    return this.chains.get(`${service} ${chain}`) ?? new Map<number, KeptBlock>();
  }

  /** Names of the chains of a service that the file knows. */
  chainsOf(service: string): string[] {
    return [...this.chains.keys()]
      .filter((key) => key.startsWith(`${service} `))
      .map((key) => key.slice(service.length + 1));
  }

  async add(blocks: readonly WrittenBlock[]): Promise<void> {
    const lines = blocks.map(
      ({ service, chain, epoch, number, hash }) => `${service} ${chain} ${epoch} ${number} ${hash}\n`,
    );
    await writeDurably(this.path, this.text + lines.join(''));
  }
}
