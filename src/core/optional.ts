// Options that a caller may leave out. Strict programs pass `undefined` for what they do not know; it means the same.

/** Every option may be left out or be `undefined`. */
export type Optional<Options> = { readonly [Key in keyof Options]?: Options[Key] | undefined }

type Given<Options> = { [Key in keyof Options]: Exclude<Options[Key], undefined> }

/** Leaves out what is `undefined`, so that a default can take its place. */
export function given<Options extends object>(options: Options): Given<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Given<Options>
}
