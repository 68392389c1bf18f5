// `npm run --silent keys -- --out FILE`: makes the keys of deposit addresses, on a machine without a network. The phrase goes into
// FILE and nowhere else; the accounts' public keys go to standard output, and Solana's, of which none follows from another, into a list.
// `--check FILE` tells them again of a file that is there.
// docs/operations.md, "Deposit addresses and sweeping".
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fchmodSync, fstatSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import stellar from '@stellar/stellar-sdk';
import { encodeBase58, HDNodeWallet, Mnemonic } from 'ethers';

import { privateKeyAt, publicKeyOf } from './slip-0010.mjs';

const USAGE = `npm run --silent keys -- --out FILE     makes a phrase, writes it to FILE, prints the public keys
npm run --silent keys -- --check FILE   prints the public keys of the phrase in FILE
  --solana COUNT --list LIST            with either: so many addresses of Solana go into LIST, or a LIST that is there grows to so many
npm run --silent keys -- refund-wallet, npm run --silent keys -- sign: the wallets that refunds leave from (tools/sign-transfers.mjs)
`;
/** One account for each purpose, so that the public key of one tells nothing of the other (BIP-44). */
const ACCOUNTS = [
  { purpose: 'partners', path: "m/44'/60'/0'" },
  { purpose: 'checkout', path: "m/44'/60'/1'" },
];
/** SEP-5. */
const STELLAR_PATH = "m/44'/148'/0'";
/** As Solana's wallets have it: an account of its own for each address. */
const solanaPath = (index) => `m/44'/501'/${index}'/0'`;
const MOST_SOLANA = 100_000;
/** 24 words. */
const ENTROPY_BYTES = 32;
const LONGEST_FILE_BYTES = 4_096;
const ROOT = fileURLToPath(new URL('..', import.meta.url));

class Refused extends Error {}

function main() {
  const { out, check, solana, list } = options();
  if ((out === undefined) === (check === undefined)) throw new Refused(`Give one of the two:\n${USAGE}`);
  if ((solana === undefined) !== (list === undefined)) throw new Refused(`Give --solana and --list, or neither:\n${USAGE}`);
  const count = solana === undefined ? 0 : countOf(solana);
  const file = resolve(out ?? check);
  if (out !== undefined) {
    write(file, Mnemonic.fromEntropy(randomBytes(ENTROPY_BYTES)).phrase);
    process.stderr.write(`The phrase is in ${file}, readable by you alone. Whoever has it has all deposits: take it off this machine, never onto a server.\n`);
  }
  // Of what was written, not of what was meant: a phrase that cannot be read again is no phrase.
  const mnemonic = read(file);
  const lines = publicKeys(mnemonic);
  if (list !== undefined) lines.push(keepSolana(resolve(list), mnemonic, count));
  for (const line of lines) process.stdout.write(`${line}\n`);
}

function options() {
  try {
    return parseArgs({ options: { out: { type: 'string' }, check: { type: 'string' }, solana: { type: 'string' }, list: { type: 'string' } } }).values;
  } catch (error) {
    throw new Refused(`${error.message}\n${USAGE}`);
  }
}

function countOf(text) {
  const count = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_SOLANA) throw new Refused(`--solana must be a whole number from 1 to ${MOST_SOLANA}.`);
  return count;
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
  return [...evmKeys(mnemonic), `stellar\t${STELLAR_PATH}\t${stellarAccount(mnemonic)}`];
}

function stellarAccount(mnemonic) {
  const privateKey = privateKeyAt(seedOf(mnemonic), STELLAR_PATH);
  const account = stellar.StrKey.encodeEd25519PublicKey(publicKeyOf(privateKey));
  if (account !== stellar.Keypair.fromRawEd25519Seed(privateKey).publicKey()) throw new Error('public and private keys do not belong together');
  return account;
}

const seedOf = (mnemonic) => Buffer.from(mnemonic.computeSeed().slice(2), 'hex');

/** The list, made or grown: what stands in it belongs to partners, and stays. */
function keepSolana(file, mnemonic, count) {
  const kept = existsSync(file) ? listIn(file) : [];
  if (kept.length > count) throw new Refused(`${file} has ${kept.length} addresses already, and never has fewer. Nothing was changed.`);
  const seed = seedOf(mnemonic);
  const addresses = Array.from({ length: count }, (_, index) => encodeBase58(publicKeyOf(privateKeyAt(seed, solanaPath(index)))));
  const other = kept.findIndex((address, index) => address !== addresses[index]);
  if (other >= 0) throw new Refused(`${file}: entry ${other + 1} is not of this phrase. Nothing was changed.`);
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
  throw new Refused(`${file} is no list of addresses. Nothing was changed.`);
}

/** The old list or the new one, whole. */
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
    throw new Refused(`${file} cannot be written: ${error.code}${error.code === 'EEXIST' ? `, ${draft} is there` : ''}.`);
  }
}

function evmKeys(mnemonic) {
  return ACCOUNTS.map(({ purpose, path }) => {
    const account = HDNodeWallet.fromMnemonic(mnemonic, path);
    const { extendedKey } = account.neuter();
    const first = HDNodeWallet.fromExtendedKey(extendedKey).derivePath('0/0').address;
    // The one way in which it must not go wrong: addresses whose keys the phrase does not give.
    if (first !== HDNodeWallet.fromMnemonic(mnemonic, `${path}/0/0`).address) throw new Error('public and private keys do not belong together');
    return `${purpose}\t${path}\t${extendedKey}\tfirst address ${first}`;
  });
}

if (['sign', 'refund-wallet'].includes(process.argv[2])) {
  const { signTransfers } = await import('./sign-transfers.mjs');
  await signTransfers(process.argv.slice(2));
} else try {
  main();
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
