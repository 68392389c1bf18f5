import { describe, expect, it } from '@jest/globals';
import type { CorridorSwitchView, CorridorView } from '@vuka/admin';
import { plainPaint } from '@vuka/terminal';

import { corridorsPage } from './corridors-page.js';
import { NOW } from './pages.spec-support.js';

const AN_HOUR_AGO = new Date(NOW.getTime() - 3_600_000).toISOString();
const OFF: CorridorSwitchView = {
  id: 7,
  provider: 'pawapay',
  currency: 'GHS',
  kind: 'mobile',
  network: 'MTN',
  reason: 'MTN is down',
  off_by: 'Ann Otieno',
  off_since: AN_HOUR_AGO,
  lifted_at: null,
  lifted_by: null,
  lifted_why: null,
};
const MTN: CorridorView = {
  provider: 'pawapay',
  currency: 'GHS',
  kind: 'mobile',
  network: 'MTN',
  choice: 1,
  state: 'open',
  state_since: null,
  state_detail: '',
  switched_off_by: [],
};

describe('the page of corridors', () => {
  it('shows each provider of each route, how it does, and who switched off what', () => {
    const text = corridorsPage(
      {
        corridors: [
          { ...MTN, switched_off_by: [7] },
          { ...MTN, provider: 'other', choice: 2 },
          {
            ...MTN,
            network: 'Telecel',
            state: 'ill',
            state_since: AN_HOUR_AGO,
            state_detail: '4 of 4 within a minute',
          },
        ],
        off: [OFF],
        before: [{ ...OFF, network: null, kind: null, lifted_at: NOW.toISOString(), lifted_by: 'Ben Mwangi', lifted_why: 'up' }], // prettier-ignore
      },
      NOW,
      plainPaint,
    );
    expect(text).toMatch(/GHS +mobile +MTN +1 +pawapay +OFF/);
    expect(text).toMatch(/GHS +mobile +MTN +2 +other +on/);
    expect(text).toMatch(/Telecel +1 +pawapay +ill, 1 h 00 min ago, 4 of 4 within a minute/);
    expect(text).toMatch(/Switched off\npawapay GHS mobile MTN {2}off by Ann Otieno, 1 h 00 min ago: MTN is down/);
    expect(text).toMatch(/Before\npawapay GHS {2}off by Ann Otieno.*\n {2}on by Ben Mwangi, now: up/);
  });

  it('says so where nothing is known, and nothing is off', () => {
    expect(corridorsPage({ corridors: [], off: [], before: [] }, NOW, plainPaint)).toBe(
      'No routes are known here: no payments runs, or its providers file has none.\n\nNo provider and no corridor is switched off.',
    );
  });
});
