import { type Archive, decodeXml, MAX_SMALL_PART_BYTES, parsePart } from './archive.ts';

/** What a part of a workbook refers to. */
export interface Relation {
  readonly id: string | undefined;
  /** The last segment of the type's URI, which differs between the transitional and the strict form of the format. */
  readonly type: string | undefined;
  readonly path: string;
}

/**
 * Reads the relationships of a part within the archive; none if it has none.
 *
 * @param part its path; `''` for the archive itself
 */
export async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const relations: Relation[] = [];
  await parsePart(archive, `${folder}_rels/${part.slice(folder.length)}.rels`, MAX_SMALL_PART_BYTES, {
    open(name, attributes) {
      if (name !== 'Relationship') return;
      const { Id: id, Type: type = '', Target: target = '', TargetMode: mode } = attributes();
      // The links of cells may be any text.
      const [url, base] = [decodeXml(target), `zip:///${folder}`];
      if (mode === 'External' || !URL.canParse(url, base)) return;
      const { pathname } = new URL(url, base);
      relations.push({ id, type: type.split('/').at(-1), path: pathname.replace(/^\/+/, '').toLowerCase() });
    },
  });
  return relations;
}
