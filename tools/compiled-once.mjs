/**
 * What V8 keeps of code with an `import()` has lost whose it is: Node 20 then finds no callback to ask. Such code is compiled each time; it is
 * told by its text, so a comment or a string that has one counts as well.
 */
const IMPORTS_AS_IT_RUNS = /\bimport\s*(\(|\/[*/])/;

/**
 * Node's `vm`, parsing a file once per process: Jest compiles every module anew for every suite, packages above all, thousands of files, and
 * has V8 parse each again. The modules and functions are as separate as before, each of its own context; what is kept is V8's code for them.
 * V8 itself holds that code to be right for any text of the same length, so the text is compared here.
 */
export function compileOnce({ SourceTextModule, compileFunction }) {
  const modules = keeping();
  const functions = keeping();
  const construct = (_, [code, options], asked) => {
    const cachedData = modules.find(options.identifier, code);
    const make = (more) => Reflect.construct(SourceTextModule, [code, { ...options, ...more }], asked);
    if (cachedData === undefined) {
      const made = make({});
      // Only of a module that has not run yet: its functions are compiled when they are called, as ever.
      modules.keep(options.identifier, code, () => made.createCachedData());
      return made;
    }
    try {
      return make({ cachedData });
    } catch (error) {
      if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      return make({});
    }
  };
  const functionCompiledOnce = (code, params, options) => {
    const name = [options?.filename, ...(params ?? [])].join('\n');
    const cachedData = functions.find(name, code);
    // V8 compiles the text where it does not take what it is given.
    if (cachedData !== undefined) return compileFunction(code, params, { ...options, cachedData });
    const compiled = compileFunction(code, params, { ...options, produceCachedData: true });
    functions.keep(name, code, () => compiled.cachedData);
    return compiled;
  };
  return { SourceTextModule: new Proxy(SourceTextModule, { construct }), compileFunction: functionCompiledOnce };
}

function keeping() {
  const kept = new Map();
  return {
    find: (name, code) => (kept.get(name)?.code === code ? kept.get(name).data : undefined),
    keep: (name, code, make) => {
      if (!IMPORTS_AS_IT_RUNS.test(code)) kept.set(name, { code, data: make() });
    },
  };
}
