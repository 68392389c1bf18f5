import TestEnvironment from '../../tools/test/test-environment.js';

/** libs/testing keeps every running Vuka there. */
const RUNNING_VUKAS = Symbol.for('vuka.testing.running');

/** Prints what the running Vukas said when a test fails, and lets none of them outlive its suite. */
export default class VukaEnvironment extends TestEnvironment {
  async handleTestEvent(event) {
    if (event.name !== 'test_fn_failure' && event.name !== 'hook_failure') return;
    for (const vuka of this.running()) process.stderr.write(vuka.logTail());
  }

  async teardown() {
    for (const vuka of this.running()) await vuka.dispose();
    await super.teardown();
  }

  running() {
    return [...(this.global[RUNNING_VUKAS] ?? [])];
  }
}
