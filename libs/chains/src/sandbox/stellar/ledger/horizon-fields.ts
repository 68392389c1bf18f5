import { NATIVE, type Party } from './accounts.js';

const SHORT_CODE = 4;

export function assetFields(asset: string, prefix = 'asset'): Readonly<Record<string, string>> {
  if (asset === NATIVE) return { [`${prefix}_type`]: NATIVE };
  const [code = '', issuer = ''] = asset.split(':');
  return {
    [`${prefix}_type`]: code.length <= SHORT_CODE ? 'credit_alphanum4' : 'credit_alphanum12',
    [`${prefix}_code`]: code,
    [`${prefix}_issuer`]: issuer,
  };
}

/** Muxed fields if named so; id 0 is omitted, as Horizon does. */
export function partyFields(name: string, { account, muxed, muxedId }: Party): Readonly<Record<string, string>> {
  return {
    [name]: account,
    ...(muxed !== undefined &&
      muxedId !== undefined && { [`${name}_muxed`]: muxed, ...(muxedId !== '0' && { [`${name}_muxed_id`]: muxedId }) }),
  };
}

/** Rounded down to seconds. */
export const timeText = (ms: number): string =>
  `${new Date(Math.floor(ms / 1_000) * 1_000).toISOString().slice(0, -5)}Z`;
