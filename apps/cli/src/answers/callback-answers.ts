import { callbacksPage } from '../pages/callbacks-page.js';
import type { CliCommand } from '../commands/parse-command.js';
import type { Admin } from '../admin-client.js';
import { plural } from '../pages/text-values.js';
import { refusal, type Answer } from './answer.js';

export async function callbacks(admin: Admin): Promise<Answer> {
  const page = await admin.payments.callbacks();
  return { code: 0, json: page, text: (paint, now) => callbacksPage(page, now, paint) };
}

export async function resolveCallbacks(
  { provider, by, reason }: Extract<CliCommand, { name: 'callbacks-resolve' }>,
  admin: Admin,
): Promise<Answer> {
  const done = await admin.payments.resolveCallbacks({ provider, by, reason });
  if (!done.ok) return refusal(done.error);
  const { resolved } = done.value;
  return {
    code: 0,
    json: { resolved },
    text: (paint) => `${paint.green('✓')} ${plural(resolved, 'callback')} of ${provider} resolved.`,
  };
}
