import { statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

import Runtime from 'jest-runtime';

const PACKAGES = `${sep}node_modules${sep}`;
/** Loaded per suite: libs/messaging patches it in place, which works once. */
const OWN_TO_A_SUITE = ['kafkajs'].map((name) => `${PACKAGES}${name}${sep}`);

/** Code of this workspace's modules as it was compiled for the first suite; by path. */
const compiledModules = new Map();

/** Jest makes each suite's modules with it. Compiled code loses the way to its dynamic imports. */
vm.SourceTextModule = class extends vm.SourceTextModule {
  constructor(code, options = {}) {
    if (code.includes('import(')) {
      super(code, options);
      return;
    }
    const known = compiledModules.get(options.identifier);
    const isKnown = known?.code === code;
    super(code, isKnown ? { ...options, cachedData: known.data } : options);
    if (!isKnown) compiledModules.set(options.identifier, { code, data: this.createCachedData() });
  }
};

const packages = new Map();
/** Compiled code of files that Jest loads per suite; by path, across all suites. */
const compiled = new Map();
/** Where an import leads, across all suites: Jest asks the file system anew for each suite. What fails is asked again. */
const resolved = new Map();
/** What Jest makes of a file, across all suites, by path. */
const transformed = new Map();
/** Globals that packages added while loading. They stay, because later suites use the same packages. */
export const globalsOfPackages = new Set();
export const listenersOfPackages = new Set();

/**
 * Suites share packages of node_modules, because loading them per suite took half of the test time. Workspace modules
 * stay per suite.
 * For one realm (`instanceof Error`) suites run in Node's context, not in `node:vm`; test-environment.js undoes their
 * changes.
 * Packages cannot be mocked. Jest has no setting for this.
 */
export default class SharedPackagesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { esmLoader, executor, transformCache } = this;
    if (
      typeof esmLoader?.getContext !== 'function' ||
      typeof esmLoader.loadCjsAsEsm !== 'function' ||
      typeof executor?.compile !== 'function' ||
      typeof this._resolution?.resolveEsmAsync !== 'function' ||
      typeof transformCache?.transform !== 'function' ||
      !(transformCache.transforms instanceof Map && transformCache.sourceMaps instanceof Map)
    ) {
      throw new Error(
        'jest-runtime is not the one that tools/test/test-runtime.js was written for: look at each of the methods that it takes the place of',
      );
    }
    // Newer Nodes would load a suite's imports at once, past the code below.
    this._resolution.canResolveSync = () => false;
    const resolveEsmAsync = this._resolution.resolveEsmAsync.bind(this._resolution);
    this._resolution.resolveEsmAsync = (from, to) => resolvedOnce(from, to, resolveEsmAsync);
    const transform = transformCache.transform.bind(transformCache);
    transformCache.transform = (filename, options) => transformedOnce(transformCache, filename, options, transform);
    esmLoader.getContext = () => undefined;
    executor.compile = (source, filename) => compiledOnce(source, filename, executor.injectedModuleParameters);
    const loadCjsAsEsm = esmLoader.loadCjsAsEsm.bind(esmLoader);
    esmLoader.loadCjsAsEsm = (from, path, ...rest) =>
      isShared(path) ? sharedModule(path) : loadCjsAsEsm(from, path, ...rest);
  }

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
    // Missing, or of this workspace: Jest decides.
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

async function resolvedOnce(from, to, resolve) {
  const key = `${from}\0${to}`;
  const known = resolved.get(key);
  if (known !== undefined) return known;
  const path = await resolve(from, to);
  resolved.set(key, path);
  return path;
}

/** Anew where the file has changed, as while Jest watches. */
function transformedOnce(cache, filename, options, transform) {
  const { mtimeMs, size } = statSync(filename);
  const known = transformed.get(filename);
  if (known !== undefined && known.options === options && known.mtimeMs === mtimeMs && known.size === size) {
    const { file } = known;
    cache.transforms.set(filename, file);
    if (file.sourceMapPath) cache.sourceMaps.set(filename, file.sourceMapPath);
    return file.code;
  }
  const code = transform(filename, options);
  const file = cache.transforms.get(filename);
  if (file?.code === code) transformed.set(filename, { options, mtimeMs, size, file });
  return code;
}

function compiledOnce(source, filename, parameters) {
  if (!compiled.has(filename)) compiled.set(filename, vm.compileFunction(source, parameters, { filename }));
  return compiled.get(filename);
}

export function endListeners() {
  const names = process.eventNames().filter((name) => name === 'exit' || /^SIG/.test(String(name)));
  return names.flatMap((name) => process.rawListeners(name).map((listener) => [name, listener]));
}
