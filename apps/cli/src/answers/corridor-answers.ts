import type { TroubleCommand } from '../commands/trouble-words.js';
import { CALL } from '../commands/help.js';
import { whenCarriedOn, type Admin } from '../admin-client.js';
import { corridorsPage, switchedCorridorLines, switchedCorridorName } from '../pages/corridors-page.js';
import { refusal, type Answer } from './answer.js';

export async function corridorsAnswer(admin: Admin): Promise<Answer> {
  const page = await admin.payments.corridors();
  return { code: 0, json: page, text: (paint, now) => corridorsPage(page, now, paint) };
}

export async function switchCorridor(
  command: Extract<TroubleCommand, { name: 'corridor-off' | 'corridor-on' }>,
  admin: Admin,
): Promise<Answer> {
  const { name, ...wish } = command;
  const isOff = name === 'corridor-off';
  const done = await (isOff ? admin.payments.corridorOff(wish) : admin.payments.corridorOn(wish));
  if (!done.ok) return refusal(done.error, [`${CALL} corridors`]);
  const when = whenCarriedOn(admin);
  const what = isOff
    ? `is switched off: new payouts take another provider or wait ${when}, and what was sent is asked about as before`
    : `is switched on: what waited is tried again ${when}`;
  return {
    code: 0,
    json: { corridor_switch: done.value },
    text: (paint, now) =>
      [
        `${paint.green('✓')} ${paint.bold(switchedCorridorName(done.value))} ${what}.`,
        ...switchedCorridorLines(done.value, now, paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}
