/** What `people bulk-add --help` says below its options. */
export const BULK_ADD_HELP = `
The list has the columns (or keys) userId and role, and may have department,
isActive and deviceMgmtLabelId. It is read and checked whole before anything is
sent. Each row ends in one state:
  created    added now
  existing   a member already
  recovered  a member now, perhaps by an attempt of ours whose answer was lost
  failed     the service refused this row; its words are shown
  invalid    refused here, never sent
  unknown    sent, and no answer tells what became of it: --resume asks again
  unsent     not reached: --resume goes on; a table only counts these rows

Examples:
  $ orgadm people bulk-add examples/members.csv --sandbox
  $ orgadm people bulk-add examples/members.csv --dry-run
  $ orgadm people bulk-add examples/members.csv --errors-file errors.csv \\
      --ignore-existing --sandbox
  $ orgadm people bulk-add examples/export.csv --map userId=Account \\
      --map department=Dept --default role=employee --ignore-extra-columns --sandbox
  $ orgadm people template -o json | orgadm people bulk-add - --json --dry-run
  $ orgadm people bulk-add examples/members.csv --resume --sandbox

JSON output: {"summary","rows","authType","authenticatedUser"}. The summary counts
"total" and each state, and tells why the run "stopped" early, or null. The rows
are {"line","entry","userId","state","error"}, all but the created ones.
ndjson: one such row as it is settled, created ones with their "member"; the last
line is {"summary","authType","authenticatedUser"}.

Exit code 0 when every row was created or recovered, 3 when the run ended but some
rows were not added.
`;
