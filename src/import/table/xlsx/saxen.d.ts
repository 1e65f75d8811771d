/** The part of the package that is used here; it ships no types. */
declare module 'saxen' {
  type Attributes = Readonly<Record<string, string | undefined>>;

  /** A streaming XML parser. It expands no entities: texts and attribute values arrive as written. */
  export class Parser {
    on(event: 'openTag', listener: (name: string, attributes: () => Attributes) => void): this;
    on(event: 'closeTag', listener: (name: string) => void): this;
    on(event: 'text' | 'cdata', listener: (text: string) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    write(text: string): this;
    end(): void;
  }
}
