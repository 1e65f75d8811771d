/** What `domain status --help` says below the options. */
export const DOMAIN_STATUS_HELP = `
A domain is ready when it is verified and not reported as misconfigured.
"unknown" means that the hosting provider could not be asked: not ready yet.

The DNS records to add are those that the service lists and, unless the domain is
ready, the recommended CNAME.

--wait continues through failures that may pass (429, 5xx, no connection) and
ends at once for those that do not (400, 401, 403, 404). A 401 after the key was
accepted in this run is retried for a minute, since services return it when they
cannot look keys up. A service that has not responded at all is given up after a
minute. The last look is taken at the deadline. SIGINT, SIGTERM and SIGHUP end it
with what is known by then.

--check-dns tells of each TXT, CNAME, A and AAAA record whether it is
  found      as it should be
  missing    nothing of its type at its name
  different  something else is there, which is shown
  unchecked  another type, or no value to compare with
  unknown    the name server gave no answer
Name servers may hold on to an earlier answer for a while.

Examples:
  $ orgadm domain status trust.example.com --sandbox
  $ orgadm domain status trust.example.com pending.example.com --json --sandbox
  $ orgadm domain status pending.example.com --zone --sandbox
  $ orgadm domain status pending.example.com --check-dns --sandbox
  $ orgadm domain status soon.example.com --wait --interval 1s --sandbox
  $ orgadm domain status trust.example.com --exit-status --sandbox && echo ready

JSON output: one domain gives an object, the service's answer plus "ready"
(boolean). Several give an array of these, with
{"domain","error":{"code","message","hint","status"}} for those that failed.
--check-dns adds "dns":[{"type","name","expected","state","actual","error"}],
"actual" being the values that are there, "error" why a state is not known.
`;
