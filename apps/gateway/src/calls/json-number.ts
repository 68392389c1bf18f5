import { LosslessNumber } from 'lossless-json';

/** An exact decimal as JSON writes a number: no zeros that say nothing. */
export function jsonNumber(decimal: string): LosslessNumber {
  const [whole = '', fraction = ''] = decimal.split('.');
  const digits = fraction.replace(/0+$/, '');
  return new LosslessNumber(whole.replace(/^0+(?=\d)/, '') + (digits === '' ? '' : `.${digits}`));
}
