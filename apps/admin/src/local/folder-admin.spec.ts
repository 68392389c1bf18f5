import { describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import { outboundPolicy } from '@vuka/http';

import { settingsIn } from './folder-admin.js';

describe('the settings of an admin API on the tables of a folder', () => {
  it('are those of the environment of the folder: in live, no webhook goes to a private address, whatever the setting says', () => {
    const given = loadSettings({});
    expect(outboundPolicy(settingsIn('sandbox', given))).toMatchObject({ allowPrivate: true, anyPort: true });
    expect(outboundPolicy(settingsIn('live', given))).toMatchObject({ allowPrivate: false, anyPort: false });
    expect(settingsIn('live', given).env).toBe('live');
  });
});
