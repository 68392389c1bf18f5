import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import type { OutcomeClass } from '../../outcome-class.js';
import type { ProviderAnswer } from '../../payout-provider.js';
import { AFTER_ACCEPTANCE, AT_THE_CALL } from './codes.js';
import { type Duplicate, readCallback, readQuery, readSubmit } from './mapping.js';
import { failedRecord, found, instruction, json, SHAPES } from './shapes.spec-support.js';

const DECISION = readFileSync(
  join(import.meta.dirname, '../../../../../docs/decisions/0023-outcome-classes.md'),
  'utf8',
);

/** docs/decisions/0023, written down a second time: each documented code, and what it becomes. */
const CALL: Record<string, string> = {
  NO_AUTHENTICATION: 'deferred config',
  AUTHENTICATION_ERROR: 'deferred config',
  AUTHORISATION_ERROR: 'deferred config',
  HTTP_SIGNATURE_ERROR: 'deferred config',
  PAYOUTS_NOT_ALLOWED: 'deferred config',
  INVALID_INPUT: 'deferred config',
  MISSING_PARAMETER: 'deferred config',
  UNSUPPORTED_PARAMETER: 'deferred config',
  INVALID_PARAMETER: 'deferred config',
  DUPLICATE_METADATA_FIELD: 'deferred config',
  INVALID_CURRENCY: 'deferred config',
  INVALID_PROVIDER: 'deferred config',
  AMOUNT_OUT_OF_BOUNDS: 'not_paid amount_not_accepted elsewhere',
  INVALID_AMOUNT: 'not_paid amount_not_accepted elsewhere',
  INVALID_PHONE_NUMBER: 'not_paid recipient_invalid',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'deferred corridor_off',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'deferred float',
  UNKNOWN_ERROR: 'unknown',
};

const AFTER: Record<string, string> = {
  RECIPIENT_NOT_FOUND: 'not_paid recipient_not_found',
  RECIPIENT_LIMIT_REACHED: 'not_paid recipient_limit_reached',
  WALLET_LIMIT_REACHED: 'not_paid recipient_limit_reached',
  MANUALLY_CANCELLED: 'not_paid cancelled',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'not_paid rail_unavailable elsewhere our float',
  UNSPECIFIED_FAILURE: 'not_paid rail_rejected',
  UNKNOWN_ERROR: 'not_paid rail_rejected',
};

const IN_NO_TABLE = ['MOON_PHASE', 'OTHER_ERROR', 'constructor', 'toString', '__proto__', '', 'recipient_not_found'];

function told(answer: ProviderAnswer | Duplicate): string {
  switch (answer.outcome) {
    case 'deferred':
      return `deferred ${answer.reason}`;
    case 'not_paid': {
      const { code, routeLeft, ourFault } = answer;
      return `not_paid ${code}${routeLeft ? ' elsewhere' : ''}${ourFault === undefined ? '' : ` our ${ourFault}`}`;
    }
    default:
      return answer.outcome;
  }
}

const submitted = (status: number, body: object): string => told(readSubmit(json(status, body), instruction()));
const queried = (body: object): string => told(readQuery(found(body), instruction()));

describe('codes at the call', () => {
  it('are the documented ones, all in the table', () => {
    expect(Object.keys(AT_THE_CALL).sort()).toEqual(Object.keys(CALL).sort());
  });

  it.each(Object.entries(CALL))('%s is %s, as REJECTED and as an error body', (failureCode, expected) => {
    expect(submitted(200, { ...SHAPES.rejected, failureReason: { failureCode } })).toBe(expected);
    for (const status of [400, 401, 403]) expect(submitted(status, SHAPES.errorBody(failureCode))).toBe(expected);
  });

  it.each([...IN_NO_TABLE, 'RECIPIENT_NOT_FOUND', 'UNSPECIFIED_FAILURE'])(
    '%j leaves the outcome open',
    (failureCode) => {
      expect(submitted(200, { ...SHAPES.rejected, failureReason: { failureCode } })).toBe('unknown');
      expect(submitted(400, SHAPES.errorBody(failureCode))).toBe('unknown');
    },
  );

  it('prove nothing where REJECTED names none', () => {
    for (const failureReason of [undefined, null])
      expect(submitted(200, { ...SHAPES.rejected, failureReason })).toBe('unknown');
  });

  it('never fail a customer for what is about us', () => {
    for (const [code, { cls }] of Object.entries(AT_THE_CALL))
      if (cls === 'config' || cls === 'float') expect(CALL[code]).toMatch(/^deferred/);
  });
});

describe('codes after acceptance', () => {
  it('are the documented ones, all in the table', () => {
    expect(Object.keys(AFTER_ACCEPTANCE).sort()).toEqual(Object.keys(AFTER).sort());
  });

  it.each(Object.entries(AFTER))('%s is %s', (failureCode, expected) => {
    expect(queried(failedRecord(failureCode))).toBe(expected);
  });

  it.each([...IN_NO_TABLE, 'INVALID_PHONE_NUMBER', 'AUTHENTICATION_ERROR', 'PROVIDER_TEMPORARILY_UNAVAILABLE'])(
    '%j is pending, never failed',
    (failureCode) => {
      expect(queried(failedRecord(failureCode))).toBe('submitted');
    },
  );

  it('are pending where FAILED names none', () => {
    expect(queried({ ...failedRecord(''), failureReason: null })).toBe('submitted');
  });

  it('send no second payout where nobody knows why the first one failed', () => {
    for (const { cls, routeLeft } of Object.values(AFTER_ACCEPTANCE))
      if (cls === 'unspecified' || cls === 'unknown') expect(routeLeft).toBe(false);
  });

  it('by a callback are the same, but that UNKNOWN_ERROR is asked about first', () => {
    for (const [failureCode, expected] of Object.entries(AFTER)) {
      const answer = told(readCallback(failedRecord(failureCode), instruction()));
      expect(answer).toBe(failureCode === 'UNKNOWN_ERROR' ? 'query_failed' : expected);
    }
  });
});

/** docs/decisions/0023: what each class becomes, by phase. null: no code of that class in this phase. */
const CLASSES: Record<OutcomeClass, { call: RegExp | null; after: RegExp | null; row: string }> = {
  final_failure: { call: /^not_paid \w+( elsewhere)?$/, after: /^not_paid \w+$/, row: '`not_paid` | `not_paid`' },
  config: {
    call: /^deferred config$/,
    after: null,
    row: "`deferred` `config` | `not_paid`, `routeLeft`, `ourFault: 'config'`",
  },
  float: {
    call: /^deferred float$/,
    after: /^not_paid rail_unavailable elsewhere our float$/,
    row: "`deferred` `float` | `not_paid`, `routeLeft`, `ourFault: 'float'`",
  },
  retry_later: {
    call: /^deferred corridor_off$/,
    after: null,
    row: '`deferred` `corridor_off` | no such code: pending',
  },
  unspecified: { call: null, after: /^not_paid rail_rejected$/, row: '`unknown` | `not_paid`, no route left' },
  unknown: {
    call: /^unknown$/,
    after: /^not_paid rail_rejected$/,
    row: '`unknown` | `not_paid`, no route left, by a query only',
  },
};

describe.each(Object.entries(CLASSES))('the class %s', (cls, { call, after, row }) => {
  it('is one answer at the call, and one after acceptance', () => {
    for (const [table, answers, expected] of [
      [AT_THE_CALL, CALL, call],
      [AFTER_ACCEPTANCE, AFTER, after],
    ] as const) {
      const codes = Object.entries(table).flatMap(([code, one]) => (one.cls === cls ? [code] : []));
      expect([cls, codes.length > 0]).toEqual([cls, expected !== null]);
      for (const code of codes)
        expect([code, answers[code]]).toEqual([code, expect.stringMatching(expected ?? /^never$/)]);
    }
  });

  it('stands so in the decision', () => {
    const line = DECISION.split('\n').find((one) => one.startsWith(`| \`${cls}\``));
    expect(line?.endsWith(`| ${row} |`)).toBe(true);
  });
});

it('every row says where it is from', () => {
  for (const { source } of [...Object.values(AT_THE_CALL), ...Object.values(AFTER_ACCEPTANCE)])
    expect(source).toMatch(/^\[[DU]\] v2\//);
});
