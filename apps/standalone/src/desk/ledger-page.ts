import type { LedgerView } from '@vuka/payments';

import type { Paint } from './paint.js';
import { textTable } from './text-table.js';
import { moneyText } from './text-values.js';

/** The rules with what breaks them, the balances, and the verdict last, where the eye is. */
export function ledgerPage({ ok, checks, balances }: LedgerView, paint: Paint): string {
  const broken = checks.filter((check) => check.broken.length > 0).length;
  return [
    ...checks.flatMap((check) => [
      check.broken.length === 0 ? `${paint.green('✓')} ${check.rule}` : `${paint.red('✗')} ${paint.bold(check.rule)}`,
      ...check.broken.map((row) => `    ${JSON.stringify(row)}`),
    ]),
    '',
    paint.bold('Balances, from the entries'),
    ...textTable([{ title: 'account' }, { title: 'balance', align: 'right' }], balances.map(({ account, balance }) => [account, moneyText(balance)]), paint).map((line) => `  ${line}`),
    '',
    ok ? paint.green('The ledger is sound.') : paint.red(`The ledger is broken: ${broken} of ${checks.length} rules.`),
  ].join('\n');
}
