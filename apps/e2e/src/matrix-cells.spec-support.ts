import type { DestinationKind } from '@vuka/testing';

/**
 * A second copy of interface.md and decisions.md for each cell of the matrix, so that a wrong registry cannot prove
 * itself.
 */
export interface Cell {
  readonly operation: 'bank-transfer' | 'disburse' | 'validation';
  readonly market: string;
  readonly country: string;
  readonly kind: DestinationKind;
  /** Only if it differs from the market's own. */
  readonly paidIn?: 'USD';
  readonly required: readonly string[];
  readonly amounts?: Amounts;
  readonly networks?: Readonly<Record<string, Network>>;
}

export interface Amounts {
  readonly min: number;
  readonly max: number;
  readonly decimals: 0 | 2;
  /** More than the sandbox's wallet has: 402 then shows that the rules allow it. */
  readonly beyondWallet?: true;
}

export interface Network {
  readonly aliases: readonly string[];
  readonly decimals?: 0 | 2;
}

const PHONE = ['shortcode', 'mobile_network'];
const ACCOUNT = ['account_number', 'bank_code'];
const NAMED_ACCOUNT = ['account_name', 'account_number', 'bank_name', 'bank_code'];

const networks = (names: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, Network>> =>
  Object.fromEntries(Object.entries(names).map(([name, aliases]) => [name, { aliases }]));

const NETWORKS = {
  KES: networks({ Safaricom: ['M-Pesa', 'Safaricom M-Pesa'], Airtel: ['Airtel Money'] }),
  UGX: networks({ MTN: ['MTN MoMo', 'MTN Mobile Money', 'MTN Uganda'], Airtel: ['Airtel Money', 'Airtel Uganda'] }),
  GHS: networks({
    MTN: ['MTN MoMo', 'MTN Mobile Money', 'MTN Ghana'],
    AirtelTigo: ['AirtelTigo Money', 'Airtel Tigo', 'AT', 'AT Money'],
    Telecel: ['Telecel Cash', 'Vodafone', 'Vodafone Cash'],
  }),
  MWK: networks({ 'Airtel Money': ['Airtel', 'Airtel Malawi'], 'TNM Mpamba': ['TNM', 'Mpamba'] }),
  CDF: networks({ 'Airtel Money': ['Airtel', 'Airtel Congo'], Mpesa: ['M-Pesa', 'Vodacom', 'Vodacom M-Pesa'] }),
  ETB: networks({ Telebirr: [], 'Cbe Birr': ['CBEBirr'], MPESA: ['M-Pesa', 'Safaricom', 'Safaricom M-Pesa'] }),
};

const KES = { market: 'KES', country: 'KE' };
const UGX = { market: 'UGX', country: 'UG' };
const NGN = { market: 'NGN', country: 'NG' };
const GHS = { market: 'GHS', country: 'GH' };
const MWK = { market: 'MWK', country: 'MW' };
const CDF = { market: 'CDF', country: 'CD' };
const ETB = { market: 'ETB', country: 'ET' };

const SHILLINGS: Amounts = { min: 20, max: 250_000, decimals: 0 };
const FRANCS: Amounts = { min: 500, max: 1_000_000, decimals: 2, beyondWallet: true };
const TRANSFER = { operation: 'bank-transfer', kind: 'bank', required: ['amount', ...ACCOUNT] } as const;
const DISBURSE = { operation: 'disburse' } as const;
const VALIDATION = { operation: 'validation' } as const;

export const CELLS: readonly Cell[] = [
  { ...TRANSFER, ...KES, amounts: { min: 100, max: 250_000, decimals: 2 } },
  { ...TRANSFER, ...NGN, amounts: { min: 100, max: 1_000_000, decimals: 2 } },
  { ...TRANSFER, ...MWK, amounts: { min: 100, max: 5_000_000, decimals: 2 } },

  {
    ...DISBURSE,
    ...KES,
    kind: 'mobile',
    amounts: SHILLINGS,
    networks: NETWORKS.KES,
    required: ['type', 'amount', ...PHONE],
  },
  {
    ...DISBURSE,
    ...KES,
    kind: 'paybill',
    amounts: SHILLINGS,
    required: ['type', 'amount', 'shortcode', 'account_number'],
  },
  { ...DISBURSE, ...KES, kind: 'till', amounts: SHILLINGS, required: ['type', 'amount', 'shortcode'] },
  {
    ...DISBURSE,
    ...KES,
    kind: 'bank',
    amounts: { ...SHILLINGS, decimals: 2 },
    required: ['type', 'amount', ...ACCOUNT],
  },
  {
    ...{ ...DISBURSE, ...UGX, kind: 'mobile', networks: NETWORKS.UGX, required: ['amount', ...PHONE] },
    amounts: { min: 500, max: 5_000_000, decimals: 0, beyondWallet: true },
  },
  {
    ...DISBURSE,
    ...NGN,
    kind: 'bank',
    amounts: { min: 100, max: 1_000_000, decimals: 2 },
    required: ['amount', ...NAMED_ACCOUNT],
  },
  {
    ...DISBURSE,
    ...GHS,
    kind: 'mobile',
    amounts: { min: 5, max: 5_000, decimals: 2 },
    networks: NETWORKS.GHS,
    required: ['amount', ...PHONE],
  },
  {
    ...DISBURSE,
    ...MWK,
    kind: 'mobile',
    amounts: { min: 100, max: 750_000, decimals: 2 },
    networks: NETWORKS.MWK,
    required: ['type', 'amount', ...PHONE],
  },
  {
    ...DISBURSE,
    ...MWK,
    kind: 'bank',
    amounts: { min: 100, max: 5_000_000, decimals: 2 },
    required: ['type', 'amount', ...NAMED_ACCOUNT],
  },
  {
    ...{ ...DISBURSE, ...CDF, kind: 'mobile', amounts: FRANCS, required: ['amount', ...PHONE] },
    networks: { ...NETWORKS.CDF, Mpesa: { ...NETWORKS.CDF['Mpesa']!, decimals: 0 } },
  },
  {
    ...{ ...DISBURSE, ...CDF, kind: 'mobile', paidIn: 'USD', networks: NETWORKS.CDF, required: ['amount', ...PHONE] },
    amounts: { min: 1, max: 400, decimals: 2 },
  },
  {
    ...DISBURSE,
    ...ETB,
    kind: 'mobile',
    amounts: { min: 10, max: 75_000, decimals: 2 },
    networks: NETWORKS.ETB,
    required: ['amount', ...PHONE],
  },

  { ...VALIDATION, ...KES, kind: 'mobile', networks: NETWORKS.KES, required: ['type', ...PHONE] },
  { ...VALIDATION, ...KES, kind: 'paybill', required: ['type', 'shortcode'] },
  { ...VALIDATION, ...KES, kind: 'till', required: ['type', 'shortcode'] },
  { ...VALIDATION, ...UGX, kind: 'mobile', networks: NETWORKS.UGX, required: PHONE },
  { ...VALIDATION, ...NGN, kind: 'bank', required: ACCOUNT },
  { ...VALIDATION, ...GHS, kind: 'mobile', networks: NETWORKS.GHS, required: PHONE },
  { ...VALIDATION, ...MWK, kind: 'mobile', networks: NETWORKS.MWK, required: ['type', ...PHONE] },
  { ...VALIDATION, ...MWK, kind: 'bank', required: ['type', 'account_number', 'bank_name', 'bank_code'] },
  { ...VALIDATION, ...CDF, kind: 'mobile', networks: NETWORKS.CDF, required: PHONE },
  { ...VALIDATION, ...ETB, kind: 'mobile', networks: NETWORKS.ETB, required: PHONE },
];

export const NOT_OFFERED: readonly {
  readonly operation: Cell['operation'];
  readonly market: string;
  readonly country: string;
}[] = [...[UGX, GHS, CDF, ETB].map((market) => ({ operation: 'bank-transfer' as const, ...market }))];

export const TYPES: Readonly<Record<DestinationKind, string>> = {
  mobile: 'MOBILE',
  paybill: 'PAYBILL',
  till: 'BUY_GOODS',
  bank: 'BANK_TRANSFER',
};

export const TYPE_SPELLINGS: Readonly<Record<DestinationKind, readonly string[]>> = {
  mobile: ['mobile', 'Mobile'],
  paybill: ['PayBill'],
  till: ['TILL', 'till', 'Buy-Goods', 'buy goods'],
  bank: ['bank_transfer', 'Bank Transfer', 'bank-TRANSFER'],
};

export const CALLING_CODES: Readonly<Record<string, string>> = {
  KES: '254',
  UGX: '256',
  NGN: '234',
  GHS: '233',
  MWK: '265',
  CDF: '243',
  ETB: '251',
};

export const BANK_CODES: Readonly<
  Record<
    string,
    { readonly code: string; readonly name: RegExp; readonly aliases: readonly string[]; readonly another: string }
  >
> = {
  KES: { code: '01', name: /KCB/, aliases: ['522522', 'kcblkenx', 'KCBLKENX'], another: 'Absa Bank Kenya' },
  NGN: { code: '044', name: /Access/, aliases: ['000014', 'ABNGNGLA'], another: 'Zenith Bank' },
  MWK: {
    code: '82310dd1-ec9b-4fe7-a32c-2f262ef08681',
    name: /National Bank of Malawi/,
    aliases: ['NBMAMWMW', '82310DD1-EC9B-4FE7-A32C-2F262EF08681'],
    another: 'Centenary Bank',
  },
};

export const nameOf = ({
  operation,
  market,
  kind,
  paidIn,
}: Pick<Cell, 'operation' | 'market' | 'kind'> & { readonly paidIn?: 'USD' | undefined }): string =>
  `${operation} ${market} ${kind}${paidIn === undefined ? '' : ` in ${paidIn}`}`;
