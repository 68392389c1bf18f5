// `npm run --silent keys -- --out FILE`: makes the keys of deposit addresses on an offline machine. The phrase goes
// only into FILE.
// Public account keys go to stdout, and Solana addresses into a list, because they cannot be derived from a public key.
// `--check FILE` prints them again. docs/operators/deposit-addresses.md.
import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run --silent keys -- --out FILE     makes a phrase, writes it to FILE, and prints the public keys
npm run --silent keys -- --check FILE   prints the public keys of the phrase in FILE
  --solana COUNT --list LIST            with either: writes COUNT Solana addresses to LIST, or extends an existing LIST to COUNT
npm run --silent keys -- refund-wallet, npm run --silent keys -- sign: keys and signatures of the refund wallets (tools/keys/sign-transfers.mjs)
`;
const MOST_SOLANA = 100_000;
const LONGEST_FILE_BYTES = 4_096;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

class Refused extends Error {}

/** Returns the exit code: 0, or 1 if it refuses. `io` is like process. */
export async function runPhraseCommand(args, io = process) {
  try {
    await makeOrCheck(args, io);
    return 0;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    io.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function makeOrCheck(args, { stdout, stderr }) {
  const { out, check, solana, list } = options(args);
  if ((out === undefined) === (check === undefined)) throw new Refused(`Give either --out or --check:\n${USAGE}`);
  if ((solana === undefined) !== (list === undefined))
    throw new Refused(`Give both --solana and --list, or neither:\n${USAGE}`);
  const count = solana === undefined ? 0 : countOf(solana);
  const file = resolve(out ?? check);
  if (out !== undefined) {
    const place = placeOf(file);
    const { newPhrase } = await import('./phrase-keys.mjs');
    write(place, newPhrase());
    stderr.write(
      `The phrase is in ${file}, and only you can read it. Whoever has the phrase controls all deposits. Move it off this machine, and never put it on a server.\n`,
    );
  }
  // Derived from the written file: a phrase that cannot be read again is useless.
  const text = read(file);
  const phrases = await import('./phrase-keys.mjs');
  const mnemonic = phrases.mnemonicOf(text);
  if (mnemonic === null) throw new Refused(`${file} does not contain a phrase (BIP-39, English).`);
  const lines = phrases.publicKeys(mnemonic);
  if (list !== undefined) lines.push(keepSolana(resolve(list), mnemonic, count, phrases));
  for (const line of lines) stdout.write(`${line}\n`);
}

function options(args) {
  try {
    return parseArgs({
      args,
      options: {
        out: { type: 'string' },
        check: { type: 'string' },
        solana: { type: 'string' },
        list: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new Refused(`${error.message}\n${USAGE}`);
  }
}

function countOf(text) {
  const count = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_SOLANA) throw new Refused(`--solana must be a whole number from 1 to ${MOST_SOLANA}.`);
  return count;
}

function placeOf(file) {
  if (!existsSync(dirname(file))) throw new Refused(`There is no folder ${dirname(file)}.`);
  const place = join(realpathSync(dirname(file)), basename(file));
  const inside = relative(realpathSync(ROOT), place);
  if (!/^\.\.(?:[/\\]|$)/.test(inside))
    throw new Refused('FILE is inside the project, so copies of the project would contain it. Name another place.');
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) throw new Refused(taken(place));
  return place;
}

const taken = (place) => `${place} exists already and was not changed. Name another file.`;

/** Never overwrites: the file may be the only copy of the keys to money. */
function write(place, phrase) {
  let handle;
  try {
    handle = openSync(place, 'wx', 0o600);
  } catch (error) {
    throw new Refused(error.code === 'EEXIST' ? taken(place) : `${place} cannot be written: ${error.code}.`);
  }
  try {
    // Independent of the umask and the folder's defaults.
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
    if ((mode & 0o077) !== 0)
      throw new Refused(
        `Other users can read ${file}, and may have read the phrase. Run chmod 600, and think about a new phrase.`,
      );
    return size <= LONGEST_FILE_BYTES ? readFileSync(handle, 'utf8').trim().replace(/\s+/g, ' ') : '';
  } finally {
    closeSync(handle);
  }
}

/** Adds to the list, never removes: its addresses belong to partners. */
function keepSolana(file, mnemonic, count, { solanaAddresses, solanaPath }) {
  const kept = existsSync(file) ? listIn(file) : [];
  if (kept.length > count)
    throw new Refused(`${file} has ${kept.length} addresses already, and must not have fewer. Nothing was changed.`);
  const addresses = solanaAddresses(mnemonic, count);
  const other = kept.findIndex((address, index) => address !== addresses[index]);
  if (other >= 0) throw new Refused(`${file}: entry ${other + 1} does not come from this phrase. Nothing was changed.`);
  if (kept.length < count) replace(file, `${JSON.stringify(addresses, null, 2)}\n`);
  return `solana\t${solanaPath(0)} to ${solanaPath(count - 1)}\t${count} addresses in ${file}\tfirst address ${addresses[0]}`;
}

function listIn(file) {
  try {
    const list = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(list)) return list;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new Refused(`${file} cannot be read: ${error.code}.`);
  }
  throw new Refused(`${file} is not a list of addresses. Nothing was changed.`);
}

/** Atomic: the old list or the new one. */
function replace(file, text) {
  const draft = `${file}.new`;
  try {
    const handle = openSync(draft, 'wx', 0o644);
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
  } catch (error) {
    if (error.code !== 'EEXIST') rmSync(draft, { force: true });
    throw new Refused(
      `${file} cannot be written: ${error.code}${error.code === 'EEXIST' ? `, because ${draft} exists` : ''}.`,
    );
  }
}
