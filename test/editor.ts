import { getLanguageService, TextDocument } from 'yaml-language-server';

type Service = ReturnType<typeof getLanguageService>;
/** The server's own type of document is a narrower one of the same object. */
type Document = Parameters<Service['doHover']>[0];

/** What an editor with the YAML language server shows. In texts the cursor stands at the `|`. */
export interface Editor {
  readonly offered: (text: string) => Promise<string[]>;
  readonly hover: (text: string) => Promise<string>;
  /** Lines, from 0, that are marked, each with what is said. */
  readonly marks: (text: string) => Promise<{ line: number; message: unknown }[]>;
}

/** The server remembers documents by their names, of all editors together. */
let documents = 0;

/** An editor in which every file has this schema, given as its JSON. */
export function openEditor(schema: string): Editor {
  const service = getLanguageService({
    schemaRequestService: () => Promise.resolve(schema),
    workspaceContext: { resolveRelativePath: (path) => path },
  });
  service.configure({
    validate: true,
    hover: true,
    completion: true,
    // The server resolves references in place: it gets a copy of its own.
    schemas: [{ uri: 'file:///schema.json', fileMatch: ['*.yaml'], schema: JSON.parse(schema) }],
  });
  const open = (text: string) => {
    documents += 1;
    const document = TextDocument.create(`file:///${documents}.yaml`, 'yaml', 1, text.replace('|', '')) as Document;
    return { document, cursor: document.positionAt(text.indexOf('|')) };
  };
  return {
    offered: async (text) => {
      const { document, cursor } = open(text);
      return (await service.doComplete(document, cursor, false)).items.map((item) => item.label);
    },
    hover: async (text) => {
      const { document, cursor } = open(text);
      return JSON.stringify((await service.doHover(document, cursor))?.contents);
    },
    marks: async (text) => {
      const diagnostics = await service.doValidation(open(text).document, false);
      return diagnostics.map(({ message, range }) => ({ line: range.start.line, message }));
    },
  };
}
