import { CURRENCY, OTHER_CURRENCY } from '../data/bank-table.js';

export interface RefusalText {
  readonly status: number;
  readonly message: string | Readonly<Record<string, readonly string[]>>;
}

/** How each refusal of a transfer is worded (developer.chapa.co/docs/responses, "Transfer Initialize Endpoint" [D]). The names are ours. */
export const REFUSALS = {
  authorization_required: { status: 401, message: 'Authorization required' },
  invalid_key: { status: 401, message: "Invalid API Key or User doesn't exist" },
  transfer_hours: {
    status: 401,
    message:
      'Our Transfer hours are Mon-Sat from 08:30 AM - 04:30 PM only, please check our transfer manuals or contact us for an immediate assist.',
  },
  required_attribute: { status: 400, message: { account_number: ['validation.required'] } },
  bank_not_supported: {
    status: 400,
    message: 'This bank is no longer supported or banned by National bank of Ethiopia',
  },
  account_not_valid: { status: 400, message: 'The account number is not valid for telebirr' },
  subaccount: {
    status: 400,
    message:
      "The subaccount id you provided isn't associated with this account. Please make sure the id is correct or to create a subaccount before proceeding.",
  },
  insufficient_balance: { status: 400, message: 'Insufficient Balance' },
  /** Their page has it with two T. */
  reference_used: { status: 400, message: 'The reference number has been used before' },
  currency: { status: 400, message: currencyText(OTHER_CURRENCY) },
  bank_code: {
    status: 401,
    message: 'The Bank Code is incorrect please check if it does exist with our getbanks endpoint.',
  },
  user_cannot_receive: { status: 400, message: "User can't receive payments" },
  api_not_available: { status: 404, message: "Transfer API isn't available now, please contact us" },
  /** Of bulk transfers [D]; of single ones it is unconfirmed [U]. */
  too_many: { status: 429, message: 'Too many requests' },
  /** Of the second part of their table: an IP that is not on the list. */
  unauthorized_access: { status: 403, message: 'Unauthorized access' },
  /** Not one of theirs: a text that no table has. */
  something_new: { status: 400, message: 'Something new' },
} as const satisfies Readonly<Record<string, RefusalText>>;
export type RefusalCode = keyof typeof REFUSALS;

export function currencyText(currency: string): string {
  return `Invalid currency, ${currency} is not supported only ${CURRENCY} is supported to use Transfer API.`;
}
