const MAX_KEYS = 100;

/** What stands around the elements of a JSON text. */
export class Envelope {
  /** Undefined as long as nothing but white space was seen. */
  top: 'array' | 'object' | undefined;
  /** The key of the array, when the top is an object that has one; dotted where it is a key of an inner object. */
  arrayKey: string | undefined;
  /** The other keys of the object, the first 100 of them. */
  readonly keys: string[] = [];
  /** The keys of further arrays that might have been meant. */
  readonly otherLists: string[] = [];
  /** What stands under these keys, as far as it is short; arrays are left out. */
  readonly members = new Map<string, unknown>();

  /** Takes another key of the object. */
  addKey(key: string): void {
    if (this.keys.length < MAX_KEYS) this.keys.push(key);
  }

  /** Takes the value of a key that was taken. */
  addMember(key: string, value: unknown): void {
    if (this.keys.includes(key)) this.members.set(key, value);
  }
}
