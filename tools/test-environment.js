import { AsyncLocalStorage } from 'node:async_hooks';

import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';

/** Those in use, over all suites of this process: their class is Node's own, and the same for all. */
const inUse = new Set();

for (const method of ['run', 'enterWith']) {
  const own = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    inUse.add(this);
    return own.apply(this, args);
  };
}

/**
 * Node's, which lets go of every AsyncLocalStorage when a suite has ended: each one that was ever used is asked at every promise and timer
 * from then on, and a worker has dozens of suites, each with its own copies of all modules.
 */
export default class TestEnvironment extends NodeEnvironment {
  async teardown() {
    for (const storage of inUse) storage.disable();
    inUse.clear();
    await super.teardown();
  }
}
