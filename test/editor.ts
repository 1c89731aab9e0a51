import { getLanguageService, TextDocument } from 'yaml-language-server';

type Service = ReturnType<typeof getLanguageService>;
/** The document type of the server, which narrows the type of the same object. */
type Document = Parameters<Service['doHover']>[0];

/** An editor with the YAML language server. The `|` in a text is the cursor. */
export interface Editor {
  readonly offered: (text: string) => Promise<string[]>;
  readonly hover: (text: string) => Promise<string>;
  /** The marked lines, from 0, each with its message. */
  readonly marks: (text: string) => Promise<{ line: number; message: unknown }[]>;
}

/** The server stores the documents of all editors by name, so every name must be unique. */
let documents = 0;

/** Starts an editor in which every file has the given JSON schema. */
export function openEditor(schema: string): Editor {
  const service = getLanguageService({
    schemaRequestService: () => Promise.resolve(schema),
    workspaceContext: { resolveRelativePath: (path) => path },
  });
  service.configure({
    validate: true,
    hover: true,
    completion: true,
    // The server changes the schema when it resolves references, so it gets a copy.
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
