import { plainRange } from './address-ranges.js';
import { refuseSetting } from './refuse-setting.js';

const MOST_RANGES = 64;

/** Throws SettingsError, also for a range of all addresses: any caller could then fake its address. */
export function trustedProxiesOf(variable: string, text: string): readonly string[] {
  const ranges = text.split(',').map((range) => plainRange(range.trim()) ?? '/0');
  if (ranges.length <= MOST_RANGES && !ranges.some((range) => range.endsWith('/0'))) return ranges;
  return refuseSetting(
    variable,
    `1 to ${String(MOST_RANGES)} addresses or ranges, separated by commas (such as 10.0.0.0/8,2001:db8::/32). In a range, every bit after the prefix must be 0. A range of all addresses is not allowed`,
  );
}
