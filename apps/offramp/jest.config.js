import { projectConfig } from '../../jest.preset.js';

export default projectConfig('offramp', import.meta.dirname);
