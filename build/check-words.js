/*
 * Fails for words that the project replaces by plainer ones. Finds them in prose and in the parts of identifiers, such as
 * `tell` in `tellUser`. Skips lines that contain `words-ok`.
 *
 * Usage: node build/check-words.js [--summary] [path ...]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Forbidden words and their replacements. */
const WORDS = {
  'tell tells told telling untold': 'report, print, show, return',
  'answer answers answered answering': 'response, respond',
  'mend mends mended mendable mending': 'fix, correct',
  'fate fates': 'outcome',
  unclear: 'ambiguous, indeterminate',
  beside: 'next to, in addition to, compared with',
  'refuse refuses refused refusing refusal refusals': 'reject, rejection',
  'settle settles settled settling': 'resolve, apply, finalize, quiet period',
  'trouble troubles': 'failure',
  'misfortune misfortunes luck lucky unlucky strike strikes struck': 'fault, injected fault',
  'courier ledger verdict verdicts judge judges': 'dispatcher, row states, error class, classify',
  'law laws': 'invariant',
  'whole wholly': 'entire, complete; integer',
  gist: 'expected message',
  'stranger strangers nameless guilty hopeless': 'unmatched, unidentified, rejected',
  'vocabulary dialect': 'terms',
  'colour colours coloured normalise normalised normalises behaviour behaviours cancelled labelled':
    'American spelling',
  'nobody whoever whosoever somebody': 'no one, a person, a process',
  'gravest defuse defused': 'most severe, escape',
};

/** Forbidden phrases, in prose only. */
const PHRASES = [
  [/\bunder way\b/i, 'in progress, in flight'],
  [/\b(?:goes|went|going|go) on\b(?! (?:a|the|top)\b)/i, 'continue, resume'],
  [/\b(?:gives?|given?|gave) back\b/i, 'return'],
  [/(?<!\bthere )\bis no (?!longer\b|more\b|such\b|need\b|one\b)[a-z]+/i, 'is not a (valid) ...'],
  [/\bstands?\b(?! for\b)/i, 'is on, is in'],
  [/\blook(?:s|ed|ing)? (?:at|into)\b/i, 'read, check'],
  [/\blacks? the right\b/i, 'permission'],
];

/** Standard terms that contain a forbidden word, and URLs. */
const ALLOWED =
  /connection[- ](?:was )?refused|refused connections?|econnrefused|\brefused_?stream\b|\(refused\)|dns, refused|allsettled|https?:\/\/\S+/gi;

const SCANNED = /^(?:src|test|docs|build|bin)\/.*\.(?:[cm]?[jt]s|md|py)$|^README\.md$/;
const EXEMPT = /^build\/check-words\.js$/;

const replacements = new Map(
  Object.entries(WORDS).flatMap(([words, better]) => words.split(' ').map((word) => [word, better])),
);
const [isSummary, paths] =
  process.argv[2] === '--summary' ? [true, process.argv.slice(3)] : [false, process.argv.slice(2)];
const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...paths],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => SCANNED.test(file) && !EXEMPT.test(file));

const counts = new Map();
for (const file of files) {
  for (const [index, line] of readLines(file).entries()) {
    for (const [word, better] of findWords(line)) {
      counts.set(isSummary ? word : file, (counts.get(isSummary ? word : file) ?? 0) + 1);
      if (!isSummary) process.stdout.write(`${file}:${index + 1}: "${word}": write ${better}\n`);
    }
  }
}
const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
if (isSummary) {
  for (const [word, count] of [...counts].sort(([, a], [, b]) => b - a)) process.stdout.write(`${count}\t${word}\n`);
}
if (total > 0) {
  process.stdout.write(`${total} words to replace\n`);
  process.exitCode = 1;
}

function readLines(file) {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    // Deleted, but not yet in the index.
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function findWords(text) {
  if (text.includes('words-ok')) return [];
  const line = text.replace(ALLOWED, '');
  const parts = line
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return [
    ...parts.flatMap((part) => (replacements.has(part) ? [[part, replacements.get(part)]] : [])),
    ...PHRASES.flatMap(([pattern, better]) => {
      const [match] = pattern.exec(line) ?? [];
      return match === undefined ? [] : [[match, better]];
    }),
  ];
}
