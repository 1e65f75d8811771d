/** What `people bulk-add --help` says below its options. */
export const BULK_ADD_HELP = `
The list has the columns (or keys) userId and role, and may have department,
isActive and deviceMgmtLabelId. It is read and checked whole before anything is
sent. Each row ends in one state:
  created    added now
  existing   a member already
  recovered  a member now, possibly through a request whose response was lost
  failed     rejected by the service; its message is shown
  invalid    failed validation here, never sent
  unknown    sent, outcome unknown: --resume checks again
  unsent     not sent: --resume continues; a table only counts these rows

Examples:
  $ orgadm people bulk-add examples/members.csv --sandbox
  $ orgadm people bulk-add examples/members.csv --dry-run
  $ orgadm people bulk-add examples/members.csv --errors-file errors.csv \\
      --ignore-existing --sandbox
  $ orgadm people bulk-add examples/export.csv --map userId=Account \\
      --map department=Dept --default role=employee --ignore-extra-columns --sandbox
  $ orgadm people template -o json | orgadm people bulk-add - --json --dry-run
  $ orgadm people bulk-add examples/members.csv --resume --sandbox

JSON output: {"summary","rows","duplicates","authType","authenticatedUser"}. The
summary counts "total", each state and "duplicates", and says why the run "stopped"
early, or null. The rows are {"line","entry","userId","state","error"}, all but the
created ones. Users who have, or may have, two active memberships are duplicates:
{"line","entry","userId","memberIds","certain"}.
ndjson: one such row as it is settled, created ones with their "member"; the last
line is {"summary","duplicates","authType","authenticatedUser"}.

Exit code 0 when every row was created or recovered, 3 when the run ended but some
rows were not added, or people may have been added twice.
`;
