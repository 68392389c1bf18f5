import { expect } from '@jest/globals';
import { accountNumber, type Answer, type Call, type TransferBody } from '@vuka/testing';

const CATALOGUE =
  'invalid_request amount_out_of_range unsupported_currency unsupported_network unknown_bank invalid_callback_url unauthorized forbidden insufficient_balance not_found reference_reused hash_already_processed request_in_progress idempotency_mismatch quote_mismatch quote_used rate_stale rate_limited service_unavailable outcome_unknown'.split(
    ' ',
  );

const PREFIX = 'Failed - Bad Request: ';
export const PATH = '/kes/bank-transfer';
export const JSON_TYPE = { 'content-type': 'application/json' };

export const transfer = (fields: Partial<TransferBody> = {}): TransferBody => ({
  amount: 100,
  account_number: accountNumber(),
  bank_code: '01',
  ...fields,
});

export function expectError(answer: Answer, status: number, code: string): string {
  expect([answer.status, answer.headers['error-code']]).toEqual([status, code]);
  expect(CATALOGUE).toContain(code);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['request-id']).toMatch(/^[A-Za-z0-9._:/=+@-]{1,128}$/);
  expect(Object.keys(answer.body ?? {})).toEqual(['code', 'message']);
  expect(answer.body?.code).toBe(status);
  return answer.body?.message ?? '';
}

export function expectBadTransfer(answer: Answer, code = 'invalid_request'): string {
  const message = expectError(answer, 400, code);
  expect(message.startsWith(PREFIX)).toBe(true);
  return message.slice(PREFIX.length);
}

export function rawAmount(text: string, reference: string): Call {
  const rest = JSON.stringify({ account_number: '1234567890', bank_code: '01', reference });
  return { path: PATH, headers: JSON_TYPE, body: `{"amount":${text},${rest.slice(1)}` };
}
