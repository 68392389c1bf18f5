import type { LedgerPage } from './desk.js';
import type { Paint } from './paint.js';
import { textTable } from './text-table.js';
import { moneyText } from './text-values.js';

/** The rules with what breaks them, the balances, and the verdict last, where the eye is. */
export function ledgerPage({ ok, checks, balances, not_read, deposits_under_way }: LedgerPage, paint: Paint): string {
  const broken = checks.filter((check) => check.broken.length > 0).length;
  return [
    ...checks.flatMap((check) => [
      check.broken.length === 0 ? `${paint.green('✓')} ${check.rule}` : `${paint.red('✗')} ${paint.bold(check.rule)}`,
      ...check.broken.map((row) => `    ${JSON.stringify(row)}`),
    ]),
    ...not_read.map(({ what, why }) => `${paint.yellow('?')} not read: ${what} (${why})`),
    ...(deposits_under_way === 0 ? [] : [paint.dim(`  ${deposits_under_way} deposits are under way between offramp and payments`)]),
    '',
    paint.bold('Balances, from the entries'),
    ...textTable([{ title: 'account' }, { title: 'balance', align: 'right' }], balances.map(({ account, balance }) => [account, moneyText(balance)]), paint).map((line) => `  ${line}`),
    '',
    ok ? paint.green(`The ledger is sound.${not_read.length === 0 ? '' : ' What was not read is not judged.'}`) : paint.red(`The ledger is broken: ${broken} of ${checks.length} rules.`),
  ].join('\n');
}
