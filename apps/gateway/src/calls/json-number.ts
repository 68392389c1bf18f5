import { LosslessNumber } from 'lossless-json';

/** An exact decimal as a JSON number, without trailing zeros. */
export function jsonNumber(decimal: string): LosslessNumber {
  const [whole = '', fraction = ''] = decimal.split('.');
  const digits = fraction.replace(/0+$/, '');
  return new LosslessNumber(whole.replace(/^0+(?=\d)/, '') + (digits === '' ? '' : `.${digits}`));
}
