import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import type { PartnerView, TermsView, WalletView } from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { refusal, type Answer } from './answer.js';
import { CALL } from '../commands/help.js';
import type { Admin } from '../admin-client.js';
import { aboutKeys, keyTable } from './key-answers.js';
import { namedPartner, withPartner } from './named-partner.js';
import type { PartnerCommand, PartnerWord } from '../commands/partner-words.js';
import { moneyText, relativeText } from '../pages/text-values.js';
import { stepLines } from '../pages/trouble-lines.js';
import { reseal } from './reseal.js';
import { aboutWebhooks } from './webhook-answers.js';

const MOST_SHOWN = 200;
const LONGEST_FILE_BYTES = 1_000_000;

export async function aboutPartners(command: PartnerCommand, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'partners':
      return listPartners(command.before, admin);
    case 'partner':
      return onePartner(command.partner, admin);
    case 'partner-create':
      return create(command, admin);
    case 'partner-suspend':
    case 'partner-resume':
      return changeStatus(command, admin);
    case 'terms':
      return terms(command, admin);
    case 'keys':
    case 'key-issue':
    case 'key-rotate':
    case 'key-revoke':
      return aboutKeys(command, admin);
    case 'webhook-set':
    case 'webhook-secret-rotate':
    case 'deliveries':
    case 'webhooks-resend':
      return aboutWebhooks(command, admin);
    case 'reseal':
      return reseal(command, admin);
  }
}

async function listPartners(before: number | null, admin: Admin): Promise<Answer> {
  const { partners, more } = await admin.gateway.partners({ limit: MOST_SHOWN, ...(before !== null && { before }) });
  const last = partners.at(-1)?.partner_id ?? 0;
  const next = more ? [`${CALL} partners --before ${String(last)}`] : [];
  return {
    code: 0,
    json: { partners, more },
    text: (paint, now) =>
      partners.length === 0
        ? 'There is no partner.'
        : [
            ...textTable(
              [
                { title: 'partner', align: 'right' },
                { title: 'name', atMost: 60 },
                { title: 'status' },
                { title: 'terms' },
                { title: 'webhook', atMost: 60 },
                { title: 'made' },
              ],
              partners.map((one) => [
                String(one.partner_id),
                oneLine(one.name),
                statusText(one, paint),
                one.own_terms ? 'own' : '',
                oneLine(one.webhook?.url ?? ''),
                relativeText(one.created_at, now),
              ]),
              paint,
            ),
            ...stepLines(next, paint),
          ].join('\n'),
  };
}

async function onePartner(word: PartnerWord, admin: Admin): Promise<Answer> {
  const found = await admin.views.partner(word);
  if (!found.ok) return refusal(found.error, [`${CALL} partners`]);
  const { partner, keys, wallets } = found.value;
  return {
    code: 0,
    json: { partner, keys, wallets },
    text: (paint, now) =>
      [
        ...partnerLines(partner, now, paint),
        '',
        ...walletLines(wallets, paint),
        '',
        ...(keys.length === 0 ? ['No keys.'] : keyTable(keys, now, paint)),
      ].join('\n'),
  };
}

async function create(
  { called: name, email, by, reason }: Extract<PartnerCommand, { name: 'partner-create' }>,
  admin: Admin,
): Promise<Answer> {
  const made = await admin.gateway.createPartner({ name, email, by, reason });
  if (!made.ok) return refusal(made.error);
  const id = String(made.value.partner_id);
  const next = [
    `${CALL} key-issue ${id} --kind consumer --reason "…" --by "…"`,
    `${CALL} webhook-secret-rotate ${id} --reason "…" --by "…"`,
    `${CALL} fund ${id} --currency … --amount … --reason "…" --by "…"`,
  ];
  return {
    code: 0,
    json: { partner: made.value, next },
    text: (paint) =>
      [
        `${paint.green('✓')} Partner ${paint.bold(namedPartner(made.value))} is created. It has no keys, no webhook secret and no money yet.`,
        ...stepLines(next, paint).map((line) => `  ${line}`),
      ].join('\n'),
  };
}

async function changeStatus(
  { name, partner: word, by, reason }: Extract<PartnerCommand, { name: 'partner-suspend' | 'partner-resume' }>,
  admin: Admin,
): Promise<Answer> {
  return withPartner(word, admin, async ({ partner_id: partnerId }) => {
    const isEnd = name === 'partner-suspend';
    const done = await (isEnd
      ? admin.gateway.suspendPartner({ partnerId, by, reason })
      : admin.gateway.resumePartner({ partnerId, by, reason }));
    if (!done.ok) return refusal(done.error);
    const when = admin.isRunning ? 'within five seconds' : 'when Vuka starts again';
    const what = isEnd
      ? `is suspended: nothing starts for it any more, ${when}`
      : `is active: what waited continues ${when}`;
    return {
      code: 0,
      json: { partner: done.value },
      text: (paint) => `${paint.green('✓')} Partner ${paint.bold(namedPartner(done.value))} ${what}.`,
    };
  });
}

async function terms({ partner: word, to }: Extract<PartnerCommand, { name: 'terms' }>, admin: Admin): Promise<Answer> {
  const rows = to === null || to.file === null ? { ok: true as const, value: null } : readTerms(resolve(to.file));
  if (!rows.ok) return refusal({ code: 'invalid_request', message: rows.error });
  return withPartner(word, admin, async ({ partner_id: partnerId }) => {
    const view =
      to === null
        ? await admin.gateway.terms(partnerId)
        : await admin.gateway.setTerms({ partnerId, terms: rows.value, by: to.by, reason: to.reason });
    if (!view.ok) return refusal(view.error);
    const { value } = view;
    const said = to === null ? [] : [to.file === null ? 'It no longer has terms of its own.' : 'Its terms are set.'];
    return {
      code: 0,
      json: { terms: value },
      text: (paint) => [...said.map((line) => `${paint.green('✓')} ${line}`), ...termLines(value, paint)].join('\n'),
    };
  });
}

function readTerms(
  file: string,
): { readonly ok: true; readonly value: Record<string, unknown> } | { readonly ok: false; readonly error: string } {
  try {
    if (statSync(file).size > LONGEST_FILE_BYTES)
      return { ok: false, error: `${file} is too long to be a file of terms` };
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ok: true, value: value as Record<string, unknown> };
    return { ok: false, error: `${file} must be a JSON object of rows (docs/operators/terms.md)` };
  } catch (error) {
    return { ok: false, error: `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'it is not JSON'}` };
  }
}

function partnerLines(partner: PartnerView, now: Date, paint: Paint): string[] {
  const { webhook, webhook_disabled: disabled } = partner;
  return [
    `${paint.bold(namedPartner(partner))}  ${statusText(partner, paint)}${partner.suspended_at === null ? '' : ` since ${relativeText(partner.suspended_at, now)}`}`,
    `  ${oneLine(partner.email)}, made ${relativeText(partner.created_at, now)}${partner.own_terms ? ', with terms of its own' : ''}`,
    `  webhook: ${webhook === null ? 'none by default' : `${oneLine(webhook.url)}${webhook.set_at === null ? '' : `, set ${relativeText(webhook.set_at, now)}`}`}`,
    ...(disabled === null
      ? []
      : [
          paint.yellow(
            `  removed: the receiver at ${oneLine(disabled.url)} answered 410, ${relativeText(disabled.at, now)}`,
          ),
        ]),
  ];
}

function walletLines(wallets: readonly WalletView[], paint: Paint): string[] {
  if (wallets.length === 0) return ['No wallets.'];
  return textTable(
    [
      { title: 'wallet' },
      { title: 'balance', align: 'right' },
      { title: 'held', align: 'right' },
      { title: 'owes', align: 'right' },
    ],
    wallets.map(({ currency, balance, held, owed }) => [
      currency,
      moneyText(balance),
      moneyText(held),
      moneyText(owed),
    ]),
    paint,
  );
}

function termLines({ terms: own, problem, limits, fees }: TermsView, paint: Paint): string[] {
  if (problem !== null)
    return [paint.red(`Its terms break a rule of this deployment, so its requests are refused: ${oneLine(problem)}`)];
  const head =
    own === null ? 'It has no terms of its own: the terms of the deployment apply.' : 'Its own terms are marked.';
  const mark = (isOwn: boolean): string => (isOwn ? paint.yellow('own') : '');
  return [
    head,
    '',
    ...textTable(
      [
        { title: 'limit' },
        { title: 'currency' },
        { title: 'paid in' },
        { title: 'to' },
        { title: 'from', align: 'right' },
        { title: 'up to', align: 'right' },
        { title: '' },
      ],
      limits.map((one) => [
        one.operation,
        one.currency,
        one.paid_in,
        `${one.type} ${one.mobile_network}`.trim(),
        one.min,
        one.max,
        mark(one.own),
      ]),
      paint,
    ),
    '',
    ...textTable(
      [
        { title: 'fee' },
        { title: 'currency' },
        { title: 'paid in' },
        { title: 'flat', align: 'right' },
        { title: 'basis points', align: 'right' },
        { title: '' },
      ],
      fees.map((one) => [one.operation, one.currency, one.paid_in, one.flat, String(one.basis_points), mark(one.own)]),
      paint,
    ),
  ];
}

function statusText({ status }: PartnerView, paint: Paint): string {
  return status === 'active' ? paint.green(status) : paint.red(status);
}
