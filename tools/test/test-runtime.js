import { createRequire, isBuiltin } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

import Runtime from 'jest-runtime';

const PACKAGES = `${sep}node_modules${sep}`;
/** Loaded anew for each suite: libs/messaging repairs it in place, which goes once. */
const OWN_TO_A_SUITE = ['kafkajs'].map((name) => `${PACKAGES}${name}${sep}`);

/** By path, over all suites of this process: a package as Node itself has loaded it. */
const packages = new Map();
/** By path, over all suites of this process: what Jest gives each suite a copy of, itself above all. Its code is compiled once. */
const compiled = new Map();
/** What packages have added to the globals while they were loaded, for longer than the suite that was the first to ask for them. */
export const globalsOfPackages = new Set();
/** As those, of the listeners for the end of the process. */
export const listenersOfPackages = new Set();

/**
 * Jest's, whose suites share the packages of node_modules, as all of a service's code does where it runs: each suite of a worker loading a
 * thousand files and more anew took half of all that a run of the tests took. This workspace's own modules stay each suite's own. For both
 * to be of one realm (`instanceof Error`), suites run in Node's own and not in a context of `node:vm`; tools/test/test-environment.js puts back
 * what they change there. Packages cannot be mocked. Jest has no setting for it.
 */
export default class SharedPackagesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { esmLoader, executor } = this;
    if (
      typeof esmLoader?.getContext !== 'function' ||
      typeof esmLoader.loadCjsAsEsm !== 'function' ||
      typeof executor?.compile !== 'function'
    ) {
      throw new Error(
        'jest-runtime is not the one that tools/test/test-runtime.js was written for: look at each of the methods that it takes the place of',
      );
    }
    // By the way that all Nodes have: newer ones load what a suite imports in one go, past what follows.
    this._resolution.canResolveSync = () => false;
    // No context: Node's own.
    esmLoader.getContext = () => undefined;
    executor.compile = (source, filename) => compiledOnce(source, filename, executor.injectedModuleParameters);
    const loadCjsAsEsm = esmLoader.loadCjsAsEsm.bind(esmLoader);
    esmLoader.loadCjsAsEsm = (from, path, ...rest) =>
      isShared(path) ? sharedModule(path) : loadCjsAsEsm(from, path, ...rest);
  }

  /** A package's modules of either kind are loaded by Node. */
  unstable_shouldLoadAsEsm(path) {
    return !isShared(path) && super.unstable_shouldLoadAsEsm(path);
  }

  requireModuleOrMock(from, name) {
    const path = sharedPath(from, name);
    return path === undefined ? super.requireModuleOrMock(from, name) : createRequire(from)(path);
  }
}

function isShared(path) {
  return path.includes(PACKAGES) && !OWN_TO_A_SUITE.some((folder) => path.includes(folder));
}

function sharedPath(from, name) {
  if (isBuiltin(name) || name === '@jest/globals') return undefined;
  try {
    const path = createRequire(from).resolve(name);
    return isShared(path) ? path : undefined;
  } catch {
    // Not there, or this workspace's own; in either case Jest's to say.
    return undefined;
  }
}

function sharedModule(path) {
  if (!packages.has(path)) packages.set(path, loadPackage(path));
  return packages.get(path);
}

async function loadPackage(path) {
  const globals = new Set(Reflect.ownKeys(globalThis));
  const listeners = new Set(endListeners().map(([, listener]) => listener));
  const own = await import(pathToFileURL(path).href);
  for (const key of Reflect.ownKeys(globalThis)) if (!globals.has(key)) globalsOfPackages.add(key);
  for (const [, listener] of endListeners()) if (!listeners.has(listener)) listenersOfPackages.add(listener);
  const names = Object.keys(own);
  const module = new vm.SyntheticModule(names, () => names.forEach((name) => module.setExport(name, own[name])), {
    identifier: path,
  });
  if (module.status === 'unlinked') await module.link(() => undefined);
  await module.evaluate();
  return module;
}

function compiledOnce(source, filename, parameters) {
  if (!compiled.has(filename)) compiled.set(filename, vm.compileFunction(source, parameters, { filename }));
  return compiled.get(filename);
}

/** Who is told of signals to this process and of its end: pairs of an event's name and a listener. */
export function endListeners() {
  const names = process.eventNames().filter((name) => name === 'exit' || /^SIG/.test(String(name)));
  return names.flatMap((name) => process.rawListeners(name).map((listener) => [name, listener]));
}
