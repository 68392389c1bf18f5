import { Inject, Injectable } from '@nestjs/common';
import {
  validationApi,
  type CallContext,
  type InternalClient,
  type NameMatch,
  type ResolvedName,
} from '@vuka/contracts';
import {
  CURRENCIES,
  DEFAULT_CURRENCY,
  fail,
  hintedNetworks,
  ok,
  parseNameRequest,
  recipientRefusal,
  shortcodeOf,
  type Coverage,
  type Currency,
  type DestinationKind,
  type LookupDestination,
  type Result,
} from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { clientOf, COVERAGE, LOGGER } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';

export interface ResolveNameInput {
  readonly caller: Caller;
  /** null: not in the path. */
  readonly currency: Currency | null;
  readonly body: JsonBody;
  readonly context: CallContext;
}

interface NameStatus {
  readonly status: ResolvedName['status'];
  /** The network or bank gave the name; else only the form was checked. */
  readonly verified: boolean;
  readonly name_match?: NameMatch;
}

/** decisions.md section 2, validation (compat). Unknown names are ''. */
export type NameView = NameStatus &
  (
    | { readonly shortcode: string; readonly public_name: string; readonly mobile_network: string }
    | {
        readonly account_name: string;
        readonly account_number: string;
        readonly bank_name: string;
        readonly bank_code: string;
      }
  );

export interface NameTold {
  readonly view: NameView;
  readonly message: string;
}

const UNANSWERED = 'Names cannot be looked up at the moment. Nothing is known of this destination; try again later';

/**
 * Without a currency in the path, the default's rules hold. Errors: those of parseNameRequest, a recipient whom no configured route
 * pays, rate_limited, service_unavailable.
 */
@Injectable()
export class ResolveName {
  constructor(
    @Inject(clientOf(validationApi))
    private readonly validation: Pick<InternalClient<typeof validationApi>, 'resolveName'>,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(COVERAGE) private readonly coverage: Coverage,
  ) {}

  async run({ caller, currency, body, context }: ResolveNameInput): Promise<Result<NameTold>> {
    const rules = currency ?? CURRENCIES[DEFAULT_CURRENCY];
    const parsed = parseNameRequest(rules, body);
    if (!parsed.ok) return parsed;
    const { destination, accountName } = parsed.value;
    const refusal = recipientRefusal(this.coverage, rules, destination);
    if (refusal !== null) return fail(refusal);
    const question = { partner_id: caller.partnerId, currency: rules.code, destination, account_name: accountName };
    const answer = await read(this.log, () => this.validation.resolveName(question, context), UNANSWERED);
    return answer.ok
      ? ok({ view: viewOf(destination, answer.value), message: messageOf(destination, answer.value) })
      : answer;
  }
}

function viewOf(destination: LookupDestination, { status, verified, name, name_match }: ResolvedName): NameView {
  const match = name_match === null ? {} : { name_match };
  if (destination.kind === 'bank') {
    const { account_number, bank_name, bank_code } = destination;
    return { status, account_name: name, account_number, bank_name, bank_code, verified, ...match };
  }
  const mobile_network = destination.kind === 'mobile' ? destination.mobile_network : '';
  return { status, shortcode: shortcodeOf(destination), public_name: name, mobile_network, verified, ...match };
}

const IN_WORDS: Readonly<Record<DestinationKind, string>> = {
  bank: 'bank account',
  mobile: 'mobile money account',
  paybill: 'paybill',
  till: 'till',
};

const COMPARED: Readonly<Record<NameMatch, string>> = {
  exact: '. It is the name that was sent',
  partial: '. It has only some of the words of the name that was sent',
  none: '. It has nothing in common with the name that was sent',
};

function messageOf(destination: LookupDestination, answer: ResolvedName): string {
  return outcomeOf(IN_WORDS[destination.kind], answer) + hintOf(destination, answer);
}

function outcomeOf(what: string, { status, verified, name_match }: ResolvedName): string {
  if (status === 'FAILED') return `There is no such ${what}`;
  if (!verified)
    return `The form of this ${what} is right, but its name cannot be told: whether it exists and whose it is is not known`;
  return `The name of this ${what} is known${name_match === null ? '' : COMPARED[name_match]}`;
}

/** Set if a provider, or else the number's range, tells another network than the one named. */
function hintOf(destination: LookupDestination, { likely_network: likely }: ResolvedName): string {
  if (destination.kind !== 'mobile') return '';
  const networks = likely === undefined ? hintedNetworks(destination.phone) : [likely];
  if (networks.length === 0 || networks.includes(destination.mobile_network)) return '';
  return `. The number looks like one of ${networks.join(' or ')}, which is only a hint: numbers are moved between networks`;
}
