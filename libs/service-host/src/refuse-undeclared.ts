import type { DynamicModule, Type } from '@nestjs/common';

type Module = Type<unknown> | DynamicModule;

/** Set by `@Injectable()` and `@Controller()`. */
const MARKS = ['__injectable__', '__controller__'];
/** Emitted for decorators; and tokens of `@Inject()`. */
const TYPES = 'design:paramtypes';
const TOKENS = 'self:paramtypes';

/**
 * Throws for a class with unknown parameter types (no decorator, or lost by the emitter): Nest would pass undefined.
 */
export function refuseUndeclared(root: Module): void {
  for (const wired of wiredClasses(root)) {
    const lacking = lackingOf(wired);
    if (lacking !== undefined) throw new Error(`${wired.name} cannot be wired: ${lacking}`);
  }
}

export function wiredClasses(root: Module, known: Set<unknown> = new Set()): Type<unknown>[] {
  if (known.has(root)) return [];
  known.add(root);
  const dynamic: Partial<DynamicModule> = typeof root === 'function' ? {} : root;
  const type = typeof root === 'function' ? root : root.module;
  const listed = <T>(key: 'imports' | 'providers' | 'controllers'): T[] => [
    ...((Reflect.getMetadata(key, type) as T[] | undefined) ?? []),
    ...((dynamic[key] as T[] | undefined) ?? []),
  ];
  const own = [...listed('providers'), ...listed('controllers')].map((provider) =>
    typeof provider === 'function' ? provider : (provider as { useClass?: unknown }).useClass,
  );
  const classes = own.filter((one): one is Type<unknown> => typeof one === 'function' && !known.has(one));
  for (const one of classes) known.add(one);
  return [...classes, ...listed<Module>('imports').flatMap((imported) => wiredClasses(imported, known))];
}

function lackingOf(wired: Type<unknown>): string | undefined {
  if (!MARKS.some((mark) => Reflect.hasOwnMetadata(mark, wired)))
    return 'it is neither @Injectable() nor a @Controller()';
  const types = (Reflect.getMetadata(TYPES, wired) as unknown[] | undefined) ?? [];
  const tokens = (Reflect.getMetadata(TOKENS, wired) as { index: number }[] | undefined) ?? [];
  if (types.length < wired.length) return `its constructor takes ${wired.length} things and ${types.length} have types`;
  const at = types.findIndex((type, index) => !isClass(type) && !tokens.some((token) => token.index === index));
  return at === -1
    ? undefined
    : `thing ${at + 1} of its constructor is a type alone: import the class, or @Inject() a token`;
}

/** Interfaces and type-only imports are emitted as these. */
function isClass(type: unknown): boolean {
  return type !== undefined && type !== Object && type !== Function;
}
