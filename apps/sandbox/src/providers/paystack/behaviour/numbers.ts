import type { AnswerFault, Behaviour, RecordFault, Step, TransferStatus, WebhookPlan } from './behaviour.js';
import { CALL_REFUSALS, FAILURE_TEXTS, type FailureText, REFUSALS } from './refusals.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const to = (status: TransferStatus, after: Step['after'] = SECOND_MS): Step => ({ after, to: status });
const failed = (failure: FailureText = 'System Malfunction', after = SECOND_MS): Step => ({
  after,
  to: 'failed',
  failure,
});
const PAID: readonly Step[] = [to('success')];
const UNPAID: readonly Step[] = [failed()];

/** All other numbers. */
export const DEFAULT_BEHAVIOUR: Behaviour = { sentence: 'Paid after a second, told by one webhook.', course: PAID };

const course = (sentence: string, ...steps: readonly Step[]): Behaviour => ({ sentence, course: steps });
const answer = (how: AnswerFault['how'], taken: boolean, sentence: string, steps = PAID): Behaviour => ({
  sentence,
  answer: { how, taken },
  course: steps,
});
const record = (sentence: string, fault: RecordFault, steps = PAID): Behaviour => ({
  sentence,
  record: fault,
  course: steps,
});
const webhooks = (sentence: string, plans: readonly WebhookPlan[], steps = PAID): Behaviour => ({
  sentence,
  webhooks: plans,
  course: steps,
});

/** How the call that pays is answered. */
const ANSWERS: Readonly<Record<string, Behaviour>> = {
  '0001': answer('cut', true, 'Taken and paid, the connection is cut before the answer.'),
  '0002': answer('cut', false, 'The connection is cut before it is taken; a second call is taken.'),
  '0003': answer('hold', true, 'Taken and paid, the answer comes long after anybody waits for it.'),
  '0004': answer('html', true, 'Taken and paid, the answer is 200 with HTML.'),
  '0005': answer('html', false, 'Not taken, the answer is 200 with HTML; a second call is taken.'),
  '0006': answer('server_error', true, 'Taken and paid, the answer is 500.'),
  '0007': answer('server_error', false, 'Not taken, the answer is 500; a second call is taken.'),
  '0008': answer('too_many', false, 'The first call gets 429; a second one is taken.'),
  '0009': answer('wrong_key', false, 'The first call gets 401; a second one is taken.'),
  '0010': answer('gateway_html', true, 'Taken and paid, a gateway answers 502 with HTML.'),
  '0011': answer('truncated', true, 'Taken and paid, the JSON of the answer stops in its middle.'),
  '0012': answer('empty', true, 'Taken and paid, the answer is 200 without a body.'),
  '0013': answer('strange_status', true, 'Taken and paid, the answer has a status that nobody knows.'),
  '0014': answer('other_reference', true, 'Taken and paid, the answer is about another reference.'),
  '0015': answer('cut', true, 'Taken and not paid, the connection is cut before the answer.', UNPAID),
  '0016': answer('duplicate', true, 'Taken and paid, the first call is answered as a duplicate.'),
  '0017': {
    ...answer('duplicate', false, 'Never taken, every call is answered as a duplicate.'),
    answer: { how: 'duplicate', taken: false, always: true },
  },
  '0018': answer('cut_midway', true, 'Taken and paid, the connection is cut in the middle of the answer.'),
  '0019': {
    sentence: 'Its recipient is gone at the first call; made again it is paid.',
    recipientGone: true,
    course: PAID,
  },
  '0020': answer('duplicate_404', true, 'Taken and paid, the first call is answered as a duplicate by 404.'),
  '0021': {
    ...answer('duplicate_404', false, 'Never taken, every call is answered as a duplicate by 404.'),
    answer: { how: 'duplicate_404', taken: false, always: true },
  },
  '0022': { sentence: 'Paid, a second call is a duplicate by 404.', duplicateAs: '404', course: PAID },
  '0023': answer('says_success', true, 'Not paid, the answer to the call says success.', UNPAID),
  '0024': answer('status_false', true, 'Taken and paid, the answer is 200 with status false.'),
};

/** How a taken transfer goes on. */
const COURSES: Readonly<Record<string, Behaviour>> = {
  '0101': {
    sentence: 'Wants an OTP, is abandoned after half an hour without, paid with.',
    starts: 'otp',
    course: PAID,
  },
  '0102': {
    sentence: 'Received in the answer and for half an hour, then paid.',
    starts: 'received',
    course: [to('pending', 30 * MINUTE_MS), ...PAID],
  },
  '0103': course('Pending for an hour, then paid.', to('success', 60 * MINUTE_MS)),
  '0104': course('Pending for an hour, then not paid.', failed('System Malfunction', 60 * MINUTE_MS)),
  '0105': course('Pending for ever.'),
  '0106': course('Pending until released, then paid.', to('success', 'released')),
  '0107': course('Not paid, and paid after all five minutes later.', failed(), to('success', 5 * MINUTE_MS)),
  '0108': course('Paid, and reversed five minutes later: the money came back.', ...PAID, to('reversed', 5 * MINUTE_MS)),
  '0109': course('Abandoned.', to('abandoned')),
  '0110': course('Blocked.', to('blocked')),
  '0111': course('Rejected.', to('rejected')),
  '0112': course('Reversed without having been paid.', to('reversed')),
  '0113': course(
    'A status that nobody knows for a minute, then paid.',
    to('unheard_of', 200),
    to('success', MINUTE_MS),
  ),
  '0114': course('A status that nobody knows for a minute, then not paid.', to('unheard_of', 200), {
    ...failed(),
    after: MINUTE_MS,
  }),
  '0115': { sentence: 'Received for ever.', starts: 'received', course: [] },
  '0116': course('Pending for twenty minutes, then paid.', to('success', 20 * MINUTE_MS)),
  '0117': course('Paid, and failed five minutes later: the money came back.', ...PAID, failed('', 5 * MINUTE_MS)),
};

/** What the status says. */
const RECORDS: Readonly<Record<string, Behaviour>> = {
  '0201': record('Paid, session is null.', { withoutSession: true }),
  '0202': record('Paid, the record has another amount.', { amount: 'other' }),
  '0203': record('Paid, the record has another account.', { account: 'other' }),
  '0204': record('Paid, the record has another currency.', { currency: 'other' }),
  '0205': record('Paid, the record has another bank.', { bank: 'other' }),
  '0206': record('Taken and paid, not found for fourteen minutes.', { hiddenMs: 14 * MINUTE_MS }),
  '0207': record('Taken and paid, status calls get 500 for a minute.', {
    answers: { how: 'server_error', forMs: MINUTE_MS },
  }),
  '0208': record('Taken and paid, status calls get HTML with 200 for a minute.', {
    answers: { how: 'html', forMs: MINUTE_MS },
  }),
  '0209': record('Paid, the record has another recipient code.', { recipient: 'other' }),
  '0210': record('Not paid, the words are in failures.', { failures: 'object' }, UNPAID),
  '0211': record('Taken and paid, status calls get 429 for a minute.', {
    answers: { how: 'too_many', forMs: MINUTE_MS },
  }),
  '0212': record('Paid, the record spells created_at.', { spelling: 'snake' }),
  '0213': record('Paid, the record has another reference.', { reference: 'other' }),
  '0214': record('Not paid, the record has a session all the same.', { withSession: true }, UNPAID),
  '0215': record('Taken and paid, status calls get 401 for a minute.', {
    answers: { how: 'wrong_key', forMs: MINUTE_MS },
  }),
  '0216': record('Never paid, not found for fourteen minutes, then failed.', { hiddenMs: 14 * MINUTE_MS }, UNPAID),
};

/** How the end is told. */
const WEBHOOKS: Readonly<Record<string, Behaviour>> = {
  '0301': webhooks('Paid, the webhook is lost.', []),
  '0302': webhooks('Paid, told twice.', [{}, { afterMs: 30 * SECOND_MS }]),
  '0303': { sentence: 'Paid and told before the call that pays is answered.', course: PAID, early: true },
  '0304': webhooks('Paid, told ten minutes later.', [{ afterMs: 10 * MINUTE_MS }]),
  '0305': webhooks('Paid, the only webhook is signed by a wrong key.', [{ signing: 'forged' }]),
  '0306': webhooks('Paid, the body of the webhook was altered.', [{ signing: 'altered_body' }]),
  '0307': webhooks('Paid, the webhook is not signed.', [{ signing: 'unsigned' }]),
  '0308': webhooks('Paid, the webhook is signed by SHA-256.', [{ signing: 'sha256' }]),
  '0309': webhooks('Paid, the webhook spells createdAt.', [{ spelling: 'camel' }]),
  '0310': webhooks('Paid, the webhook spells created_at.', [{ spelling: 'snake' }]),
  '0311': webhooks('Not paid, a forged webhook says paid.', [{ signing: 'forged', says: 'opposite' }], UNPAID),
  '0312': webhooks('Paid, an unsigned webhook says failed.', [{ signing: 'unsigned', says: 'opposite' }]),
  '0313': webhooks('Paid, a webhook is about a transfer that nobody knows.', [{ says: 'other_reference' }, {}]),
  '0314': webhooks(
    'Pending for ever, an unsigned webhook says paid.',
    [{ on: 'pending', signing: 'unsigned', says: 'opposite' }],
    [to('pending', 200)],
  ),
  '0315': webhooks('Paid, a signed webhook has another amount.', [{ says: 'other_amount' }]),
  '0316': webhooks('Paid, the event of the signed webhook is one that nobody knows.', [{ says: 'other_event' }]),
};

const numbered = (first: number, behaviours: readonly Behaviour[]): Record<string, Behaviour> =>
  Object.fromEntries(behaviours.map((behaviour, index) => [String(first + index).padStart(4, '0'), behaviour]));

const REFUSED = numbered(
  401,
  CALL_REFUSALS.map((name) => ({
    sentence: `Every call is refused: ${REFUSALS[name].message.replace(/\.$/, '')}.`,
    refuses: REFUSALS[name],
    course: PAID,
  })),
);

const FAILURES = numbered(
  501,
  FAILURE_TEXTS.map((text) => course(`Accepted, then failed: ${text || 'without a word'}.`, failed(text))),
);

/** How the name behind an account is told; transfers to it are paid. */
const NAMES: Readonly<Record<string, Behaviour>> = {
  '0601': {
    sentence: 'Nobody has this account: no recipient is made of it where names are known, else transfers fail.',
    resolve: 'nobody',
    course: [failed('Account number is invalid')],
  },
  '0602': { sentence: 'The account has no name.', resolve: 'nameless', course: PAID },
  '0603': { sentence: 'Asking for the name gets 500.', resolve: 'server_error', course: PAID },
  '0604': { sentence: 'Asking for the name gets 429.', resolve: 'too_many', course: PAID },
  '0605': { sentence: 'Asking for the name gets HTML with 200.', resolve: 'html', course: PAID },
  '0606': { sentence: 'Asking for the name is answered too late.', resolve: 'hold', course: PAID },
};

const recipient = (how: NonNullable<Behaviour['recipientAnswer']>, sentence: string): Behaviour => ({
  sentence,
  recipientAnswer: how,
  course: PAID,
});

/** How the call that makes the recipient is answered. */
const RECIPIENTS: Readonly<Record<string, Behaviour>> = {
  '0701': recipient('cut', 'The recipient is made, the connection is cut before the answer.'),
  '0702': recipient('hold', 'The recipient is made, the answer comes long after anybody waits for it.'),
  '0703': recipient('html', 'The recipient is made, the answer is 200 with HTML.'),
  '0704': recipient('server_error', 'The first call for a recipient gets 500.'),
  '0705': recipient('too_many', 'The first call for a recipient gets 429.'),
  '0706': recipient('other_account', 'The answer about the recipient has another account.'),
};

/** The last four digits of the recipient's account decide. */
export const NUMBERS: Readonly<Record<string, Behaviour>> = {
  ...ANSWERS,
  ...COURSES,
  ...RECORDS,
  ...WEBHOOKS,
  ...REFUSED,
  ...FAILURES,
  ...NAMES,
  ...RECIPIENTS,
};

export function behaviourOf(accountNumber: string): Behaviour {
  const number = accountNumber.slice(-4);
  return (Object.hasOwn(NUMBERS, number) ? NUMBERS[number] : undefined) ?? DEFAULT_BEHAVIOUR;
}
