// Both on an offline machine; docs/operators/refund-wallets.md.
// `npm run --silent keys -- refund-wallet --out KEYFILE`: keys go only into KEYFILE, addresses to stdout.
// `npm run --silent keys -- sign FILE --key KEYFILE --out SIGNED`: shows the output of `npm run vuka --
// refunds-export`, asks, and signs it.
import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

import { prepare } from '../command/prepare.mjs';
import { sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

const USAGE = `npm run --silent keys -- refund-wallet --out KEYFILE              makes the keys of the refund wallets, and prints their addresses
npm run --silent keys -- sign FILE --key KEYFILE --out SIGNED     shows the refunds in FILE, asks, and signs them (--yes: does not ask)
`;
const FAMILIES = ['evm', 'solana', 'stellar'];
const LONGEST_KEY_FILE = 16_384;
const LONGEST_FILE = 32 * 1024 * 1024;

class Refused extends Error {}

export async function signTransfers([command, ...args]) {
  sayTo(process.stderr);
  try {
    await prepare({ withInstall: false, withBuild: true, quietly: true });
    await (command === 'sign' ? sign(args) : makeWallets(args));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

async function makeWallets(args) {
  const {
    values: { out },
    positionals,
  } = options(args, { out: { type: 'string' } });
  if (out === undefined || positionals.length > 0) throw new Refused(`The file is missing:\n${USAGE}`);
  const { newRefundKeys } = await chains();
  const keys = await newRefundKeys(FAMILIES);
  writeNew(resolve(out), `${JSON.stringify(keys, null, 2)}\n`);
  process.stderr.write(
    `The keys are in ${resolve(out)}, and only you can read them. Whoever has them controls all money of the wallets. Move them off this machine, and never put them on a server.\n`,
  );
  for (const family of FAMILIES)
    process.stdout.write(`REFUND_WALLET_${family.toUpperCase()}=${keys[family].address}\n`);
}

async function sign(args) {
  const {
    values: { key, out, yes },
    positionals: [file, ...rest],
  } = options(args, { key: { type: 'string' }, out: { type: 'string' }, yes: { type: 'boolean' } });
  if (file === undefined || key === undefined || out === undefined || rest.length > 0)
    throw new Refused(`Give all three files:\n${USAGE}`);
  const asked = readJson(resolve(file), LONGEST_FILE);
  if (asked?.kind !== 'vuka-refunds-to-sign' || !Array.isArray(asked.transfers))
    throw new Refused(`${file} is not a file of refunds (npm run vuka -- refunds-export makes one).`);
  const keys = readKeys(resolve(key));
  const { transferSigner } = await chains();
  const { CHAINS } = await import('../../libs/domain/dist/index.js');
  const signed = [];
  for (const { refund_id, version, transfer } of asked.transfers) {
    const family = CHAINS.find(({ name }) => name === transfer?.chain)?.family;
    const secret = keys[family]?.secret;
    if (family === undefined || secret === undefined)
      throw new Refused(`refund ${refund_id}: there is no key for ${String(transfer?.chain)}. Nothing was signed.`);
    const done = (await transferSigner(family)).sign(transfer, secret);
    // What is shown is what was signed: a signer refuses bytes that differ from the readable fields.
    if (!done.ok) throw new Refused(`refund ${refund_id}: ${done.error}. Nothing was signed.`);
    process.stderr.write(`${lineOf(refund_id, transfer)}\n`);
    signed.push({ refund_id, version, raw: done.value.raw });
  }
  if (yes !== true && !(await agreed(signed.length))) throw new Refused('Nothing was signed.');
  writeNew(resolve(out), `${JSON.stringify({ kind: 'vuka-refunds-signed', transfers: signed }, null, 2)}\n`);
  process.stderr.write(
    `${signed.length} signed, in ${resolve(out)}. Import the file: npm run vuka -- refunds-import ${basename(out)} --reason "…" --by "…"\n`,
  );
}

function lineOf(refundId, { amountMinor, decimals, symbol, chain, to, from }) {
  const digits = amountMinor.padStart(decimals + 1, '0');
  const amount = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return `refund ${refundId}: ${amount} ${symbol} on ${chain}\n  to   ${to}\n  from ${from}`;
}

async function agreed(count) {
  if (!process.stdin.isTTY)
    throw new Refused('There is no terminal to ask. Use --yes to sign without asking. Nothing was signed.');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (
      (await prompt.question(`Sign these ${count}? First compare the addresses with the requests. yes/no: `)).trim() ===
      'yes'
    );
  } finally {
    prompt.close();
  }
}

const chains = () => import('../../libs/chains/dist/index.js');

function options(args, wanted) {
  try {
    return parseArgs({ args, options: wanted, allowPositionals: true });
  } catch (error) {
    throw new Refused(`${error.message}\n${USAGE}`);
  }
}

function readKeys(file) {
  const handle = open(file, 'r');
  try {
    const { mode, size } = fstatSync(handle);
    if ((mode & 0o077) !== 0)
      throw new Refused(
        `Other users can read ${file}, and may have read the keys. Run chmod 600, and think about new keys.`,
      );
    return size <= LONGEST_KEY_FILE ? JSON.parse(readFileSync(handle, 'utf8')) : {};
  } catch (error) {
    throw error instanceof Refused
      ? error
      : new Refused(`${file} does not contain keys (npm run keys -- refund-wallet makes them).`);
  } finally {
    closeSync(handle);
  }
}

function readJson(file, mostBytes) {
  const handle = open(file, 'r');
  try {
    return fstatSync(handle).size <= mostBytes ? JSON.parse(readFileSync(handle, 'utf8')) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(handle);
  }
}

/** Never overwrites, and never inside the project, where it would be copied along. */
function writeNew(file, text) {
  if (!existsSync(dirname(file))) throw new Refused(`There is no folder ${dirname(file)}.`);
  const place = join(realpathSync(dirname(file)), basename(file));
  if (!/^\.\.(?:[/\\]|$)/.test(relative(realpathSync(ROOT), place)))
    throw new Refused(`${file} is inside the project, so copies of the project would contain it. Name another place.`);
  const handle = open(place, 'wx');
  try {
    fchmodSync(handle, 0o600);
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function open(file, flags) {
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    throw new Refused(
      error.code === 'EEXIST'
        ? `${file} exists already and was not changed. Name another file.`
        : `${file} cannot be ${flags === 'r' ? 'read' : 'written'}: ${error.code}.`,
    );
  }
}
