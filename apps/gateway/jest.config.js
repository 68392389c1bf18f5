import { projectConfig } from '../../jest.preset.js';

export default projectConfig('gateway', import.meta.dirname);
