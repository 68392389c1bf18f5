import { describe, expect, it } from '@jest/globals';

import { noticeOf, satisfies } from '../command/prepare.mjs';
import { listFiles } from '../command/list-files.mjs';
import { FILE_RULES, findingsOf, workspaceFindings } from './conventions.mjs';

const files = await listFiles();

describe('the house style', () => {
  it.each(Object.entries(FILE_RULES))('%s', async (_name, rule) => {
    expect(await findingsOf(rule, files)).toEqual([]);
  });

  it('has every project tagged, built and with one door', async () => {
    expect(await workspaceFindings(files)).toEqual([]);
  });

  // Each rule is shown an offence, because a rule that never finds anything proves nothing.
  it.each([
    ['names say what is inside', 'libs/money/src/string-helpers.ts', ''],
    ['file names are kebab-case with their role', 'libs/domain/src/bankRules.ts', ''],
    ['nothing is left for later', 'libs/domain/src/money/money.ts', `// TO${'DO'} round`],
    ['money never meets a float', 'libs/domain/src/money/money.ts', 'const cents = Number(amountText);'],
    [
      'only the registry names a currency',
      'apps/payments/src/wallets/wallets.ts',
      'const fee = SERVICE_FEES.KES ?? 0n;',
    ],
    ['only the registry names a currency', 'apps/standalone/src/banner.ts', 'curl(`${baseUrl}/ngn/status`)'],
    ['only the registry names a currency', 'libs/domain/src/money/money.ts', '/** Of NGN_BANKS. */'],
    [
      'tests wait for conditions',
      'libs/domain/src/money/money.spec.ts',
      `await new Promise((resolve) => ${'setTimeout'}(resolve, 10));`,
    ],
    ['no key is made that may stand still', 'libs/chains/src/keys.ts', `${'generateKeyPair'}Sync('ed25519')`],
    [
      'a feature is entered by its index',
      'apps/payments/src/payouts/start-payout.ts',
      "import { Wallets } from '../wallets/wallets.js';\nimport { leaseFor } from '../due-work/index.js';",
    ],
    ...[
      "import type { Database } from '@vuka/persistence';\n@Injectable()\nexport class Orders {\n  constructor(private readonly db: Database) {}\n}",
      "import { type Database } from '@vuka/persistence';\n@Injectable()\nexport class Orders {\n  constructor(private readonly db: Database) {}\n}",
      "import { Database } from '@vuka/persistence';\n@Injectable()\nexport class Orders {\n  constructor(private readonly db: Pick<Database, 'query'>) {}\n}",
      '@Injectable()\nexport class Orders {\n  constructor(a: A, b: B, c: C, @Inject(CLOCK) d: () => Date, e: E, f: F, g: G) {}\n}',
    ].map((text) => ['what is injected is a class or has a token', 'apps/checkout/src/orders/order.store.ts', text]),
    ['every test runs', 'libs/domain/src/money/money.spec.ts', `it.${'only'}('adds', () => {});`],
    ['a silenced rule says why', 'libs/domain/src/money/money.ts', `// eslint-${'disable'}-next-line no-console`],
    ['a silenced rule says why', 'libs/domain/src/money/money.ts', `// oxlint-${'disable'}-next-line no-console`],
  ])('%s: would be seen', (name, path, text) => {
    const rule = FILE_RULES[name];
    expect(rule.applies(path)).toBe(true);
    expect(rule.find(path, text)).toHaveLength(1);
  });
});

describe('money never meets a float', () => {
  const rule = FILE_RULES['money never meets a float'];
  const found = (path, line) => rule.find(path, line).length;

  it.each([
    'const cents = Number(amountText);',
    'const cents = parseFloat(text);',
    'const cents = Number.parseInt(text, 10);',
    'const cents = +text;',
    'take(a, +(text));',
    'const cents = Math.round(x * 100);',
    'return x.toFixed(2);',
    'const cents = JSON.parse(text) as number;',
    'const whole = ~~x;',
  ])('%s: not in the domain', (line) => {
    expect(found('libs/domain/src/money/money.ts', line)).toBe(1);
  });

  it.each([
    'const shown = Number(row.amount_minor) / 100;',
    'const shown = Number(String(amountMinor));',
    'const shown = Number.parseFloat(request.fee);',
    'const shown = parseInt(feeMinor, 10);',
    'const fee = Math.ceil(amount * bps);',
    'const shown = +row.balance;',
    'take(+body.amount);',
    'const half = amountMinor * 0.5;',
    'const major = balance / 100;',
    'const text = amount.toFixed(2);',
    'interface Row { amount: number }',
    'readonly feeMinor?: number;',
    'amount: z.number(),',
    'service_fee: z.int().min(0),',
    'balance_minor: z.number(),',
  ])('%s: nowhere that is shipped', (line) => {
    for (const path of [
      'libs/domain/src/money/money.ts',
      'apps/payments/src/wallets/wallets.ts',
      'libs/payouts/src/provider-http.ts',
    ])
      expect(found(path, line)).toBe(1);
  });

  it.each([
    'const cents = amountMinor * 100n + feeMinor / 2n;',
    'return { id: Number(row.id), amountMinor, balance };',
    'function format(minor: bigint, minorDecimals: number): string {',
    'const decimals = Math.max(...networks.map(({ decimals }) => decimals));',
    'const sum = `${left}+${right}`;',
    'readonly amountMinor: bigint;',
    'const all = first + amountMinor;',
    'amount: z.string(),',
  ])('%s: is what it should be', (line) => {
    for (const path of ['apps/payments/src/wallets/wallets.ts', 'libs/payouts/src/provider-http.ts'])
      expect(found(path, line)).toBe(0);
  });

  it('looks at all that is shipped, and at no test', () => {
    for (const path of [
      'libs/domain/src/money/money.ts',
      'apps/gateway/src/account.ts',
      'apps/sandbox/src/providers/book/payout-book.ts',
    ])
      expect(rule.applies(path)).toBe(true);
    for (const path of [
      'libs/domain/src/money/money.spec.ts',
      'libs/domain/src/requests/requests.spec-support.ts',
      'libs/testing/src/checker/check-outside.ts',
    ])
      expect(rule.applies(path)).toBe(false);
  });
});

describe('the check of the Node version', () => {
  const ranges = '^20.19.0 || ^22.13.0 || >=24.11.0';

  it.each([
    ['20.19.0', true],
    ['20.20.2', true],
    ['20.18.3', false],
    ['21.7.0', false],
    ['22.12.9', false],
    ['22.13.0', true],
    ['23.9.0', false],
    ['24.10.0', false],
    ['24.11.0', true],
    ['26.0.0', true],
  ])('%s: %s', (version, expected) => {
    expect(satisfies(version, ranges)).toBe(expected);
  });

  it('warns of a Node.js that gets no more repairs', () => {
    expect(noticeOf('20.20.2')).toMatch(/no more security repairs/);
    expect([noticeOf('22.13.0'), noticeOf('24.11.0')]).toEqual([undefined, undefined]);
  });
});
