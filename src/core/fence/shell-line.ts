// A parsed shell line: its simple commands, and what is known of each before it runs.

export type ShellWord = {
  /** What the program gets; `null`: known only when the line runs. */
  readonly text: string | null
  /** The known beginning of the word. */
  readonly begins: string
}

export type ShellCommand = {
  /** The program, then its arguments; none where a line only sets a variable or redirects a group. */
  readonly words: readonly ShellWord[]
  /** Variables that are set for it. */
  readonly sets: readonly string[]
  /** Files that its output is redirected into. */
  readonly writesTo: readonly ShellWord[]
  /** Its last arguments come from its input, as with `xargs`. */
  readonly hasMoreWords: boolean
}

export type ShellLine =
  | { readonly commands: readonly ShellCommand[] }
  /** Why Reprise cannot say what the line would start. */
  | { readonly problem: string }

/** Reads a line by the grammar of bash. Never throws. */
export type ReadShell = (line: string) => ShellLine

export const literal = (text: string): ShellWord => ({ text, begins: text })

/** The program's name without its directory; `null`: known only when it runs, or there is none. */
export function programOf({ words }: ShellCommand): string | null {
  const text = words[0]?.text ?? null
  return text === null ? null : text.slice(text.lastIndexOf('/') + 1)
}

/** For people: the command as far as it is known, shortened. */
export function commandWords({ words }: ShellCommand): string {
  const text = words.map(({ text: known, begins }) => known ?? `${begins}…`).join(' ')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
