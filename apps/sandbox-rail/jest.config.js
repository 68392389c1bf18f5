import { projectConfig } from '../../jest.preset.js';

export default projectConfig('sandbox-rail', import.meta.dirname);
