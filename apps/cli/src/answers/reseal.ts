import type { PepperView, ResealView } from '@vuka/admin';
import type { Paint } from '@vuka/terminal';

import type { Admin } from '../admin-client.js';
import type { PartnerCommand } from '../commands/partner-words.js';
import { plural } from '../pages/text-values.js';
import type { Answer } from './answer.js';

/** Each of some 5,000 rows. */
const MOST_CALLS = 100_000;
const SERVICES = ['payments', 'gateway', 'checkout', 'notifier'] as const;

type Sealed = ResealView & { readonly service: string };

/** Goes on where the last one was stopped. */
export async function reseal(
  { by, reason }: Extract<PartnerCommand, { name: 'reseal' }>,
  admin: Admin,
): Promise<Answer> {
  const columns: Sealed[] = [];
  for (const service of SERVICES) {
    let views = await admin[service].reseal({ begin: true, by, reason });
    for (let calls = 0; views.some(({ done }) => !done) && calls < MOST_CALLS; calls += 1)
      views = await admin[service].reseal({ begin: false, by, reason });
    columns.push(...views.map((view) => ({ ...view, service })));
  }
  const peppers = await admin.gateway.keyPeppers();
  const whole = columns.every(({ done, unopened }) => done && unopened === 0);
  return {
    code: whole ? 0 : 1,
    json: { columns, key_peppers: peppers, done: whole },
    text: (paint) => [headline(columns, whole, paint), ...columns.map(line), ...peppers.map(pepperLine)].join('\n'),
  };
}

function headline(columns: readonly Sealed[], whole: boolean, paint: Paint): string {
  const resealed = columns.reduce((sum, one) => sum + one.resealed, 0);
  if (!whole) return paint.red('✗ Not everything could be sealed anew. Keep every old key.');
  const older = columns.filter(({ found, newest }) => Object.keys(found).some((key) => key !== newest)).length;
  return older === 0
    ? `${paint.green('✓')} Nothing is under an older key.`
    : `${paint.green('✓')} ${plural(resealed, 'row')} sealed anew. Run it again before you remove a key: then it finds none under it.`;
}

function line({ service, column, found, newest, unopened, done }: Sealed): string {
  const keys = Object.entries(found).sort(([one], [other]) => one.localeCompare(other));
  const rows = keys.map(([key, count]) => `${key}${key === newest ? ' (newest)' : ''}: ${plural(count, 'row')}`);
  return [
    `  ${service} ${column}: ${rows.length === 0 ? 'none' : rows.join(', ')}`,
    ...(unopened > 0 ? [`${plural(unopened, 'row')} did not open`] : []),
    ...(done ? [] : ['not finished']),
  ].join('; ');
}

function pepperLine({ pepper, keys, newest, known }: PepperView): string {
  const what = newest ? ' (newest)' : keys === 0 ? ', which may go' : known ? '' : ', which is not in the secrets file';
  return `  gateway pepper ${pepper}${what}: ${plural(keys, 'valid key')}`;
}
