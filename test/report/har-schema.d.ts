declare module 'har-schema' {
  /** The parts of the schema, by their names. */
  const schemas: Readonly<Record<string, object>>;
  export default schemas;
}
