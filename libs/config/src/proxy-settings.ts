import { plainRange } from './address-ranges.js';
import { refuseSetting } from './refuse-setting.js';

const MOST_RANGES = 64;

export const PROXIES_RULE = `1 to ${String(MOST_RANGES)} addresses or ranges, separated by commas (such as 10.0.0.0/8,2001:db8::/32). In a range, every bit after the prefix must be 0. A range of all addresses is not allowed`;

/** Throws SettingsError. A range of all addresses is judged later: any caller could then fake its address. */
export function trustedProxiesOf(variable: string, text: string): readonly string[] {
  const ranges = text.split(',').flatMap((range) => plainRange(range.trim()) ?? []);
  if (ranges.length === text.split(',').length && ranges.length <= MOST_RANGES) return ranges;
  return refuseSetting(variable, PROXIES_RULE);
}
