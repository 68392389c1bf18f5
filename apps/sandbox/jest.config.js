import { projectConfig } from '../../jest.preset.js';

export default projectConfig('sandbox', import.meta.dirname);
