import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Sections of a version, in the order of https://keepachangelog.com/en/1.1.0/. */
const SECTIONS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [, ...versions] = changelog.split(/^## /m);

describe('CHANGELOG.md', () => {
  it('starts with what is not released yet, and has a version and a day in each other heading', () => {
    const headings = versions.map((text) => text.split('\n')[0]);
    expect(headings[0]).toBe('[Unreleased]');
    expect(headings.slice(1).filter((heading = '') => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/.test(heading))).toEqual(
      [],
    );
  });

  it('has the sections of Keep a Changelog in each version, once and in order', () => {
    for (const version of versions) {
      const sections = [...version.matchAll(/^### (.*)$/gm)].map(([, name]) => name ?? '');
      expect(sections).toEqual(SECTIONS.filter((name) => sections.includes(name)));
    }
  });

  it('has only additions in the first version, which nothing precedes', () => {
    expect([...(versions.at(-1) ?? '').matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(['Added']);
  });
});
