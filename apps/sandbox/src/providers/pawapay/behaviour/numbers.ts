import type { AnswerFault, Behaviour, CallbackPlan, RecordFault, Step } from './behaviour.js';
import { FAILED_CODES, type FailedCode, SUBMIT_CODES, type SubmitCode } from './failure-codes.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const processing: Step = { after: 200, to: 'PROCESSING' };
const completed: Step = { after: 800, to: 'COMPLETED' };
const failed = (code: FailedCode, after = 800): Step => ({ after, to: 'FAILED', code });
const PAID: readonly Step[] = [processing, completed];
const UNPAID: readonly Step[] = [processing, failed('RECIPIENT_NOT_FOUND')];

/** All other numbers. */
export const DEFAULT_BEHAVIOUR: Behaviour = { sentence: 'Paid after a second, called back once.', course: PAID };

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
const callbacks = (sentence: string, plans: readonly CallbackPlan[], steps = PAID): Behaviour => ({
  sentence,
  callbacks: plans,
  course: steps,
});

/** How the call that pays is answered. */
const ANSWERS: Readonly<Record<string, Behaviour>> = {
  '0001': answer('cut', true, 'Taken and paid, the connection is cut before the answer.'),
  '0002': answer('cut', false, 'The connection is cut before it is taken; a second call is taken.'),
  '0003': answer('hold', true, 'Taken and paid, the answer comes long after anybody waits for it.'),
  '0004': answer('html', true, 'Taken and paid, the answer is 200 with HTML.'),
  '0005': answer('html', false, 'Not taken, the answer is 200 with HTML; a second call is taken.'),
  '0006': answer('unknown_error', true, 'Taken and paid, the answer is 500 UNKNOWN_ERROR.'),
  '0007': answer('unknown_error', false, 'Not taken, the answer is 500 UNKNOWN_ERROR; a second call is taken.'),
  '0008': answer('too_many', false, 'The first call gets 429; a second one is taken.'),
  '0009': answer('no_authentication', false, 'The first call gets 401; a second one is taken.'),
  '0010': answer('gateway_html', true, 'Taken and paid, a gateway answers 502 with HTML.'),
  '0011': answer('truncated', true, 'Taken and paid, the JSON of the answer stops in its middle.'),
  '0012': answer('empty', true, 'Taken and paid, the answer is 200 without a body.'),
  '0013': answer('strange_status', true, 'Taken and paid, the answer has a status that nobody knows.'),
  '0014': answer('other_id', true, 'Taken and paid, the answer is about another payoutId.'),
  '0015': answer('cut', true, 'Taken and not paid, the connection is cut before the answer.', UNPAID),
  '0016': answer('duplicate', true, 'Taken and paid, the first call is answered DUPLICATE_IGNORED.'),
  '0017': {
    ...answer('duplicate', false, 'Never taken, every call is answered DUPLICATE_IGNORED.'),
    answer: { how: 'duplicate', taken: false, always: true },
  },
  '0018': answer('cut_midway', true, 'Taken and paid, the connection is cut in the middle of the answer.'),
};

/** How a taken payout goes on. */
const COURSES: Readonly<Record<string, Behaviour>> = {
  '0101': {
    ...course(
      'ENQUEUED in the answer and for half an hour, then paid.',
      { after: 0, to: 'ENQUEUED' },
      {
        after: 30 * MINUTE_MS,
        to: 'PROCESSING',
      },
      completed,
    ),
    answer: { how: 'enqueued', taken: true },
  },
  '0102': course(
    'ACCEPTED, then ENQUEUED until released or cancelled, then paid.',
    { after: 0, to: 'ENQUEUED' },
    {
      after: 'released',
      to: 'PROCESSING',
    },
    completed,
  ),
  '0103': course(
    'IN_RECONCILIATION for an hour, then paid.',
    processing,
    { after: 800, to: 'IN_RECONCILIATION' },
    {
      after: 60 * MINUTE_MS,
      to: 'COMPLETED',
    },
  ),
  '0104': course(
    'IN_RECONCILIATION for an hour, then not paid.',
    processing,
    { after: 800, to: 'IN_RECONCILIATION' },
    failed('UNSPECIFIED_FAILURE', 60 * MINUTE_MS),
  ),
  '0105': course('PROCESSING for ever.', processing),
  '0106': course('PROCESSING until released, then paid.', processing, { after: 'released', to: 'COMPLETED' }),
  '0107': course('Not paid, and paid after all five minutes later.', ...UNPAID, {
    after: 5 * MINUTE_MS,
    to: 'COMPLETED',
  }),
  '0108': course('Paid, and FAILED five minutes later: the money came back.', ...PAID, {
    after: 5 * MINUTE_MS,
    to: 'FAILED',
    code: 'UNSPECIFIED_FAILURE',
  }),
  '0109': course(
    'SUBMITTED, the older word for PROCESSING, then paid.',
    { after: 200, to: 'SUBMITTED' },
    {
      after: MINUTE_MS,
      to: 'COMPLETED',
    },
  ),
  '0110': course(
    'A state that nobody knows for a minute, then paid.',
    { after: 200, to: 'UNHEARD_OF' },
    {
      after: MINUTE_MS,
      to: 'COMPLETED',
    },
  ),
  '0111': course(
    'A state that nobody knows for a minute, then not paid.',
    { after: 200, to: 'UNHEARD_OF' },
    failed('RECIPIENT_NOT_FOUND', MINUTE_MS),
  ),
  '0112': course(
    'Accepted, then FAILED because our wallet at pawaPay has no funds.',
    processing,
    failed('PAWAPAY_WALLET_OUT_OF_FUNDS'),
  ),
  '0113': course('PROCESSING for twenty minutes, then paid.', processing, { after: 20 * MINUTE_MS, to: 'COMPLETED' }),
};

/** What the status says. */
const RECORDS: Readonly<Record<string, Behaviour>> = {
  '0201': record('Paid, without providerTransactionId.', { withoutReceipt: true }),
  '0202': record('Paid, the record has one more than the amount.', { amount: 'other' }),
  '0203': record('Paid, the record has another phone number.', { phone: 'other' }),
  '0204': record('Paid, the record has another currency.', { currency: 'other' }),
  '0205': record('Paid, the record has another provider.', { provider: 'other' }),
  '0206': record('Taken and paid, NOT_FOUND for fourteen minutes.', { hiddenMs: 14 * MINUTE_MS }),
  '0207': record('Taken and paid, status calls get 500 for a minute.', {
    answers: { how: 'unknown_error', forMs: MINUTE_MS },
  }),
  '0208': record('Taken and paid, status calls get HTML with 200 for a minute.', {
    answers: { how: 'html', forMs: MINUTE_MS },
  }),
  '0209': record('Paid, the record has the same amount with other zeros.', { amount: 'respelled' }),
  '0210': record('Not paid, the record gives no failureReason.', { withoutReason: true }, UNPAID),
  '0211': record('Taken and paid, status calls get 429 for a minute.', {
    answers: { how: 'too_many', forMs: MINUTE_MS },
  }),
};

/** How the end is called back. */
const CALLBACKS: Readonly<Record<string, Behaviour>> = {
  '0301': callbacks('Paid, the callback is lost.', []),
  '0302': callbacks('Paid, called back twice.', [{}, { afterMs: 30 * SECOND_MS }]),
  '0303': { sentence: 'Paid and called back before the call that pays is answered.', course: PAID, early: true },
  '0304': callbacks('Paid, called back ten minutes later.', [{ afterMs: 10 * MINUTE_MS }]),
  '0305': callbacks('Paid, the only callback is signed by a wrong key.', [{ signing: 'forged' }]),
  '0306': callbacks('Paid, the body of the callback was altered.', [{ signing: 'altered_body' }]),
  '0307': callbacks('Paid, the callback is not signed.', [{ signing: 'unsigned' }]),
  '0308': callbacks('Paid, the callback is signed by a new key.', [{ signing: 'rotated' }]),
  '0309': callbacks('Paid, the signature is raw r||s.', [{ signing: 'raw' }]),
  '0310': callbacks('Paid, the signature is DER.', [{ signing: 'der' }]),
  '0311': callbacks('Paid, the digest is SHA-256.', [{ signing: 'sha256' }]),
  '0312': callbacks('Not paid, a forged callback says paid.', [{ signing: 'forged', says: 'opposite' }], UNPAID),
  '0313': callbacks('Paid, body and digest were altered after signing.', [{ signing: 'altered_digest' }]),
  '0314': callbacks('Paid, a callback says PROCESSING before the final one.', [{ on: 'PROCESSING' }, {}]),
  '0315': callbacks('Paid, an unsigned callback says FAILED.', [{ signing: 'unsigned', says: 'opposite' }]),
  '0316': callbacks('Paid, the signature has expired.', [{ signing: 'expired' }]),
  '0317': callbacks('Paid, a callback is about a payout that nobody knows.', [{ says: 'other_id' }, {}]),
  '0318': callbacks(
    'PROCESSING for ever, an unsigned callback says paid.',
    [{ on: 'PROCESSING', signing: 'unsigned', says: 'opposite' }],
    [processing],
  ),
  '0319': callbacks('Paid, a signed callback has another amount.', [{ says: 'other_amount' }]),
};

/** REJECTED with each documented code, in the order of the table of codes. */
const REJECTIONS = Object.fromEntries(
  (Object.keys(SUBMIT_CODES) as SubmitCode[]).map((code, index) => [
    String(401 + index).padStart(4, '0'),
    { sentence: `Every call is refused with ${code}.`, rejects: code, course: PAID } satisfies Behaviour,
  ]),
);

/** FAILED with each documented code, in the order of the table of codes. */
const FAILURES = Object.fromEntries(
  FAILED_CODES.map((code, index) => [
    String(501 + index).padStart(4, '0'),
    course(`Accepted, then FAILED with ${code}.`, processing, failed(code)),
  ]),
);

/** pawaPay's own test numbers end so (docs.pawapay.io/v2/docs/test_numbers [D]). */
const PUBLISHED: Readonly<Record<string, Behaviour>> = {
  '6089': course('Published: RECIPIENT_NOT_FOUND.', processing, failed('RECIPIENT_NOT_FOUND')),
  '6099': course('Published: WALLET_LIMIT_REACHED.', processing, failed('WALLET_LIMIT_REACHED')),
  '6109': course('Published: RECIPIENT_LIMIT_REACHED.', processing, failed('RECIPIENT_LIMIT_REACHED')),
  '6119': course('Published: UNSPECIFIED_FAILURE.', processing, failed('UNSPECIFIED_FAILURE')),
  '6129': course('Published: stuck in SUBMITTED.', { after: 200, to: 'SUBMITTED' }),
  '6789': DEFAULT_BEHAVIOUR,
};

/** The last four digits of the recipient's number decide. */
export const NUMBERS: Readonly<Record<string, Behaviour>> = {
  ...ANSWERS,
  ...COURSES,
  ...RECORDS,
  ...CALLBACKS,
  ...REJECTIONS,
  ...FAILURES,
  ...PUBLISHED,
};

export function behaviourOf(phoneNumber: string): Behaviour {
  const number = phoneNumber.slice(-4);
  return (Object.hasOwn(NUMBERS, number) ? NUMBERS[number] : undefined) ?? DEFAULT_BEHAVIOUR;
}
