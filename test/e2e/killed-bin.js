/* The tool, which kills itself at the call that BREAK_AT names. */
import { breakFiles } from './broken-files.js';

breakFiles(process.env.BREAK_AT);
await import('../../bin/orgadm.js');
