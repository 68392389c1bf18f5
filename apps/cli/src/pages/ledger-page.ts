import type { LedgerPage } from '@vuka/admin';
import { type Paint, textTable } from '@vuka/terminal';

import { moneyText } from './text-values.js';

export function ledgerPage(
  { verdict, checks, balances, not_read, deposits_under_way }: LedgerPage,
  paint: Paint,
): string {
  const broken = checks.filter((check) => check.broken.length > 0).length;
  return [
    ...checks.flatMap((check) => [
      check.broken.length === 0 ? `${paint.green('✓')} ${check.rule}` : `${paint.red('✗')} ${paint.bold(check.rule)}`,
      ...check.broken.map((row) => `    ${JSON.stringify(row)}`),
    ]),
    ...not_read.map(({ what, why }) => `${paint.yellow('?')} not read: ${what} (${why})`),
    ...(deposits_under_way === 0
      ? []
      : [paint.dim(`  ${deposits_under_way} deposits are still on their way between offramp and payments`)]),
    '',
    paint.bold('Balances, from the entries'),
    ...textTable(
      [{ title: 'account' }, { title: 'balance', align: 'right' }],
      balances.map(({ account, balance }) => [account, moneyText(balance)]),
      paint,
    ).map((line) => `  ${line}`),
    '',
    verdictLine(),
  ].join('\n');

  function verdictLine(): string {
    if (verdict === 'not_sound') return paint.red(`The ledger is broken: ${broken} of ${checks.length} rules.`);
    if (verdict === 'sound') return paint.green('The ledger is sound.');
    const text = `The ledger is sound as far as it could be read. Not read: ${not_read.map(({ what }) => what).join('; ')}.`;
    return not_read.some(({ is_away }) => is_away) ? paint.yellow(text) : paint.green(text);
  }
}
