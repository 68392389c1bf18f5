import type { KeyView, MadeKey } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { refusal, type Answer } from './answer.js';
import { CALL } from '../commands/help.js';
import type { Admin } from '../admin-client.js';
import { namedPartner, withPartner } from './named-partner.js';
import type { KeyWords, PartnerCommand } from '../commands/partner-words.js';
import { relativeText } from '../pages/text-values.js';
import { stepLines } from '../pages/trouble-lines.js';

type AboutKeys = Extract<PartnerCommand, { readonly name: 'keys' | 'key-issue' | 'key-rotate' | 'key-revoke' }>;

export async function aboutKeys(command: AboutKeys, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'key-issue': {
      const { partner, kind, key, by, reason } = command;
      return withPartner(partner, admin, async (one) => {
        const made = await admin.gateway.issueKey({ partnerId: one.partner_id, kind, ...termsOf(key), by, reason });
        return made.ok ? madeAnswer(made.value, `A ${kind} key of ${namedPartner(one)}.`) : refusal(made.error);
      });
    }
    case 'key-rotate': {
      const { visiblePrefix, overlapHours, key, by, reason } = command;
      const made = await admin.gateway.rotateKey({
        key: visiblePrefix,
        ...(overlapHours !== null && { overlapHours }),
        ...termsOf(key),
        by,
        reason,
      });
      return made.ok ? madeAnswer(made.value, `It replaces ${visiblePrefix}.`) : refusal(made.error);
    }
    case 'key-revoke': {
      const { visiblePrefix: key, by, reason } = command;
      const done = await admin.gateway.revokeKey({ key, by, reason });
      if (!done.ok) return refusal(done.error);
      const when = admin.isRunning
        ? 'every gateway refuses it within five seconds'
        : 'it is refused from the next start of Vuka';
      return { code: 0, json: { key: done.value }, text: (paint) => `${paint.green('✓')} ${key} is revoked: ${when}.` };
    }
    case 'keys':
      return withPartner(command.partner, admin, async (partner) => {
        const keys = await admin.gateway.listKeys(partner.partner_id);
        const next = [`${CALL} key-issue ${String(partner.partner_id)} --kind consumer --reason "…" --by "…"`];
        return {
          code: 0,
          json: { keys },
          text: (paint, now) =>
            keys.length === 0
              ? [`${namedPartner(partner)} has no keys.`, ...stepLines(next, paint)].join('\n')
              : keyTable(keys, now, paint).join('\n'),
        };
      });
  }
}

export function keyTable(keys: readonly KeyView[], now: Date, paint: Paint): string[] {
  return textTable(
    [
      { title: 'key' },
      { title: 'state' },
      { title: 'label', atMost: 40 },
      { title: 'may' },
      { title: 'from', atMost: 50 },
      { title: 'ends' },
      { title: 'used' },
      { title: 'made by', atMost: 30 },
    ],
    keys.map((key) => [
      key.visible_prefix,
      stateText(key, paint),
      oneLine(key.label ?? ''),
      key.scopes === null ? 'all' : key.scopes.join(','),
      key.addresses === null ? '' : key.addresses.join(','),
      key.state !== 'live' || key.expires_at === null ? '' : relativeText(key.expires_at, now),
      key.last_used_at === null ? '' : relativeText(key.last_used_at, now),
      oneLine(key.created_by ?? ''),
    ]),
    paint,
  );
}

/** On a line of its own, because it is never shown again. */
function madeAnswer({ key, issued, replaced }: MadeKey, what: string): Answer {
  return {
    code: 0,
    json: { key, issued, replaced },
    text: (paint, now) =>
      [
        `${paint.green('✓')} ${what}`,
        '',
        key,
        '',
        paint.yellow(
          'The key is shown only now, and is stored nowhere. Give it to the partner over the agreed channel, then clear this screen.',
        ),
        ...(replaced === null
          ? []
          : [
              replaced.state === 'live' && replaced.expires_at !== null
                ? `${replaced.visible_prefix} ends ${relativeText(replaced.expires_at, now)}.`
                : `${replaced.visible_prefix} is ${replaced.state}.`,
            ]),
      ].join('\n'),
  };
}

function stateText({ state }: KeyView, paint: Paint): string {
  return state === 'live' ? paint.green(state) : paint.dim(state);
}

function termsOf({ scopes, addresses, ...rest }: KeyWords): {
  label?: string;
  scopes?: string[];
  addresses?: string[];
  expiresAt?: Date;
} {
  return {
    ...rest,
    ...(scopes !== undefined && { scopes: [...scopes] }),
    ...(addresses !== undefined && { addresses: [...addresses] }),
  };
}
