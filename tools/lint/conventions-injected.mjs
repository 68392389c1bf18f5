// What Nest can inject (docs/engineers/architecture.md): the compiler emits classes, not types.
const MOST_INJECTED = 6;

/** From a Nest decorator to the class's constructor; a class ends with a brace in column one. */
const CONSTRUCTOR =
  /@(?:Injectable|Controller)\([^)]*\)(?:(?!\n\})[^])*?\bclass (\w+)(?:(?!\n\})[^])*?\n {2}(?:public )?constructor\(([^]*?)\)(?: \{|,)/g;
const PARAMETER = /^(?:(?:public|private|protected|readonly|override) )*\w+\??: (.*)$/s;

export const INJECTED_RULE = {
  applies: (path) => /^(apps|libs)\/.*\.ts$/.test(path) && !/\.(spec|spec-support)\.ts$/.test(path),
  find: (path, text) =>
    [...text.matchAll(CONSTRUCTOR)].flatMap(([, name, parameters]) => {
      const taken = parts(parameters);
      const findings = taken
        .filter((parameter) => !parameter.startsWith('@') && !isClass(PARAMETER.exec(parameter)?.[1], text))
        .map(
          (parameter) =>
            `${path}: ${name} takes "${parameter}", which is only a type: import the class, or @Inject() a token`,
        );
      return taken.length > MOST_INJECTED
        ? [
            ...findings,
            `${path}: the constructor of ${name} takes ${taken.length} parameters; the limit is ${MOST_INJECTED}`,
          ]
        : findings;
    }),
};

function isClass(type, text) {
  if (type === undefined || !/^[A-Z]\w*$/.test(type)) return false;
  const asType = [...text.matchAll(/\bimport type \{([^}]*)\}/g)].flatMap(([, names]) => names.split(','));
  const inline = [...text.matchAll(/\btype (\w+)/g)].map(([, one]) => one);
  return ![...asType.map((one) => one.trim()), ...inline].includes(type) && !text.includes(`interface ${type} `);
}

function parts(parameters) {
  const text = parameters.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
  const found = [];
  let depth = 0;
  let from = 0;
  for (const [at, letter] of [...text, ','].entries()) {
    if ('(<[{'.includes(letter)) depth += 1;
    if (')]}'.includes(letter) || (letter === '>' && text[at - 1] !== '=')) depth -= 1;
    if (letter !== ',' || depth > 0) continue;
    found.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return found.filter((one) => one !== '');
}
