/** Where a setting or the API key comes from. `both`: ORGADM_API_KEY and the profile of this name have a key each. */
export type Origin =
  | { readonly kind: 'option' | 'variable' | 'profile' | 'both'; readonly name: string }
  | { readonly kind: 'default' };

/** Renders `--base-url`, `ORGADM_BASE_URL`, `profile prod`, or `default`. */
export function renderOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'profile':
      return `profile ${origin.name}`;
    case 'both':
      return `ORGADM_API_KEY and profile ${origin.name}`;
    case 'default':
      return 'default';
    default:
      return origin.name;
  }
}

/** Renders an origin for JSON; null if nothing sets the value. */
export function originOrNull(origin: Origin | undefined): string | null {
  return origin === undefined ? null : renderOrigin(origin);
}
