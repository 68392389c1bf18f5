import { canonicalAddress } from '@vuka/chains';
import { assetOnChain, chainNamed } from '@vuka/domain';

import { switchLines } from '../pages/chain-pages.js';
import { refusal, type Answer } from './answer.js';
import type { CliCommand } from '../commands/parse-command.js';
import { CALL } from '../commands/help.js';
import { whenCarriedOn, type Admin } from '../admin-client.js';

export async function switchChain(
  command: Extract<CliCommand, { name: 'switch-off' | 'switch-on' }>,
  admin: Admin,
): Promise<Answer> {
  const { name, ...wish } = command;
  const isOff = name === 'switch-off';
  const done = await (isOff ? admin.offramp.switchOff(wish) : admin.offramp.switchOn(wish));
  if (!done.ok) return refusal(done.error, [`${CALL} switches`]);
  const when = whenCarriedOn(admin);
  const what = isOff
    ? `is switched off: new pays are refused ${when}, and what waits there keeps waiting`
    : `is switched on: what waited is checked again ${when}`;
  return {
    code: 0,
    json: { switch: done.value },
    text: (paint, now) =>
      [
        `${paint.green('✓')} ${paint.bold(assetOnChain(done.value))} ${what}.`,
        ...switchLines(done.value, now, paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

export async function returnAddress(
  { name: _, ...command }: Extract<CliCommand, { name: 'return-address' }>,
  admin: Admin,
): Promise<Answer> {
  const family = chainNamed(command.chain.toUpperCase())?.family;
  let { address } = command;
  if (address !== null && family !== undefined) {
    const spelled = await canonicalAddress(family, address);
    if (!spelled.ok) return refusal({ code: 'invalid_request', message: `--address ${spelled.error}` });
    address = spelled.value;
  }
  const result = await admin.payments.setReturnAddress({ ...command, address });
  if (!result.ok) return refusal(result.error);
  const { partner_id: partner } = result.value;
  const what =
    address === null
      ? `no longer has a return address on chains of the family ${family}`
      : `gets refunds on chains of the family ${family} at ${address}, unless a request names another address`;
  return {
    code: 0,
    json: { return_address: result.value },
    text: (paint) => `${paint.green('✓')} Partner ${partner} ${what}.`,
  };
}
