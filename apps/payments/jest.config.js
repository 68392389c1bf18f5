import { projectConfig } from '../../jest.preset.js';

export default projectConfig('payments', import.meta.dirname);
