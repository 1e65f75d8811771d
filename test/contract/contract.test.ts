import { afterAll, describe, expect, it } from 'vitest';
import { SEED, type SeededRandom, seededRandom } from '../helpers/seeded-random.ts';
import { mergeBehaviors, type Operation } from './behaviors.ts';
import { DEFAULTS, type Expected, type Variant } from './dsl.ts';
import { LIST } from './fixtures.ts';
import { findViolations, withoutProgress } from './invariants.ts';
import { type Outcome, runAgainst } from './run.ts';
import { POINTS } from './variants.ts';

const COMBINATIONS = Number(process.env.COMBINATIONS ?? 10);
const OPERATIONS = Object.keys(DEFAULTS) as Operation[];

/** Standard error for the responses of the default service. */
const DEFAULT_STDERR: Readonly<Record<Operation, RegExp>> = {
  role: /^.*: obligations\n$/,
  people: /^$/,
  domain: /^$/,
  findings: /^$/,
};
/** Printed before every such change, whatever the service. */
const BEFORE_A_CHANGE =
  /^warning: .* takes .*\nwarning: .*: control \(read, update\)\nwarning: .*\nwarning: .*: compliance \(true\)\n/;

const correctBehaviors = { variants: 0, combinations: 0 };
const variants = POINTS.flatMap((point) => point.variants);

afterAll(() => {
  process.stdout.write(
    `contract: ${correctBehaviors.variants} of ${variants.length} variants, ${correctBehaviors.combinations} of ${COMBINATIONS} combinations from SEED=${SEED}\n`,
  );
});

for (const point of POINTS) {
  describe(point.behaviors, () => {
    for (const variant of point.variants)
      it(`has the documented outcome and breaks no invariant: ${variant.name}`, () => runVariant(variant));
  });
}

async function runVariant(variant: Variant): Promise<void> {
  for (const operation of OPERATIONS) {
    const expected = variant.expect[operation];
    if (expected === undefined) continue;
    const reported = await runAgainst(operation, variant);
    compare(operation, reported, expected);
    expect(findViolations(operation, reported, usersOf(variant.list ?? LIST)), operation).toEqual([]);
  }
  correctBehaviors.variants++;
}

function compare(operation: Operation, { code, short, stderr }: Outcome, [expectedCode, out, err]: Expected): void {
  const output = withoutProgress(stderr).replace(BEFORE_A_CHANGE, '');
  expect({ code, out: short }, `${operation}: ${stderr}`).toEqual({ code: expectedCode, out });
  expect(output, operation).toMatch(err ?? DEFAULT_STDERR[operation]);
}

/** Variants that can be combined: those that need no list or command line of their own. */
const COMBINED = variants.filter(({ list, messages, first }) => (list ?? messages ?? first) === undefined);

describe(`a random combination of variants, from SEED=${SEED}`, () => {
  it.each(Array.from({ length: COMBINATIONS }, (_, at) => SEED + at))('breaks no invariant: %i', runCombination);
});

async function runCombination(seed: number): Promise<void> {
  const picked = drawVariants(seededRandom(seed));
  const behaviors = mergeBehaviors(picked.map((variant) => variant.behaviors));
  const violations = await Promise.all(
    OPERATIONS.map(async (operation) => {
      const reported = await runAgainst(operation, { behaviors });
      return findViolations(operation, reported, usersOf(LIST)).map(
        (invariant) => `${operation}: ${invariant}\n${reported.stderr}`,
      );
    }),
  );
  expect(violations.flat(), `COMBINATIONS=10 SEED=${seed}: ${picked.map(({ name }) => name).join(' + ')}`).toEqual([]);
  correctBehaviors.combinations++;
}

function drawVariants(draws: SeededRandom): Variant[] {
  return draws.shuffle(COMBINED).slice(0, draws.int(2, 8));
}

function usersOf(list: string): string[] {
  return list
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(',')).replace(/^"|"$/g, '').replaceAll('""', '"'));
}
