import { projectConfig } from '../../jest.preset.js';

export default projectConfig('platform', import.meta.dirname);
