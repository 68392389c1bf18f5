import FindMyWay from 'find-my-way';

import type { AnswerSchemas } from './operation-document.js';
import type { Operation, Operations } from './operation.js';

/** Not offered yet (decisions.md section 2, last row). */
const NOT_OFFERED = ['/v1/onramp', '/collect'] as const;

/** Node's header limit bounds a segment already; this longer bound keeps long paths a plain 404. */
export const ROUTER_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 16_384 } as const;

type Router = FindMyWay.Instance<FindMyWay.HTTPVersion.V1>;

export class OperationTable {
  /** Made when asked. */
  private sandboxRouter: Router | undefined;
  private liveRouter: Router | undefined;

  constructor(
    readonly rows: Operations,
    readonly answers: AnswerSchemas,
  ) {}

  /** [] for an unknown path. */
  allowedMethods(url: string, sandbox = true): string[] {
    const path = url.split('?', 1)[0] ?? '';
    const router = sandbox ? this.inSandbox : this.inLive;
    const reads = router.find('GET', path) === null ? [] : ['GET', 'HEAD'];
    return [...reads, ...(['POST', 'PUT'] as const).filter((method) => router.find(method, path) !== null)];
  }

  isNotOffered(url: string): boolean {
    return this.inLive.find('PATCH', url.split('?', 1)[0] ?? '') !== null;
  }

  private get inSandbox(): Router {
    return (this.sandboxRouter ??= routerOf(Object.values(this.rows)));
  }

  private get inLive(): Router {
    return (this.liveRouter ??= routerOf(Object.values(this.rows).filter(({ sandboxOnly }) => sandboxOnly !== true)));
  }
}

function routerOf(operations: readonly Operation[]): Router {
  const router = FindMyWay<FindMyWay.HTTPVersion.V1>(ROUTER_OPTIONS);
  for (const operation of operations) {
    for (const path of operation.paths) router.on(operation.method, path, () => undefined, operation);
  }
  for (const path of NOT_OFFERED) router.on('PATCH', path, () => undefined);
  return router;
}
