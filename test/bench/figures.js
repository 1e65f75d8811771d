/** The middle one of some numbers; undefined where there is none. */
export function median(numbers) {
  const sorted = numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** What several runs of the same command come to. */
export function summarize(runs) {
  return { seconds: median(runs.map((run) => run.seconds)), peakMb: median(runs.map((run) => run.peakMb)) };
}

/** How many of `count` went through in a second. */
export const perSecond = (count, run) =>
  run === undefined ? '–' : Math.round(count / run.seconds).toLocaleString('en');

/** How long `run` took for what took `other` a time of 1. */
export const ratio = (run, other) => (other === undefined ? '–' : (run.seconds / other.seconds).toFixed(2));

export const megabytes = (run) => (run?.peakMb === undefined ? '–' : String(Math.round(run.peakMb)));

/** A table in Markdown; numbers stand to the right. */
export function renderMarkdown(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = header.map((_, column) => (column === 0 ? '---' : '--:'));
  return [line(header), line(rule), ...rows.map(line)].join('\n');
}
