// `npm run --silent keys -- --out FILE`: makes the keys of deposit addresses, on a machine without a network. The phrase goes into
// FILE and nowhere else; the accounts' public keys go to standard output. `--check FILE` tells them again of a file that is there.
// docs/operations.md, "Deposit addresses and sweeping".
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fchmodSync, fstatSync, fsyncSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { HDNodeWallet, Mnemonic } from 'ethers';

const USAGE = `npm run --silent keys -- --out FILE     makes a phrase, writes it to FILE, prints the public keys
npm run --silent keys -- --check FILE   prints the public keys of the phrase in FILE
`;
/** One account for each purpose, so that the public key of one tells nothing of the other (BIP-44). */
const ACCOUNTS = [
  { purpose: 'partners', path: "m/44'/60'/0'" },
  { purpose: 'checkout', path: "m/44'/60'/1'" },
];
/** 24 words. */
const ENTROPY_BYTES = 32;
const LONGEST_FILE_BYTES = 4_096;
const ROOT = fileURLToPath(new URL('..', import.meta.url));

class Refused extends Error {}

function main() {
  const { out, check } = options();
  if ((out === undefined) === (check === undefined)) throw new Refused(`Give one of the two:\n${USAGE}`);
  const file = resolve(out ?? check);
  if (out !== undefined) {
    write(file, Mnemonic.fromEntropy(randomBytes(ENTROPY_BYTES)).phrase);
    process.stderr.write(`The phrase is in ${file}, readable by you alone. Whoever has it has all deposits: take it off this machine, never onto a server.\n`);
  }
  // Of what was written, not of what was meant: a phrase that cannot be read again is no phrase.
  for (const line of publicKeys(read(file))) process.stdout.write(`${line}\n`);
}

function options() {
  try {
    return parseArgs({ options: { out: { type: 'string' }, check: { type: 'string' } } }).values;
  } catch (error) {
    throw new Refused(`${error.message}\n${USAGE}`);
  }
}

/** Never over a file that is there: it may be the only copy of the keys to money. */
function write(file, phrase) {
  if (!existsSync(dirname(file))) throw new Refused(`There is no folder ${dirname(file)}.`);
  const place = join(realpathSync(dirname(file)), basename(file));
  const inside = relative(realpathSync(ROOT), place);
  if (!/^\.\.(?:[/\\]|$)/.test(inside)) throw new Refused('FILE is inside the project, where it would end up in a copy of it. Name another place.');
  let handle;
  try {
    handle = openSync(place, 'wx', 0o600);
  } catch (error) {
    throw new Refused(error.code === 'EEXIST' ? `${file} is there already and stays as it is. Name another file.` : `${file} cannot be written: ${error.code}.`);
  }
  try {
    // Whatever the umask and the folder's defaults are.
    fchmodSync(handle, 0o600);
    writeSync(handle, `${phrase}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function read(file) {
  let handle;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    throw new Refused(`${file} cannot be read: ${error.code}.`);
  }
  try {
    const { mode, size } = fstatSync(handle);
    if ((mode & 0o077) !== 0) throw new Refused(`${file} can be read by others (chmod 600), and so can the phrase have been.`);
    const text = size <= LONGEST_FILE_BYTES ? readFileSync(handle, 'utf8').trim().replace(/\s+/g, ' ') : '';
    if (!Mnemonic.isValidMnemonic(text)) throw new Refused(`${file} holds no phrase (BIP-39, English).`);
    return Mnemonic.fromPhrase(text);
  } finally {
    closeSync(handle);
  }
}

function publicKeys(mnemonic) {
  return ACCOUNTS.map(({ purpose, path }) => {
    const account = HDNodeWallet.fromMnemonic(mnemonic, path);
    const { extendedKey } = account.neuter();
    const first = HDNodeWallet.fromExtendedKey(extendedKey).derivePath('0/0').address;
    // The one way in which it must not go wrong: addresses whose keys the phrase does not give.
    if (first !== HDNodeWallet.fromMnemonic(mnemonic, `${path}/0/0`).address) throw new Error('public and private keys do not belong together');
    return `${purpose}\t${path}\t${extendedKey}\tfirst address ${first}`;
  });
}

try {
  main();
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
