import { projectConfig } from '../../jest.preset.js';

export default projectConfig('payouts', import.meta.dirname);
