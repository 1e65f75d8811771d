import { afterAll, describe, expect, it } from 'vitest';
import { type Draws, seededDraws } from '../helpers/seeded-random.ts';
import { joined, type Operation } from './behaviors.ts';
import { type Expected, USUAL, type Variant } from './dsl.ts';
import { LIST } from './fixtures.ts';
import { brokenLaws } from './invariants.ts';
import { runAgainst, type Told } from './run.ts';
import { POINTS } from './variants.ts';

const COMBINATIONS = Number(process.env.COMBINATIONS ?? 500);
const FIRST_SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
const PARTS = 10;
/** Combinations that run at the same time: much of a run is waiting for the disk. */
const AT_ONCE = 5;
const OPERATIONS = Object.keys(USUAL) as Operation[];

/** What the usual service's answers make the tool say. */
const USUAL_STDERR: Readonly<Record<Operation, RegExp>> = {
  role: /^sent, but not returned by the service: obligations\n$/,
  people: /^$/,
  domain: /^$/,
  findings: /^$/,
};
/** Printed before every such change, whatever the service. */
const BEFORE_A_CHANGE = `warning: a service may replace all permissions of the role: those on resources other than control may be dropped
warning: a service may replace all obligations of the role: those other than compliance may be dropped
`;

const right = { variants: 0, combinations: 0 };
const variants = POINTS.flatMap((point) => point.variants);

afterAll(() => {
  process.stdout.write(
    `contract: ${right.variants} of ${variants.length} variants, ${right.combinations} of ${COMBINATIONS} combinations\n`,
  );
});

for (const point of POINTS) {
  describe(point.says, () => {
    for (const variant of point.variants) it(variant.name, () => runVariant(variant));
  });
}

async function runVariant(variant: Variant): Promise<void> {
  for (const operation of OPERATIONS) {
    const expected = variant.expect[operation];
    if (expected === undefined) continue;
    const told = await runAgainst(operation, variant);
    compare(operation, told, expected);
    expect(brokenLaws(operation, told, usersOf(variant.list ?? LIST)), operation).toEqual([]);
  }
  right.variants++;
}

function compare(operation: Operation, { code, short, stderr }: Told, [expectedCode, out, err]: Expected): void {
  const said = stderr.replace(BEFORE_A_CHANGE, '');
  expect({ code, out: short }, `${operation}: ${stderr}`).toEqual({ code: expectedCode, out });
  expect(said, operation).toMatch(err ?? USUAL_STDERR[operation]);
}

/** Every variant can stand beside any other, unless it needs a list or a command line of its own. */
const COMBINED = variants.filter(({ list, words, first }) => (list ?? words ?? first) === undefined);

describe(`random combinations, from SEED=${FIRST_SEED}`, () => {
  // In parts, so that a failing one is found without running all of them.
  for (let part = 0; part < PARTS; part++) {
    const seeds = Array.from(
      { length: COMBINATIONS / PARTS },
      (_, at) => FIRST_SEED + part * (COMBINATIONS / PARTS) + at,
    );
    it(`seeds ${seeds[0]} to ${seeds.at(-1)}`, async () => {
      for (let at = 0; at < seeds.length; at += AT_ONCE) {
        await Promise.all(seeds.slice(at, at + AT_ONCE).map(runCombination));
      }
    }, 120_000);
  }
});

async function runCombination(seed: number): Promise<void> {
  const picked = drawVariants(seededDraws(seed));
  const traits = joined(picked.map((variant) => variant.traits));
  const broken = await Promise.all(
    OPERATIONS.map(async (operation) => {
      const told = await runAgainst(operation, { traits });
      return brokenLaws(operation, told, usersOf(LIST)).map((law) => `${operation}: ${law}\n${told.stderr}`);
    }),
  );
  expect(broken.flat(), `COMBINATIONS=10 SEED=${seed}: ${picked.map(({ name }) => name).join(' + ')}`).toEqual([]);
  right.combinations++;
}

function drawVariants(draws: Draws): Variant[] {
  return draws.shuffle(COMBINED).slice(0, draws.int(2, 8));
}

function usersOf(list: string): string[] {
  return list
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(',')).replace(/^"|"$/g, '').replaceAll('""', '"'));
}
