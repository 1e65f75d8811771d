/* What bin/orgadm.js is for the npm package, without a compile cache: the executable contains one. */
import { run } from '../src/main.ts';

run(process);
