import type { Entry } from './entry.ts';

/** A row that can be sent, as it is sent. */
export interface OutgoingRow {
  /** Its place among the rows of the list, 1-based. */
  readonly entry: number;
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
  readonly userId: string;
  /** The JSON text of its element of `members` in the request of interface 4.2. */
  readonly json: string;
}

/** Writes entries as JSON. What was written last is kept: most columns hold the same few texts over and over. */
export class EntryWriter {
  readonly #label: string;
  readonly #role = new LastText();
  readonly #department = new LastText();

  /** @param labelName what the service calls `deviceMgmtLabelId` */
  constructor(labelName: string) {
    this.#label = JSON.stringify(labelName);
  }

  /** The fields that are there, in the order of the interface. */
  write({ userId, role, department, isActive, deviceMgmtLabelId }: Entry): string {
    let json = `{"userId":${JSON.stringify(userId)},"role":${this.#role.quote(role)}`;
    if (department !== undefined) json += `,"department":${this.#department.quote(department)}`;
    if (isActive !== undefined) json += `,"isActive":${isActive}`;
    if (deviceMgmtLabelId !== undefined) json += `,${this.#label}:${deviceMgmtLabelId}`;
    return `${json}}`;
  }
}

class LastText {
  #text = '';
  #quoted = '""';

  quote(text: string): string {
    if (text !== this.#text) {
      this.#text = text;
      this.#quoted = JSON.stringify(text);
    }
    return this.#quoted;
  }
}
