import { fail, ok, type Coverage, type Result } from '@vuka/domain';
import { z } from 'zod';

import { faultAt } from './fault.js';
import {
  anyProviderRow,
  type ConfiguredProvider,
  providerFaults,
  type ProvidersFileRules,
  readProviderRow,
} from './provider-rows.js';
import { routeFaults, routeRow, toRoute } from './route-rows.js';

/** docs/operators/providers/README.md. It holds no secret. */
export interface ProvidersFile {
  readonly rows: readonly ConfiguredProvider[];
  readonly coverage: Coverage;
}

const providersFile = z.strictObject({
  providers: z.array(anyProviderRow).min(1).max(50),
  routes: z.array(routeRow).max(500),
});

/** Each fault begins with its path in the file, and quotes nothing that may be a secret. */
export function readProvidersFile(json: unknown, rules: ProvidersFileRules): Result<ProvidersFile, readonly string[]> {
  const file = providersFile.safeParse(json);
  if (!file.success) return fail(file.error.issues.map((issue) => faultAt(issue.path, issue.message)));
  const { providers, routes } = file.data;
  const read = providers.map((row, place) => readProviderRow(row, ['providers', place]));
  const unreadable = read.flatMap((row) => (row.ok ? [] : row.error));
  if (unreadable.length > 0) return fail(unreadable);
  const rows = read.flatMap((row) => (row.ok ? [row.value] : []));
  const faults = [...providerFaults(rows, rules), ...routeFaults(routes, rows)];
  return faults.length > 0 ? fail(faults) : ok({ rows, coverage: routes.map((route) => toRoute(route, rows)) });
}
