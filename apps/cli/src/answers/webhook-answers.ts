import type { DeliveryLogView } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { refusal, type Answer } from './answer.js';
import { CALL } from '../commands/help.js';
import { whenCarriedOn, type Admin } from '../admin-client.js';
import { namedPartner, withPartner } from './named-partner.js';
import type { PartnerCommand } from '../commands/partner-words.js';
import { plural, relativeText, timeText } from '../pages/text-values.js';
import { stepLines } from '../pages/trouble-lines.js';

type AboutWebhooks = Extract<
  PartnerCommand,
  {
    readonly name: 'webhook-set' | 'webhook-secret-rotate' | 'deliveries' | 'webhooks-resend';
  }
>;

const PAGE = 100;
/** Calls per command, of up to a thousand deliveries each. */
const MOST_CALLS = 1_000;

export async function aboutWebhooks(command: AboutWebhooks, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'webhook-set':
      return setWebhook(command, admin);
    case 'webhook-secret-rotate':
      return rotate(command, admin);
    case 'deliveries':
      return deliveries(command, admin);
    case 'webhooks-resend':
      return resend(command, admin);
  }
}

async function setWebhook(
  { partner, url, by, reason }: Extract<AboutWebhooks, { name: 'webhook-set' }>,
  admin: Admin,
): Promise<Answer> {
  return withPartner(partner, admin, async ({ partner_id: partnerId }) => {
    const done = await admin.gateway.setWebhook({ partnerId, url, by, reason });
    if (!done.ok) return refusal(done.error);
    const { webhook } = done.value;
    const what =
      webhook === null
        ? 'gets no webhooks by default any more'
        : `gets its webhooks at ${oneLine(webhook.url)}, unless a request names another URL`;
    return {
      code: 0,
      json: { partner: done.value },
      text: (paint) => `${paint.green('✓')} Partner ${namedPartner(done.value)} ${what}.`,
    };
  });
}

async function rotate(
  { partner, overlapHours, force, by, reason }: Extract<AboutWebhooks, { name: 'webhook-secret-rotate' }>,
  admin: Admin,
): Promise<Answer> {
  return withPartner(partner, admin, async (one) => {
    const done = await admin.notifier.rotateSecret({
      partnerId: one.partner_id,
      overlapHours: overlapHours ?? 24,
      force,
      by,
      reason,
    });
    if (!done.ok) return refusal(done.error);
    const { secret, previous_until: until } = done.value;
    return {
      code: 0,
      json: { secret, previous_until: until },
      text: (paint) =>
        [
          `${paint.green('✓')} The new webhook secret of ${namedPartner(one)}:`,
          '',
          secret,
          '',
          paint.yellow(
            'The secret is shown only now. Give it to the partner over the agreed channel, then clear this screen.',
          ),
          ...(until === null ? [] : [`Webhooks are also signed with the old secret until ${timeText(until)}.`]),
        ].join('\n'),
    };
  });
}

async function deliveries(
  { partner, state, code, cursor }: Extract<AboutWebhooks, { name: 'deliveries' }>,
  admin: Admin,
): Promise<Answer> {
  return withPartner(partner, admin, async ({ partner_id: partnerId }) => {
    const page = await admin.notifier.deliveries({
      partnerId,
      limit: PAGE,
      ...(state !== null && { state }),
      ...(code !== null && { code }),
      ...(cursor !== null && { cursor }),
    });
    if (!page.ok) return refusal(page.error);
    const { deliveries: rows, next_cursor: next } = page.value;
    const filters = `${state === null ? '' : ` --state ${state}`}${code === null ? '' : ` --code ${code}`}`;
    const steps = next === null ? [] : [`${CALL} deliveries ${String(partnerId)}${filters} --cursor ${next}`];
    return {
      code: 0,
      json: { deliveries: rows, next_cursor: next },
      text: (paint, now) =>
        rows.length === 0 ? 'None.' : [...deliveryTable(rows, now, paint), ...stepLines(steps, paint)].join('\n'),
    };
  });
}

async function resend(
  { partner, id, by, reason }: Extract<AboutWebhooks, { name: 'webhooks-resend' }>,
  admin: Admin,
): Promise<Answer> {
  return withPartner(partner, admin, async ({ partner_id: partnerId }) => {
    const when = whenCarriedOn(admin);
    if (id !== null) {
      const sent = await admin.notifier.resend({ partnerId, deliveryId: id, by, reason });
      return sent.ok
        ? {
            code: 0,
            json: { resent: 1, delivery: sent.value },
            text: (paint) => `${paint.green('✓')} ${sent.value.webhook_id} is sent again ${when}.`,
          }
        : refusal(sent.error);
    }
    let resent = 0;
    let cursor: string | null = null;
    for (let calls = 0; calls < MOST_CALLS; calls += 1) {
      const sent: Awaited<ReturnType<Admin['notifier']['resendFailed']>> = await admin.notifier.resendFailed({
        partnerId,
        by,
        reason,
        ...(cursor !== null && { cursor }),
      });
      if (!sent.ok) return refusal(sent.error);
      resent += sent.value.resent;
      cursor = sent.value.next_cursor;
      if (cursor === null) break;
    }
    const more = cursor !== null;
    return {
      code: 0,
      json: { resent, more },
      text: (paint) =>
        `${paint.green('✓')} ${plural(resent, 'webhook')} ${resent === 1 ? 'is' : 'are'} sent again ${when}${more ? '; there are more: run the command again' : ''}.`,
    };
  });
}

function deliveryTable(rows: readonly DeliveryLogView[], now: Date, paint: Paint): string[] {
  return textTable(
    [
      { title: 'id', align: 'right' },
      { title: 'event' },
      { title: 'of', atMost: 40 },
      { title: 'state' },
      { title: 'to', atMost: 40 },
      { title: 'posts', align: 'right' },
      { title: 'last' },
      { title: 'made' },
      { title: 'next' },
    ],
    rows.map((row) => [
      String(row.id),
      row.event,
      oneLine(row.transaction_code || row.order_id),
      stateText(row, paint),
      oneLine(row.host),
      String(row.attempts),
      row.last_status === null ? (row.last_error ?? '') : String(row.last_status),
      relativeText(row.created_at, now),
      row.next_attempt_at === null ? '' : relativeText(row.next_attempt_at, now),
    ]),
    paint,
  );
}

function stateText({ state, expired }: DeliveryLogView, paint: Paint): string {
  const text = expired ? `${state}, expired` : state;
  return state === 'failed' ? paint.red(text) : state === 'delivered' ? paint.green(text) : text;
}
