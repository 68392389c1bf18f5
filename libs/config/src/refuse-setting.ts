import { SettingsError } from '@vuka/runtime';

/** Throws SettingsError. The rule never tells the value: it may be a secret in the wrong place. */
export function refuseSetting(variable: string, rule: string): never {
  throw new SettingsError(`${variable} must be ${rule}`);
}
