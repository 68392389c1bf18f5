import { SettingsError } from '@vuka/runtime';

/** Throws SettingsError. `rule` must not contain the value: it may be a secret. */
export function refuseSetting(variable: string, rule: string): never {
  throw new SettingsError(`${variable} must be ${rule}`);
}
