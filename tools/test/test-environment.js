import { AsyncLocalStorage } from 'node:async_hooks';

import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

import { endListeners, globalsOfPackages, listenersOfPackages } from './test-runtime.js';

/** Across all suites of this process, because AsyncLocalStorage is Node's own class here. */
const inUse = new Set();

for (const method of ['run', 'enterWith']) {
  const own = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    inUse.add(this);
    return own.apply(this, args);
  };
}

const RUNNING_VUKAS = Symbol.for('vuka.testing.running');
const runningVukas = () => [...(globalThis[RUNNING_VUKAS] ?? [])];

const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * Suites run with Node's own globals (tools/test/test-runtime.js). Changes to globals, `process` and environment
 * variables are undone after each suite.
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
    Error.stackTraceLimit = 100;
  }

  async handleTestEvent({ name }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    for (const vuka of runningVukas()) process.stderr.write(vuka.logTail());
  }

  async teardown() {
    for (const vuka of runningVukas()) await vuka.dispose();
    this.fakeTimersModern.dispose();
    // A used storage costs time at every later promise and timer, and a worker runs dozens of suites.
    for (const storage of inUse) storage.disable();
    inUse.clear();
    this.#putBack();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest asks whether a context exists; modules are loaded without it (tools/test/test-runtime.js). */
  getVmContext() {
    return globalThis;
  }
}

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
