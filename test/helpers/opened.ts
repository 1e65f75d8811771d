import { afterEach } from 'vitest';

/** Collects what a test opens and closes it afterwards, last first; a failing close fails the test. */
export function closeAfterTests(): <T extends { close(): Promise<void> }>(one: T) => T {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });
  return (one) => {
    opened.push(one);
    return one;
  };
}
