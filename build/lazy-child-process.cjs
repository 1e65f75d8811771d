/* Commander starts programs for commands that are files of their own; there are none here. */
exports.spawn = (...args) => require('node:child_process').spawn(...args);
