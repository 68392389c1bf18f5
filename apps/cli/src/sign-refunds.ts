import { closeSync, fsyncSync, openSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { refusal, type Answer } from './answers/answer.js';
import type { CliCommand } from './commands/parse-command.js';
import { CALL } from './commands/help.js';
import type { Admin } from './admin-client.js';
import { stepLines } from './pages/trouble-lines.js';

type AboutSigning = Extract<
  CliCommand,
  { name: 'refunds-export' | 'refunds-import' | 'refund-cancel' | 'refund-clear' | 'refund-settle' }
>;

/** Below admin's request limit (libs/http), and several times the size of 500 transfers. */
const LONGEST_FILE_BYTES = 4_000_000;

/** Files with refunds to and from the machine with the keys. */
export function aboutSigning(command: AboutSigning, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'refunds-export':
      return takeOut(resolve(command.out), admin);
    case 'refunds-import':
      return bringIn(resolve(command.file), command, admin);
    case 'refund-cancel':
      return cancel(command, admin);
    case 'refund-clear':
      return clear(command, admin);
    case 'refund-settle':
      return settle(command, admin);
  }
}

async function takeOut(file: string, admin: Admin): Promise<Answer> {
  let handle: number;
  try {
    // Never overwrites a file: it may be in transit.
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    return refusal({
      code: 'invalid_request',
      message:
        (error as NodeJS.ErrnoException).code === 'EEXIST'
          ? `${file} exists already: name another file`
          : `${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    });
  }
  let isWhole = false;
  try {
    const asked = await admin.offramp.refundsToSign();
    writeFileSync(handle, `${JSON.stringify(asked, null, 2)}\n`);
    fsyncSync(handle);
    isWhole = true;
    const { length } = asked.transfers;
    const next = [
      `npm run --silent keys -- sign ${file} --key KEYFILE --out SIGNED`,
      `${CALL} refunds-import SIGNED --reason "…" --by "…"`,
    ];
    return {
      code: 0,
      json: { file, transfers: length, next },
      text: (paint) =>
        [
          `${paint.green('✓')} ${String(length)} ${length === 1 ? 'transfer is' : 'transfers are'} in ${file}.`,
          ...(length === 0
            ? []
            : [
                '  Run the first command on the machine that has the key, without a network. Run the second one here:',
                ...stepLines(next, paint).map((line) => `  ${line}`),
              ]),
        ].join('\n'),
    };
  } finally {
    closeSync(handle);
    // A repeat writes to the same name.
    if (!isWhole) unlinkSync(file);
  }
}

async function bringIn(
  file: string,
  { by, reason }: Extract<AboutSigning, { name: 'refunds-import' }>,
  admin: Admin,
): Promise<Answer> {
  let content: unknown;
  try {
    if (statSync(file).size > LONGEST_FILE_BYTES)
      return refusal({ code: 'invalid_request', message: `${file} is too long to be a file of signed refunds` });
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return refusal({
      code: 'invalid_request',
      message: `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'it is not JSON'}`,
    });
  }
  const taken = await admin.offramp.takeSigned({ file: content, by, reason });
  if (!taken.ok) return refusal({ code: 'invalid_request', message: `${file}: ${taken.error}` });
  const refused = taken.value.filter((one) => !one.taken);
  const when = admin.isRunning ? 'within seconds' : 'when Vuka starts again';
  return {
    code: refused.length === 0 ? 0 : 1,
    json: { imported: taken.value },
    text: (paint) =>
      [
        `${paint.green('✓')} ${String(taken.value.length - refused.length)} of ${String(taken.value.length)} are imported, and sent to their chains ${when}.`,
        ...refused.map(({ refund_id, why }) => `${paint.red('✗')} refund ${String(refund_id)}: ${why}.`),
      ].join('\n'),
  };
}

async function cancel(
  { refundId, by, reason }: Extract<AboutSigning, { name: 'refund-cancel' | 'refund-clear' }>,
  admin: Admin,
): Promise<Answer> {
  const done = await admin.offramp.cancelRefund({ refundId, by, reason });
  if (!done.ok)
    return refusal({ code: 'invalid_request', message: `Refund ${String(refundId)} is not cancelled: ${done.error}` }, [
      `${CALL} refunds`,
    ]);
  const { ends } = done.value;
  const then =
    ends === null
      ? `✓ Refund ${String(refundId)} is cancelled: nothing is sent, and its value is available to the partner again.`
      : [
          `✓ Refund ${String(refundId)} is being cancelled: Vuka sends nothing for it any more.`,
          '  It was exported for signing and may have been sent. Its value stays held until the chain proves that it cannot arrive,',
          `  ${ends}. Then it ends by itself.`,
        ].join('\n');
  return {
    code: 0,
    json: { cancelled: { refund_id: refundId, by, reason, ends_when: ends } },
    text: (paint) => then.replace('✓', paint.green('✓')),
  };
}

async function clear(
  { refundId, by, reason }: Extract<AboutSigning, { name: 'refund-cancel' | 'refund-clear' }>,
  admin: Admin,
): Promise<Answer> {
  const done = await admin.offramp.clearRefund({ refundId, by, reason });
  if (!done.ok)
    return refusal({ code: 'invalid_request', message: `Refund ${String(refundId)} is not cleared: ${done.error}` }, [
      `${CALL} refunds`,
    ]);
  return {
    code: 0,
    json: { cleared: { refund_id: refundId, by, reason } },
    text: (paint) => `${paint.green('✓')} Refund ${String(refundId)} is cleared: it continues.`,
  };
}

async function settle(
  { refundId, sent, by, evidence }: Extract<AboutSigning, { name: 'refund-settle' }>,
  admin: Admin,
): Promise<Answer> {
  const done = await admin.offramp.settleRefund({ refundId, sent, by, reason: evidence });
  if (!done.ok)
    return refusal(
      { code: 'invalid_request', message: `Nothing was recorded for refund ${String(refundId)}: ${done.error}` },
      [`${CALL} refunds`],
    );
  const then =
    sent === null
      ? 'if its chain agrees, it is prepared again for a new signature; if it was cancelled, or its deposit vanished, it ends'
      : 'it is recorded as sent, and the partner is told';
  const { isHeld } = done.value;
  return {
    code: 0,
    json: { settled: { refund_id: refundId, sent, by, evidence, signature_held: sent === null ? null : isHeld } },
    text: (paint) =>
      [
        `${paint.green('✓')} Refund ${String(refundId)}: ${then}.`,
        ...(isHeld
          ? []
          : [
              '  No signature of that transfer was ever imported. Only your evidence says that it is this refund. Find out who sent it.',
            ]),
      ].join('\n'),
  };
}
