import { AsyncLocalStorage } from 'node:async_hooks';

import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

import { endListeners, globalsOfPackages, listenersOfPackages } from './test-runtime.js';

/** Those in use, over all suites of this process: their class is Node's own, and the same for all. */
const inUse = new Set();

for (const method of ['run', 'enterWith']) {
  const own = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    inUse.add(this);
    return own.apply(this, args);
  };
}

/** libs/testing keeps every running Vuka there. */
const RUNNING_VUKAS = Symbol.for('vuka.testing.running');
const runningVukas = () => [...(globalThis[RUNNING_VUKAS] ?? [])];

/** Where Jest's own handlers of what happens in a suite are kept, which it gives each suite a copy of. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * Node's own globals, which a suite has for as long as it runs: what it changed of them, of `process` and of the environment's variables is put
 * back after it, and what it added is taken away. Why there is no context of its own: tools/test/test-runtime.js.
 */
export default class TestEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #putBack;

  constructor({ projectConfig }) {
    delete globalThis[EVENT_HANDLERS];
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    const putBackVariables = kept(process.env);
    // What it keeps as an emitter of events is its own to change.
    const putBackProcess = kept(process, { except: (key) => /^_/.test(String(key)) });
    const putBackGlobals = kept(globalThis, { except: (key) => globalsOfPackages.has(key) });
    const listeners = new Set(endListeners().map(([, listener]) => listener));
    const { exitCode } = process;
    this.#putBack = () => {
      putBackVariables();
      putBackProcess();
      putBackGlobals();
      for (const [name, listener] of endListeners())
        if (!listeners.has(listener) && !listenersOfPackages.has(listener)) process.removeListener(name, listener);
      process.exitCode = exitCode;
    };
  }

  async setup() {
    // What Jest's own environment has; where its runner asks for it, too, before this.
    Error.stackTraceLimit = 100;
  }

  /** What the running Vukas said is printed when a test fails. */
  async handleTestEvent({ name }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    for (const vuka of runningVukas()) process.stderr.write(vuka.logTail());
  }

  async teardown() {
    // None outlives its suite.
    for (const vuka of runningVukas()) await vuka.dispose();
    this.fakeTimersModern.dispose();
    // Each one that was ever used is asked at every promise and timer from then on, and a worker has dozens of suites.
    for (const storage of inUse) storage.disable();
    inUse.clear();
    this.#putBack();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Where Jest asks for one, it is asked whether there is one: its modules are loaded without (tools/test/test-runtime.js). */
  getVmContext() {
    return globalThis;
  }
}

/** What puts an object's own properties back as they are now, but for some. */
function kept(object, { except = () => false } = {}) {
  const own = () => Reflect.ownKeys(object).filter((key) => !except(key));
  const before = new Map(own().map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key)]));
  return () => {
    for (const key of own()) if (!before.has(key)) Reflect.deleteProperty(object, key);
    for (const [key, was] of before) {
      const is = Reflect.getOwnPropertyDescriptor(object, key);
      const isChanged = is === undefined || is.value !== was.value || is.get !== was.get || is.set !== was.set;
      if (isChanged) Reflect.defineProperty(object, key, was);
    }
  };
}
