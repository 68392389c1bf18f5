import { describe, expect, it } from '@jest/globals';
import { plainPaint } from '@vuka/terminal';

import { callbacksPage } from './callbacks-page.js';
import { NOW } from './pages.spec-support.js';

describe('the page of callbacks', () => {
  it('says where providers call, what waits and what is not ours, with the command that ends the alarm', () => {
    const text = callbacksPage(
      {
        paths: [{ provider: 'pawapay', paths: ['/callbacks/pawapay/a1', '/callbacks/pawapay/b2'] }],
        waiting: [{ provider: 'pawapay', callbacks: 1, oldest_at: NOW.toISOString() }],
        unknown: [
          {
            id: 7,
            provider: 'pawapay',
            signed: true,
            detail: 'names 11111111-2222-4333-8444-555555555555',
            received_at: NOW.toISOString(),
            times: 2,
          },
        ],
      },
      NOW,
      plainPaint,
    );
    expect(text).toMatch(/pawapay {2}\/callbacks\/pawapay\/a1\npawapay {2}\/callbacks\/pawapay\/b2 {2}previous\n/);
    expect(text).toMatch(/1 callback of pawapay not handled yet/);
    expect(text).toMatch(/names 11111111-2222-4333-8444-555555555555 +yes +2 /);
    expect(text).toMatch(/npm run vuka -- callbacks-resolve pawapay --reason/);
  });

  it('says so where there is nothing', () => {
    expect(callbacksPage({ paths: [], waiting: [], unknown: [] }, NOW, plainPaint)).toBe(
      'No provider that calls back runs here.\n\nNothing was called back that is not ours.',
    );
  });
});
