import { CURRENCIES, DEFAULT_CURRENCY, requestShapes } from '@vuka/domain';

import type { SandboxDirectory } from './sandbox-seed.js';

export interface BannerFacts {
  readonly baseUrl: string;
  readonly env: 'sandbox' | 'live';
  readonly dataDir: string;
  readonly readyAfterMs: number;
  /** Names the example's transfer; another one at each start, so that the example works at each start. */
  readonly exampleReference: string;
  readonly sandbox?: { readonly file: string; readonly directory: SandboxDirectory };
}

/** What a newcomer sees when everything runs: where it is, and two commands to copy. */
export function banner(facts: BannerFacts): string {
  const lines = [
    '',
    `Vuka is ready: ${facts.baseUrl}   (${facts.env}, after ${(facts.readyAfterMs / 1000).toFixed(1)} s)`,
    `  interface  ${facts.baseUrl}/docs`,
    `  health     ${facts.baseUrl}/health/ready`,
    `  data       ${facts.dataDir}`,
  ];
  if (facts.sandbox !== undefined) lines.push(...sandboxLines(facts, facts.sandbox));
  return [...lines, '', 'Ctrl-C stops it; what it knows stays in the data folder.', ''].join('\n');
}

function sandboxLines(facts: BannerFacts, { file, directory }: NonNullable<BannerFacts['sandbox']>): string[] {
  return [`  keys       ${file} (two partners, wallets filled)`, ...exampleLines(facts.baseUrl, directory, facts.exampleReference)];
}

/** A payment to copy, by the first sandbox partner, and how to ask what has become of it. */
export function exampleLines(baseUrl: string, directory: SandboxDirectory, reference: string): string[] {
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
  ];
}

function curl(url: string, key: string, body: object): string {
  return `  curl -s -X POST ${url} -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}
