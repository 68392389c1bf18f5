import vm from 'node:vm';

import { describe, expect, it } from '@jest/globals';

import { compileOnce } from './compiled-once.mjs';

/** What V8 was given to compile, and whether it was given what it had made of it before. */
function watched() {
  const given = [];
  class SourceTextModule extends vm.SourceTextModule {
    constructor(code, options) {
      if (options.cachedData?.toString() === 'of another V8') throw Object.assign(new Error('rejected'), { code: 'ERR_VM_MODULE_CACHED_DATA_REJECTED' });
      super(code, options);
      given.push(options.cachedData !== undefined);
    }
  }
  const compileFunction = (code, params, options) => {
    given.push(options.cachedData !== undefined);
    return vm.compileFunction(code, params, options);
  };
  return { given, ...compileOnce({ SourceTextModule, compileFunction }), Watched: SourceTextModule, watchedFunction: compileFunction };
}

/** A module that has run, in a context of its own. */
async function moduleOf(SourceTextModule, code, { identifier = '/a.js', name = 'one' } = {}) {
  const context = vm.createContext({});
  const importModuleDynamically = async () => {
    const found = new vm.SyntheticModule(['name'], () => found.setExport('name', name), { context });
    await found.link(() => undefined);
    await found.evaluate();
    return found;
  };
  const module = new SourceTextModule(code, { context, identifier, importModuleDynamically, initializeImportMeta: (meta) => (meta.url = name) });
  await module.link(() => undefined);
  await module.evaluate();
  return { ...module.namespace, ofItsContext: (value) => value instanceof vm.runInContext('Function', context) };
}

describe('a module compiled once', () => {
  it('is another one each time, with the globals and the import.meta of its own context', async () => {
    const { given, SourceTextModule } = watched();
    const code = 'export class Thing {} export const url = () => import.meta.url; export let count = 0; export const add = () => ++count;';
    const one = await moduleOf(SourceTextModule, code, { name: 'one' });
    expect([one.add(), one.add()]).toEqual([1, 2]);
    const two = await moduleOf(SourceTextModule, code, { name: 'two' });
    expect(given).toEqual([false, true]);
    expect([one.url(), two.url(), two.add()]).toEqual(['one', 'two', 1]);
    expect(two.Thing).not.toBe(one.Thing);
    expect([one.ofItsContext(one.Thing), two.ofItsContext(two.Thing), two.ofItsContext(one.Thing)]).toEqual([true, true, false]);
  });

  it('is compiled again where its text has changed, at the same length as well, and under another name', async () => {
    const { given, SourceTextModule } = watched();
    expect((await moduleOf(SourceTextModule, 'export const a = 1;')).a).toBe(1);
    expect((await moduleOf(SourceTextModule, 'export const a = 2;')).a).toBe(2);
    expect((await moduleOf(SourceTextModule, 'export const a = 2;', { identifier: '/b.js' })).a).toBe(2);
    expect((await moduleOf(SourceTextModule, 'export const a = 2;')).a).toBe(2);
    expect(given).toEqual([false, false, false, true]);
  });

  it.each(["import('x')", "import ('x')", "import /* here */ ('x')"])('is compiled each time where it imports as it runs: %s', async (expression) => {
    const { given, SourceTextModule } = watched();
    const code = `export const found = async () => (await ${expression}).name;`;
    const [one, two] = [await moduleOf(SourceTextModule, code, { name: 'one' }), await moduleOf(SourceTextModule, code, { name: 'two' })];
    expect([await one.found(), await two.found()]).toEqual(['one', 'two']);
    expect(given).toEqual([false, false]);
  });

  it('is compiled anew where V8 does not take what was kept, and tells what is wrong with its text', async () => {
    const { given, Watched } = watched();
    class OfAnother extends Watched {
      createCachedData() {
        return Buffer.from('of another V8');
      }
    }
    const { SourceTextModule } = compileOnce({ SourceTextModule: OfAnother, compileFunction: vm.compileFunction });
    await moduleOf(SourceTextModule, 'export const a = 1;');
    expect((await moduleOf(SourceTextModule, 'export const a = 1;')).a).toBe(1);
    expect(given).toEqual([false, false]);
    await expect(moduleOf(SourceTextModule, 'export const = 1;')).rejects.toThrow('Unexpected token');
  });
});

describe('a function compiled once', () => {
  const source = 'module.exports = { Thing: class {}, given: [module, typeof require] };';
  const run = (compileFunction, code, params = ['module', 'require']) => {
    const context = vm.createContext({});
    const module = {};
    compileFunction(code, params, { filename: '/a.cjs', parsingContext: context })(module, 'text');
    return { ...module.exports, ofItsContext: (value) => value instanceof vm.runInContext('Function', context) };
  };

  it('is another one each time, with the globals of its own context', () => {
    const { given, compileFunction } = watched();
    const [one, two] = [run(compileFunction, source), run(compileFunction, source)];
    expect(given).toEqual([false, true]);
    expect([one.ofItsContext(one.Thing), two.ofItsContext(two.Thing), two.ofItsContext(one.Thing)]).toEqual([true, true, false]);
  });

  it('is compiled again where its text, or what it takes, is another', () => {
    const { given, compileFunction } = watched();
    expect(run(compileFunction, 'module.exports = { a: 1 };').a).toBe(1);
    expect(run(compileFunction, 'module.exports = { a: 2 };').a).toBe(2);
    expect(run(compileFunction, 'require.exports = { a: 2 };', ['require', 'module']).a).toBe(2);
    run(compileFunction, 'module.exports = { a: 2 };');
    expect(given).toEqual([false, false, false, true]);
  });
});
