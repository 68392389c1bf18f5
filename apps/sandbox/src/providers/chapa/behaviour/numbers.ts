import type {
  AnswerFault,
  ApprovalPlan,
  Approvals,
  Behaviour,
  RecordFault,
  Step,
  TransferStatus,
  WebhookPlan,
} from './behaviour.js';
import { type RefusalCode, REFUSALS } from './refusals.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const queued: Step = { after: 200, to: 'queued' };
const to = (status: TransferStatus, after: Step['after'] = 800): Step => ({ after, to: status });
const PAID: readonly Step[] = [queued, to('success')];
const UNPAID: readonly Step[] = [queued, to('failed')];

/** All other numbers. */
export const DEFAULT_BEHAVIOUR: Behaviour = {
  sentence: 'Paid a second after it is approved, told once.',
  course: PAID,
};

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
const asks = (
  sentence: string,
  plans: readonly ApprovalPlan[],
  more: Omit<Approvals, 'asks'> = {},
  steps = PAID,
): Behaviour => ({ sentence, approvals: { asks: plans, ...more }, course: steps });

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
  '0009': answer('unauthorized', false, 'The first call gets 401; a second one is taken.'),
  '0010': answer('gateway_html', true, 'Taken and paid, a gateway answers 502 with HTML.'),
  '0011': answer('truncated', true, 'Taken and paid, the JSON of the answer stops in its middle.'),
  '0012': answer('empty', true, 'Taken and paid, the answer is 200 without a body.'),
  '0013': answer('strange_status', true, 'Taken and paid, the answer has a status that nobody knows.'),
  '0014': answer('other_reference', true, 'Taken and paid, the answer is about another reference.'),
  '0015': answer('cut', true, 'Taken and not paid, the connection is cut before the answer.', UNPAID),
  '0016': answer('used_before', true, 'Taken and paid, the first call is told that the reference was used before.'),
  '0017': {
    ...answer('used_before', false, 'Never taken, every call is told that the reference was used before.'),
    answer: { how: 'used_before', taken: false, always: true },
  },
  '0018': answer('cut_midway', true, 'Taken and paid, the connection is cut in the middle of the answer.'),
  '0019': answer('failed_with_200', true, 'Taken and paid, the answer is 200 and its status says failed.'),
  '0020': answer('null_data', true, 'Taken and paid, the answer has no reference.'),
  '0021': answer('object_data', true, 'Taken and paid, the answer has an object where the reference belongs.'),
  '0022': answer('test_mode', true, 'Taken and paid, the answer is worded as in test mode.'),
  '0023': answer('too_many', true, 'Taken and paid, the first call gets 429.'),
};

/** How an approved transfer goes on. */
const COURSES: Readonly<Record<string, Behaviour>> = {
  '0101': course('Queued for half an hour, then paid.', queued, to('success', 30 * MINUTE_MS)),
  '0102': course('Queued until released, then paid.', queued, to('success', 'released')),
  '0103': course('Pending for ever.'),
  '0104': course('Queued for ever.', queued),
  '0105': course('Pending until released, then paid.', to('queued', 'released'), to('success')),
  '0107': course('Failed, and paid after all five minutes later.', ...UNPAID, to('success', 5 * MINUTE_MS)),
  '0108': course('Paid, and failed five minutes later: the money came back.', ...PAID, to('failed', 5 * MINUTE_MS)),
  '0109': course('Pending for a minute, never queued, then paid.', to('success', MINUTE_MS)),
  '0110': course(
    'A status that nobody knows for a minute, then paid.',
    to('UNHEARD_OF', 200),
    to('success', MINUTE_MS),
  ),
  '0111': course(
    'A status that nobody knows for a minute, then not paid.',
    to('UNHEARD_OF', 200),
    to('failed', MINUTE_MS),
  ),
  '0112': course(
    'Cancelled, and paid after all five minutes later.',
    queued,
    to('cancelled'),
    to('success', 5 * MINUTE_MS),
  ),
  '0113': course('Queued for twenty minutes, then paid.', queued, to('success', 20 * MINUTE_MS)),
  '0114': course(
    'Queued for a day and a half, as over a Sunday, then paid.',
    queued,
    to('success', 36 * 60 * MINUTE_MS),
  ),
};

/** What verify says. */
const RECORDS: Readonly<Record<string, Behaviour>> = {
  '0201': record('Paid, cross_party_reference is null.', { receipt: 'null' }),
  '0202': record('Paid, the record has one more than the amount.', { amount: 'other' }),
  '0203': record('Paid, the record has another account number.', { account: 'other' }),
  '0204': record('Paid, the record has another currency.', { currency: 'other' }),
  '0205': record('Paid, the record has another bank.', { bank: 'other' }),
  '0206': record('Taken and paid, not found for fourteen minutes.', { hiddenMs: 14 * MINUTE_MS }),
  '0207': record('Taken and paid, questions get 500 for a minute.', {
    answers: { how: 'server_error', forMs: MINUTE_MS },
  }),
  '0208': record('Taken and paid, questions get HTML with 200 for a minute.', {
    answers: { how: 'html', forMs: MINUTE_MS },
  }),
  '0209': record('Paid, the record has the same amount as a string.', { amount: 'text' }),
  '0210': record('Paid, the record names the bank wrongly, as the documents do.', { bank: 'misnamed' }),
  '0211': record('Taken and paid, questions get 429 for a minute.', { answers: { how: 'too_many', forMs: MINUTE_MS } }),
  '0212': record('Paid, the record is about another reference.', { reference: 'other' }),
  '0213': record('Paid, verify answers as in test mode, without a record.', { testMode: true }),
  '0214': record('Paid, cross_party_reference is empty.', { receipt: 'empty' }),
  '0215': record('Paid, the record has the account number with the country before it.', { account: 'international' }),
  '0216': record('Paid, the record has another account name.', { name: 'other' }),
  '0217': record('Not paid, the record has one more than the amount.', { amount: 'other' }, UNPAID),
};

/** How the end is told. */
const WEBHOOKS: Readonly<Record<string, Behaviour>> = {
  '0301': webhooks('Paid, the webhook is lost.', []),
  '0302': webhooks('Paid, told twice.', [{}, { afterMs: 30 * SECOND_MS }]),
  '0303': { sentence: 'Paid and told before the call that pays is answered.', course: PAID, early: true },
  '0304': webhooks('Paid, told ten minutes later.', [{ afterMs: 10 * MINUTE_MS }]),
  '0305': webhooks('Paid, the only webhook is signed with another secret.', [{ signing: 'forged' }]),
  '0306': webhooks('Paid, the amount in the webhook was altered after signing.', [{ signing: 'altered_body' }]),
  '0307': webhooks('Paid, the webhook is not signed.', [{ signing: 'unsigned' }]),
  '0308': webhooks('Paid, the webhook has the constant chapa-signature alone.', [{ signing: 'constant_only' }]),
  '0309': webhooks('Paid, the webhook is written with spaces, its bytes are signed.', [{ signing: 'other_writing' }]),
  '0310': webhooks(
    'Not paid, slashes are escaped in the webhook, its bytes are signed.',
    [{ signing: 'other_writing' }],
    UNPAID,
  ),
  '0311': webhooks(
    'Not paid, slashes are escaped in the webhook, signed is the form without.',
    [{ signing: 'restated' }],
    UNPAID,
  ),
  '0312': webhooks('Not paid, a forged webhook says paid.', [{ signing: 'forged', says: 'opposite' }], UNPAID),
  '0313': webhooks(
    'Not paid, a webhook with the constant chapa-signature alone says paid.',
    [{ signing: 'constant_only', says: 'opposite' }],
    UNPAID,
  ),
  '0314': webhooks('Paid, a webhook comes while it is queued, before the final one.', [{ on: 'queued' }, {}]),
  '0315': webhooks('Paid, an unsigned webhook says failed.', [{ signing: 'unsigned', says: 'opposite' }]),
  '0316': webhooks('Paid, the constant is right and x-chapa-signature is not; it says failed.', [
    { signing: 'constant_and_forged', says: 'opposite' },
  ]),
  '0317': webhooks('Paid, a signed webhook is about a transfer that nobody knows.', [{ says: 'other_reference' }, {}]),
  '0318': webhooks(
    'Queued for ever, an unsigned webhook says paid.',
    [{ on: 'queued', signing: 'unsigned', says: 'opposite' }],
    [queued],
  ),
  '0319': webhooks('Paid, a signed webhook has another amount.', [{ says: 'other_amount' }]),
  '0320': webhooks('Paid, a signed webhook has another account number.', [{ says: 'other_account' }]),
  '0321': webhooks('Paid, a signed webhook says failed before a signed one says paid.', [
    { says: 'opposite' },
    { afterMs: MINUTE_MS },
  ]),
  '0322': webhooks('Not paid, the webhook says failed without the slash.', [{ says: 'plain_failed' }], UNPAID),
};

/** Refused with each documented text, in the order of the table of texts. */
const REJECTIONS = Object.fromEntries(
  (Object.keys(REFUSALS) as RefusalCode[]).map((code, index) => [
    String(401 + index).padStart(4, '0'),
    {
      sentence: `Every call is refused: ${code.replaceAll('_', ' ')}.`,
      rejects: code,
      course: PAID,
    } satisfies Behaviour,
  ]),
);

/** Not paid, in each word that there is for it. Chapa publishes no reasons [U]. */
const FAILURES: Readonly<Record<string, Behaviour>> = {
  '0501': course('Taken, then failed.', ...UNPAID),
  '0502': course('Taken, then cancelled.', queued, to('cancelled')),
  '0503': course('Taken, then failed/cancelled, with the slash.', queued, to('failed/cancelled')),
  '0504': course('Taken, then reverted, though it was approved.', queued, to('reverted')),
  '0505': course('Taken, then failed at once.', to('failed', 0)),
};

/** How it asks before it pays. */
const APPROVALS: Readonly<Record<string, Behaviour>> = {
  '0601': asks('Paid without asking.', [], { paysAnyway: true }),
  '0602': asks('Asks ten minutes later.', [{ afterMs: 10 * MINUTE_MS }]),
  '0603': asks('Asks twice; the first answer decides.', [{}, { afterMs: 30 * SECOND_MS, isIdle: true }]),
  '0604': asks('Asks about one more than the amount, and pays that if approved.', [{ says: 'other_amount' }]),
  '0605': asks('Asks about another account number, and pays that if approved.', [{ says: 'other_account' }]),
  '0606': asks('Asks with a signature by another secret.', [{ signing: 'forged' }]),
  '0607': asks('Asks without a signature.', [{ signing: 'unsigned' }]),
  '0608': asks('The amount in the question was altered after signing; pays that if approved.', [
    { signing: 'altered_body' },
  ]),
  '0609': asks('A stranger asks with a wrong signature first, then Chapa with a right one.', [
    { signing: 'forged', isIdle: true },
    { afterMs: SECOND_MS },
  ]),
  '0610': asks('Asks about a reference that nobody knows first, then about the right one.', [
    { says: 'other_reference', isIdle: true },
    { afterMs: SECOND_MS },
  ]),
  '0611': asks('Asks before the call that pays is answered.', [{}], { early: true }),
  '0612': asks('Pays at once and asks five minutes later.', [{ afterMs: 5 * MINUTE_MS, isIdle: true }], {
    paysAnyway: true,
  }),
  '0613': asks('Asks with the constant signature, which says nothing of the body.', [{ signing: 'constant' }]),
  '0614': asks('Asks about another bank, and pays there if approved.', [{ says: 'other_bank' }]),
  '0615': asks('Asks about another account name.', [{ says: 'other_name' }]),
  '0616': asks('Asks, and is not paid though approved.', [{}], {}, UNPAID),
  '0617': asks('Asks about the right amount, then about another one, which decides nothing.', [
    {},
    { afterMs: SECOND_MS, says: 'other_amount', isIdle: true },
  ]),
};

/** What a second call with the same reference does. */
const REPEATS: Readonly<Record<string, Behaviour>> = {
  '0701': {
    sentence: 'Each call with the same reference is taken and paid again.',
    course: PAID,
    repeats: 'paid_again',
  },
  '0702': { sentence: 'A second call with the same reference is refused.', course: PAID, repeats: 'refused' },
  '0703': {
    ...answer('cut', true, 'As 0701, and the answer to the first call is lost.'),
    repeats: 'paid_again',
  },
  '0704': {
    ...answer('server_error', true, 'As 0702, and the answer to the first call is 500.'),
    repeats: 'refused',
  },
};

/** The last four digits of the recipient's number decide. */
export const NUMBERS: Readonly<Record<string, Behaviour>> = {
  ...ANSWERS,
  ...COURSES,
  ...RECORDS,
  ...WEBHOOKS,
  ...REJECTIONS,
  ...FAILURES,
  ...APPROVALS,
  ...REPEATS,
};

export function behaviourOf(accountNumber: string): Behaviour {
  const number = accountNumber.slice(-4);
  return (Object.hasOwn(NUMBERS, number) ? NUMBERS[number] : undefined) ?? DEFAULT_BEHAVIOUR;
}
