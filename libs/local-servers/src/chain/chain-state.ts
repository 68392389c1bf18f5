import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

interface ChainState {
  readonly best_block_number: number;
  readonly blocks: readonly {
    readonly header: { readonly number: string };
    readonly transactions: readonly unknown[];
  }[];
}

/** Old empty blocks are needed by nobody. */
const KEPT_BLOCKS = 2_000;
const TRIM_OVER_BLOCKS = 5_000;

/**
 * `state.json.gz` is replaced while running; anvil writes `exit.json` at its end. If whole, `exit.json` is
 * newer.
 */
export class ChainStateFiles {
  readonly exitFile: string;
  private readonly loadFile: string;
  private readonly savedFile: string;

  constructor(folder: string) {
    this.exitFile = join(folder, 'exit.json');
    this.loadFile = join(folder, 'load.json');
    this.savedFile = join(folder, 'state.json.gz');
  }

  /** `dump`: gzipped JSON, from `anvil_dumpState`. */
  save(dump: Buffer): Promise<void> {
    return replace(this.savedFile, dump);
  }

  /** undefined for a new chain. */
  async latest(): Promise<string | undefined> {
    const atExit = existsSync(this.exitFile) ? parsed(await readFile(this.exitFile, 'utf8')) : undefined;
    if (atExit !== undefined) await this.save(await promisify(gzip)(JSON.stringify(trimmed(atExit))));
    await rm(this.exitFile, { force: true });
    if (!existsSync(this.savedFile)) return undefined;
    const state = (await promisify(gunzip)(await readFile(this.savedFile))).toString('utf8');
    const whole = parsed(state);
    if (whole === undefined)
      throw new Error(`${this.savedFile} is damaged. Remove it, and the chain starts again from nothing`);
    await replace(this.loadFile, Buffer.from(JSON.stringify(trimmed(whole))));
    return this.loadFile;
  }
}

function parsed(text: string): ChainState | undefined {
  try {
    const state = JSON.parse(text) as ChainState;
    return Array.isArray(state.blocks) ? state : undefined;
  } catch {
    return undefined;
  }
}

function trimmed(state: ChainState): ChainState {
  if (state.blocks.length <= TRIM_OVER_BLOCKS) return state;
  const from = state.best_block_number - KEPT_BLOCKS;
  return {
    ...state,
    blocks: state.blocks.filter(({ header, transactions }) => transactions.length > 0 || Number(header.number) > from),
  };
}

async function replace(path: string, content: Buffer): Promise<void> {
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}
