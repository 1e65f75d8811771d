#!/usr/bin/env node
// Node's compile cache would save less than a tenth, and needs a folder in which nobody else can put code.
require('../dist/main.cjs').run(process);
