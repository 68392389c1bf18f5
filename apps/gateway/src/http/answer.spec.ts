import { describe, expect, it } from '@jest/globals';
import { ERROR_CATALOGUE, ERROR_CODES } from '@vuka/domain';

import { problemBody, wantsProblemJson } from './answer.js';

describe('problem+json', () => {
  it.each([
    [undefined, false],
    ['*/*', false],
    ['application/*', false],
    ['application/json', false],
    ['application/problem+json', true],
    ['application/json, Application/Problem+JSON', true],
    ['application/json, Application/Problem+JSON;q=0.1', false],
    ['application/json;q=0.1, application/problem+json;q=0.1', true],
    ['application/json;q=0.8, application/problem+json; q=0.9', true],
    ['application/problem+json;q=0.5, */*', false],
    ['application/problem+json;q=0.5, */*;q=0.5', true],
    ['application/problem+json;q=0.5, application/json;q=0.1, */*', true],
    ['application/problem+json, application/*;q=0.2', true],
    ['text/html, application/problem+json;q=0.5', true],
    ['application/problem+json;q=2', false],
    ['application/problem+json;q=none', false],
    ['application/problem+json;profile="x";q=1.000', true],
    ['application/problem+json;q=0', false],
    ['application/problem+json; q=0.000, */*', false],
    ['application/problem+json;q=0.001', true],
    ['application/problem+jsonld', false],
  ])('Accept %j asks for it: %s', (accept, wants) => {
    expect(wantsProblemJson(accept)).toBe(wants);
  });

  it.each(ERROR_CODES)('tells %s both ways', (code) => {
    const { status, title } = ERROR_CATALOGUE[code];
    const problem = { code, message: 'why', faults: [{ detail: 'amount is required', pointer: '/amount' }] };
    expect(problemBody(problem, 'r1', false)).toBe(`{"code":${String(status)},"message":"why"}`);
    expect(JSON.parse(problemBody(problem, 'r1', true))).toEqual({
      type: `urn:vuka:error:${code}`,
      title,
      status,
      detail: 'why',
      instance: 'r1',
      errors: [{ detail: 'amount is required', pointer: '#/amount' }],
    });
  });

  it('names the request by a URI reference, whatever its caller called it', () => {
    const instanceOf = (requestId: string): unknown =>
      (JSON.parse(problemBody({ code: 'not_found', message: 'why' }, requestId, true)) as { instance: unknown })
        .instance;
    expect(['A.b-c_9', '1:2/3=4+5@6'].map(instanceOf)).toEqual(['A.b-c_9', '1%3A2%2F3%3D4%2B5%406']);
  });
});
