import { anvilFile } from './find-anvil.js';

/**
 * `describe` where there is an anvil, and in CI, where a missing one must fail; elsewhere `describe.skip`, and a line that says so. `npm test` finds out once whether
 * there is one that runs, says it in VUKA_TEST_ANVIL, and counts what was skipped.
 */
export function describeWithAnvil<D extends { readonly skip: unknown }>(
  describe: D,
  env: NodeJS.ProcessEnv = process.env,
): D {
  if ((env['VUKA_TEST_ANVIL'] !== 'none' && anvilFile(env) !== undefined) || env['CI']) return describe;
  process.stderr.write(
    '\n! There is no anvil here: suites that need a chain are SKIPPED (npm install, or ANVIL_BIN)\n\n',
  );
  return describe.skip as D;
}
