/** The middle one of some numbers; undefined where there is none. */
export function median(numbers) {
  const sorted = numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Returns the medians of several runs of the same command; undefined if there were none. */
export function summarize(runs) {
  if (runs.length === 0) return undefined;
  return { seconds: median(runs.map((run) => run.seconds)), peakMb: median(runs.map((run) => run.peakMb)) };
}

/** The figure of runs that take `count` things through: how long it took, and how many that are in a second. */
export const perSecond = (count, things) => (run) =>
  `${run.seconds.toFixed(2)} s, ${Math.round(count / run.seconds).toLocaleString('en')} ${things}/s`;

export const HEADER = ['', 'orgadm', 'peak MB', 'compared with', 'its figure', 'its peak MB', 'time ÷ its time'];

/**
 * A row of the table.
 *
 * @param ours, other.run the result of `summarize`; without `other`, or without its run, its cells stay empty
 * @param figure formats a run, as `perSecond` does
 */
export function row(name, ours, figure, other) {
  const own = [name, figure(ours), megabytes(ours)];
  if (other?.run === undefined) return [...own, '', '', '', ''];
  const { run } = other;
  return [...own, other.name, other.figure(run), megabytes(run), (ours.seconds / run.seconds).toFixed(2)];
}

const megabytes = ({ peakMb }) => (peakMb === undefined ? '–' : String(Math.round(peakMb)));

/** A table in Markdown; numbers are aligned to the right. */
export function renderMarkdown(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = header.map((_, column) => (column === 0 || column === 3 ? '---' : '--:'));
  return [line(header), line(rule), ...rows.map(line)].join('\n');
}
