/** White space before the content may be so long, in bytes; more is no answer without content. */
const HEAD_BYTES = 1024;

const BLANK = '(?:\u00ef\u00bb\u00bf)?[ \\t\\r\\n]*';
const EMPTY_BODY = new RegExp(`^${BLANK}(?:null[ \\t\\r\\n]*)?$`);
/** What nothing may begin with: the rest is still to come. */
const MAY_BECOME_EMPTY = new RegExp(`^(?:${BLANK}(?:n|nu|nul|null[ \\t\\r\\n]*)?|\u00ef\u00bb?)$`);

/** The chunks of an answer; none of one that is empty, or JSON null, a byte order mark before it or not. */
export async function* skipEmptyBody(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length <= HEAD_BYTES && MAY_BECOME_EMPTY.test(head.toString('latin1'))) continue;
    yield head;
    head = undefined;
  }
  if (head !== undefined && !EMPTY_BODY.test(head.toString('latin1'))) yield head;
}
