import { projectConfig } from '../../jest.preset.js';

export default projectConfig('domain', import.meta.dirname);
