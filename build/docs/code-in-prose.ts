/** Parts of a help text that are code: what users type, and the names in JSON. */
const CODE = [
  // `misconfigured`
  /`[^`]+`/,
  // {"domain","error":{"code","message"}}, and arrays of it
  /(?:"[a-zA-Z]+":)?\[?\{"(?:[^{}]|\{[^{}]*\})*\}\]?/,
  // ["pass","show"]
  /\["[^\]]*"\]/,
  // "success": false
  /"[a-zA-Z]+": ?(?:true|false|null)/,
  // --default isActive=true, --invalid skip
  /--[a-z][a-z-]*(?: [a-zA-Z]+=[\w.]*\w| (?:skip|abort)\b)?/,
  // -o json
  /(?<![\w-])-[a-zA-Z](?![\w-])(?: (?:table|json|ndjson|csv)\b)?/,
  // ORGADM_API_KEY
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+/,
  // wire.findings.task, wire.findings.<selector>
  /\bwire\.[\w.]*(?:<[a-z]+>|\w)/,
  // <id>, #<number>, permissions.<resource>
  /(?:\b[a-z]+\.|#)?<[a-z]+>/,
  // control=read,update and error500=0.1,limit=100/min and a[b]=1
  /(?<![\w-])[a-z]\w*(?:\[\w*\])?=[\w.,/=]*\w/,
  // ~/.config/orgadm
  /~\/[\w./-]*\w/,
  // source <(orgadm completion bash)
  /source <\([^)]*\)|orgadm completion fish \| source/,
];

/**
 * Renders a help text as Markdown, with code in backticks.
 *
 * @param commands names such as `people bulk-add` and `help errors`, which are code too. A name of one word needs `orgadm` before it.
 */
export function renderProse(text: string, commands: readonly string[]): string {
  const names = commands
    .toSorted((a, b) => b.length - a.length)
    .map((name) => (name.includes(' ') ? `(?:orgadm )?\\b${name}\\b` : `\\borgadm ${name}\\b`))
    .map((name) => `${name}(?: --(?:help|effective))?`);
  const code = new RegExp([...CODE.map(({ source }) => source), ...names].join('|'), 'g');
  let markdown = '';
  let end = 0;
  for (const { 0: match, index } of text.matchAll(code)) {
    markdown += `${escapeProse(text.slice(end, index))}\`${match.replaceAll('`', '').replaceAll('|', '\\|')}\``;
    end = index + match.length;
  }
  return markdown + escapeProse(text.slice(end));
}

/** Escapes the characters that Markdown interprets. */
function escapeProse(text: string): string {
  return text.replace(/[\\`*_<>[\]|]/g, '\\$&');
}
