// The machine without a network: the phrase of deposit addresses and the keys of refund wallets are made and used here.
// What leaves it is public. Its commands are those of docs/operators/deposit-addresses.md and refund-wallets.md.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { runScript } from '../command/run.mjs';

/** A rehearsal has one partner; 50 are kept for partners' own. */
const SOLANA_ADDRESSES = '60';

export class OfflineMachine {
  #folder;
  #keyFile;
  #signed = 0;

  constructor(folder) {
    this.#folder = join(folder, 'offline');
    this.#keyFile = join(this.#folder, 'refund-keys');
    mkdirSync(this.#folder, { mode: 0o700 });
  }

  /** What offramp is given: `DEPOSIT_XPUB`, `STELLAR_ACCOUNT`, `REFUND_WALLET_…`; Solana's addresses go to `list`. */
  async makeKeys(list) {
    const [phrase, wallets] = await Promise.all([
      this.#keys('--out', join(this.#folder, 'phrase'), '--solana', SOLANA_ADDRESSES, '--list', list),
      this.#keys('refund-wallet', '--out', this.#keyFile),
    ]);
    const rows = phrase.map((line) => line.split('\t'));
    const [, , xpub] = rows.find(([purpose]) => purpose === 'partners');
    const [, , account] = rows.find(([purpose]) => purpose === 'stellar');
    return {
      DEPOSIT_XPUB: xpub,
      STELLAR_ACCOUNT: account,
      ...Object.fromEntries(wallets.filter((line) => line.startsWith('REFUND_WALLET_')).map((line) => line.split('='))),
    };
  }

  /** The path of the signed ones. */
  async sign(file) {
    this.#signed += 1;
    const out = join(this.#folder, `signed-${this.#signed}.json`);
    await this.#keys('sign', file, '--key', this.#keyFile, '--out', out, '--yes');
    return out;
  }

  async #keys(...args) {
    const lines = [];
    const { code } = await runScript('tools/keys/keys.mjs', args, { onLine: (line) => lines.push(line) });
    if (code !== 0) throw new Error(`npm run keys -- ${args[0]} ended with ${code}: ${lines.join(' ')}`);
    return lines;
  }
}
