declare module 'har-schema' {
  /** The parts of the schema, by name. */
  const schemas: Readonly<Record<string, object>>;
  export default schemas;
}
