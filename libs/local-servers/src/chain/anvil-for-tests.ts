import { anvilFile } from './find-anvil.js';

/**
 * Skips without anvil, except in CI, where it must fail. `npm test` reports the result in VUKA_TEST_ANVIL.
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
