import { actIn, hasControls, listIn, numberOf, textIn, timeIn, WrongUsage, type Words } from './command-words.js';
import type { PARTNER_COMMANDS } from './partner-commands.js';

export type PartnerCommandName = keyof typeof PARTNER_COMMANDS;

interface AuditEntry {
  readonly by: string;
  readonly reason: string;
}

export type PartnerWord = number | string;

/** Absent fields stay as they are, or unlimited. */
export interface KeyWords {
  readonly label?: string;
  readonly scopes?: readonly string[];
  readonly addresses?: readonly string[];
  readonly expiresAt?: Date;
}

export type PartnerCommand =
  | { readonly name: 'partners'; readonly before: number | null }
  | { readonly name: 'partner'; readonly partner: PartnerWord }
  | { readonly name: 'keys'; readonly partner: PartnerWord }
  | ({ readonly name: 'partner-create'; readonly called: string; readonly email: string } & AuditEntry)
  | ({ readonly name: 'partner-suspend' | 'partner-resume'; readonly partner: PartnerWord } & AuditEntry)
  | ({
      readonly name: 'key-issue';
      readonly partner: PartnerWord;
      readonly kind: 'consumer' | 'checkout';
      readonly key: KeyWords;
    } & AuditEntry)
  | ({
      readonly name: 'key-rotate';
      readonly visiblePrefix: string;
      readonly overlapHours: number | null;
      readonly key: KeyWords;
    } & AuditEntry)
  | ({ readonly name: 'key-revoke'; readonly visiblePrefix: string } & AuditEntry)
  | {
      readonly name: 'terms';
      readonly partner: PartnerWord;
      readonly to: ({ readonly file: string | null } & AuditEntry) | null;
    }
  | ({ readonly name: 'webhook-set'; readonly partner: PartnerWord; readonly url: string | null } & AuditEntry)
  | ({
      readonly name: 'webhook-secret-rotate';
      readonly partner: PartnerWord;
      readonly overlapHours: number | null;
      readonly force: boolean;
    } & AuditEntry)
  | ({ readonly name: 'reseal' } & AuditEntry)
  | {
      readonly name: 'deliveries';
      readonly partner: PartnerWord;
      readonly state: DeliveryState | null;
      readonly code: string | null;
      readonly cursor: string | null;
    }
  | ({ readonly name: 'webhooks-resend'; readonly partner: PartnerWord; readonly id: number | null } & AuditEntry);

const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'superseded', 'ended'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const LONGEST_PARTNER_NAME = 80;

export function readPartnerCommand(name: PartnerCommandName, words: Words): PartnerCommand {
  switch (name) {
    case 'partners': {
      const before = textIn(words, 'before');
      return { name, before: before === null ? null : numberOf(before, 'a partner') };
    }
    case 'partner':
      return { name, partner: partnerIn(words) };
    case 'keys':
      return { name, partner: partnerIn(words) };
    case 'partner-create':
      return {
        name,
        called: nameOfPartner(words.positionals[0] ?? ''),
        email: given(words, 'email', 'give the email address of the partner.'),
        ...actIn(words),
      };
    case 'partner-suspend':
    case 'partner-resume':
      return { name, partner: partnerIn(words), ...actIn(words) };
    case 'key-issue': {
      const kind = given(words, 'kind', 'consumer or checkout.');
      if (kind !== 'consumer' && kind !== 'checkout') throw new WrongUsage('--kind must be consumer or checkout.');
      return { name, partner: partnerIn(words), kind, key: keyIn(words), ...actIn(words) };
    }
    case 'key-rotate':
      return {
        name,
        visiblePrefix: prefixIn(words),
        overlapHours: overlapIn(words),
        key: keyIn(words),
        ...actIn(words),
      };
    case 'key-revoke':
      return { name, visiblePrefix: prefixIn(words), ...actIn(words) };
    case 'terms':
      return { name, partner: partnerIn(words), to: termsIn(words) };
    case 'webhook-set': {
      const url = textIn(words, 'url');
      if ((url === null) === (words.options['none'] !== true)) throw new WrongUsage('Give either --url or --none.');
      return { name, partner: partnerIn(words), url, ...actIn(words) };
    }
    case 'webhook-secret-rotate':
      return {
        name,
        partner: partnerIn(words),
        overlapHours: overlapIn(words),
        force: words.options['force'] === true,
        ...actIn(words),
      };
    case 'reseal':
      return { name, ...actIn(words) };
    case 'deliveries':
      return {
        name,
        partner: partnerIn(words),
        state: deliveryStateIn(words),
        code: textIn(words, 'code'),
        cursor: textIn(words, 'cursor'),
      };
    case 'webhooks-resend': {
      const id = textIn(words, 'id');
      if ((id === null) === (words.options['failed'] !== true))
        throw new WrongUsage('Give either --failed, for all that were given up, or --id, for one.');
      return { name, partner: partnerIn(words), id: id === null ? null : numberOf(id, 'a delivery'), ...actIn(words) };
    }
  }
}

export function partnerIn(words: Words): PartnerWord {
  const [word = ''] = words.positionals;
  return /^[1-9]\d{0,14}$/.test(word) ? Number(word) : nameOfPartner(word);
}

export function given(words: Words, option: string, question: string): string {
  const text = textIn(words, option)?.trim() ?? '';
  if (text === '') throw new WrongUsage(`--${option} is missing: ${question}`);
  return text;
}

function nameOfPartner(word: string): string {
  const name = word.trim();
  if (name === '' || name.length > LONGEST_PARTNER_NAME || hasControls(name))
    throw new WrongUsage(
      `The name of a partner must be one line of at most ${String(LONGEST_PARTNER_NAME)} characters.`,
    );
  return name;
}

/** A whole key must not be typed: it would stay in the shell's history. */
function prefixIn(words: Words): string {
  const [word = ''] = words.positionals;
  if (/^vk_(test|live)_[a-z]+_[A-Za-z0-9-]+_./.test(word))
    throw new WrongUsage(
      'Do not type the whole key: give only its visible part, before the secret. The command keys shows it.',
    );
  if (!/^vk_(test|live)_[a-z]+_[A-Za-z0-9-]{1,64}$/.test(word))
    throw new WrongUsage(
      'That is not the visible part of a key. It looks like vk_test_consumer_…; the command keys shows it.',
    );
  return word;
}

function keyIn(words: Words): KeyWords {
  const label = textIn(words, 'label');
  const [scopes, addresses, expiresAt] = [
    listIn(words, 'scopes'),
    listIn(words, 'addresses'),
    timeIn(words, 'expires'),
  ];
  return {
    ...(label !== null && { label }),
    ...(scopes !== null && { scopes }),
    ...(addresses !== null && { addresses }),
    ...(expiresAt !== null && { expiresAt }),
  };
}

function overlapIn(words: Words): number | null {
  const text = textIn(words, 'overlap');
  if (text === null) return null;
  if (!/^\d{1,4}$/.test(text))
    throw new WrongUsage(`--overlap "${text}" is not valid: it must be a whole number of hours.`);
  return Number(text);
}

function termsIn(words: Words): ({ file: string | null } & AuditEntry) | null {
  const file = textIn(words, 'file');
  const none = words.options['none'] === true;
  if (file !== null && none) throw new WrongUsage('Give either --file or --none.');
  if (file !== null || none) return { file, ...actIn(words) };
  if (textIn(words, 'reason') !== null)
    throw new WrongUsage('--reason is for a change: give --file or --none as well.');
  return null;
}

function deliveryStateIn(words: Words): DeliveryState | null {
  const text = textIn(words, 'state');
  if (words.options['failed'] === true) {
    if (text !== null) throw new WrongUsage('Give either --failed or --state.');
    return 'failed';
  }
  if (text === null) return null;
  const state = DELIVERY_STATES.find((known) => known === text);
  if (state === undefined) throw new WrongUsage(`--state must be one of ${DELIVERY_STATES.join(', ')}.`);
  return state;
}
