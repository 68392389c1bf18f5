import { PATH } from './contract-answers.spec-support.js';

export const UNKNOWN_PATHS: readonly string[] = [
  '/',
  '/kes',
  '/v2/status',
  '/kes/bank-transfers',
  '/v1/onramp',
  '/collect',
  '/kes//bank-transfer',
  '/account',
  '/v1/status/kes/x',
  '/sandbox/payouts/x/release',
];

export const UNKNOWN_CURRENCIES: readonly string[] = [
  '/xyz/bank-transfer',
  '/usd/bank-transfer',
  '/xyz/status',
  '/v1/status/xx',
  '/v1/banks/usd',
  '/account/zz/transaction',
];

export const WRONG_METHODS: readonly [method: string, path: string, allow: string][] = [
  ['GET', PATH, 'POST'],
  ['PUT', PATH, 'POST'],
  ['DELETE', '/v1/status', 'POST'],
  ['PATCH', '/account/detail', 'POST'],
  ['OPTIONS', '/v1/banks/kes', 'POST'],
  ['POST', '/health/live', 'GET, HEAD'],
];

export const NO_OBJECTS: readonly string[] = [
  '[]',
  '"x"',
  '1',
  'null',
  '{',
  '{}{}',
  '{"amount":100,}',
  "{'amount':100}",
  '{"amount":100,"amount":200}',
  '\u0000',
  '{"reference":"\\u0000"}',
  ' ',
];

export const NO_AMOUNTS: readonly string[] = [
  '1e3',
  '1E3',
  '1000.0e0',
  '1500.001',
  '"1e3"',
  '"1,000"',
  '" 1000"',
  '"1000 "',
  '"+1000"',
  '"0x3e8"',
  '"1000."',
  '".5"',
  '"NaN"',
  '"Infinity"',
  '"١٠٠٠"',
  'true',
  '[1000]',
  '{"value":1000}',
  'NaN',
  '-Infinity',
  '01000',
  '1_000',
];

export const OUT_OF_RANGE: readonly string[] = [
  '99.99',
  '"99.99"',
  '0',
  '-5',
  '-0.01',
  '250000.01',
  '250001',
  '99999999999999999999',
  `1${'0'.repeat(37)}`,
  `"1${'0'.repeat(300)}"`,
  '1000000000000000000000000000000000000000000000000000',
];

export const AMOUNTS: readonly [sent: string, shown: string][] = [
  ['100', '100.00'],
  ['100.00', '100.00'],
  ['"100"', '100.00'],
  ['1000.000', '1000.00'],
  ['"1000.0000"', '1000.00'],
  ['250000', '250000.00'],
  ['"250000.00"', '250000.00'],
  ['150.5', '150.50'],
];

export const BAD_FIELDS: readonly [field: string, value: unknown, code: string][] = [
  ['account_number', '12', 'invalid_request'],
  ['account_number', '12345678901234567890123456789012345', 'invalid_request'],
  ['account_number', '12345 67890', 'invalid_request'],
  ['account_number', 1234567890, 'invalid_request'],
  ['bank_code', '9999', 'unknown_bank'],
  ['bank_code', 1, 'invalid_request'],
  ['bank_code', ['01'], 'invalid_request'],
  ['reference', 'has space', 'invalid_request'],
  ['reference', 'x'.repeat(101), 'invalid_request'],
  ['reference', 'ä', 'invalid_request'],
  ['reference', 12, 'invalid_request'],
  ['callback_url', 'nonsense', 'invalid_callback_url'],
  ['callback_url', 'ftp://example.com/', 'invalid_callback_url'],
  ['callback_url', 'http://user:secret@127.0.0.1/', 'invalid_callback_url'],
  ['callback_url', `http://127.0.0.1/${'x'.repeat(2048)}`, 'invalid_callback_url'],
  ['callback_url', { url: 'http://127.0.0.1' }, 'invalid_callback_url'],
];
