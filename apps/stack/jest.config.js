import { projectConfig } from '../../jest.preset.js';

export default projectConfig('stack', import.meta.dirname);
