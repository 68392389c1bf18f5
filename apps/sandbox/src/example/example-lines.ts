import { relative } from 'node:path';

import type { SandboxDirectory } from '@vuka/data-folder';
import { CURRENCIES, DEFAULT_CURRENCY, requestShapes } from '@vuka/domain';

import type { ExampleDeposit } from './example-deposit.js';

export interface ExampleFacts {
  readonly baseUrl: string;
  readonly directory: SandboxDirectory;
  /** Transfer reference; the pay's derives from it. */
  readonly reference: string;
  readonly dataDir: string;
  /** undefined: no chain. */
  readonly deposit: ExampleDeposit | undefined;
}

/** Above the minimum of a pay. */
const EXAMPLE_TOKENS = '1';

export function exampleLines(facts: ExampleFacts): string[] {
  const { baseUrl, directory, reference } = facts;
  const [partner] = directory.partners;
  const [transfer] = requestShapes('bank_transfer', CURRENCIES[DEFAULT_CURRENCY]);
  if (partner === undefined || transfer === undefined) return [];
  const market = `${baseUrl}/${DEFAULT_CURRENCY.toLowerCase()}`;
  return [
    '',
    `Send ${DEFAULT_CURRENCY} ${String(transfer.example['amount'])} to a bank account:`,
    '',
    curl(`${market}/bank-transfer`, partner.consumer_key, { ...transfer.example, reference }),
    '',
    'See what has become of it (COMPLETE with a receipt after about a second):',
    '',
    curl(`${market}/status`, partner.consumer_key, { transaction_code: reference }),
    ...depositLines(facts, partner.consumer_key),
  ];
}

function depositLines({ baseUrl, reference, dataDir, deposit }: ExampleFacts, key: string): string[] {
  const [pay] = requestShapes('pay', CURRENCIES[DEFAULT_CURRENCY]);
  if (deposit === undefined || pay === undefined) return [];
  const { chain, asset, to } = deposit;
  const [code, folder] = [`${reference}-pay`, shortest(dataDir)];
  const body = { ...pay.example, chain, transaction_hash: `'$HASH'`, reference: code };
  return [
    '',
    `Or pay from a chain: send mock ${asset} to your address on ${chain}, and say which transfer it was (its status: as above, for ${code}):`,
    '',
    `  HASH=$(npm run --silent sandbox -- transfer --data-dir ${folder} --chain ${chain} --asset ${asset} --amount ${EXAMPLE_TOKENS} --to ${to})`,
    curl(`${baseUrl}/v1/pay/${DEFAULT_CURRENCY.toLowerCase()}`, key, body),
  ];
}

function shortest(path: string): string {
  const fromHere = relative('', path);
  return fromHere.startsWith('..') ? path : fromHere;
}

function curl(url: string, key: string, body: object): string {
  return `  curl -s -X POST ${url} -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}
