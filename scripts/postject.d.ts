declare module 'postject' {
  /** Adds a resource to an executable. @throws Error when the executable has no place for it */
  export function inject(
    executable: string,
    resource: string,
    data: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName?: string },
  ): Promise<void>;
}
