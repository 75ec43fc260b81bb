// Finds what the package exports, and the doc comment of each.
import { dirname, join } from 'node:path'

export type Exported = {
  readonly name: string
  /** Of its declaration, from the folder of the sources. */
  readonly path: string
  /** `null` when there is none right above the declaration. */
  readonly comment: string | null
}

type ReadSource = (path: string) => string

/** Everything that an index re-exports, through as many files as it takes. */
export function exportsOf(index: string, read: ReadSource): readonly Exported[] {
  const text = read(index)
  const besides = (from: string) => join(dirname(index), from)
  const stars = [...text.matchAll(/^export type \* from '(.+)'$/gm)].flatMap(([, from = '']) => [
    ...declaredIn(besides(from), read),
    ...exportsOf(besides(from), read),
  ])
  const named = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '(.+)'$/gm)].flatMap(
    ([, names = '', from = '']) => namesIn(names).map(name => find(besides(from), name, read)),
  )
  return [...stars, ...named]
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map(entry =>
      entry
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*$/, ''),
    )
    .filter(name => name !== '')
}

/** The declaration itself, also when the file passes on what another one declares. */
function find(path: string, name: string, read: ReadSource): Exported {
  const found =
    declaredIn(path, read).find(exported => exported.name === name) ??
    exportsOf(path, read).find(exported => exported.name === name)
  return found ?? { name, path, comment: null }
}

const DECLARATION =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:type|const|class|(?:async )?function\*?) (\w+)/gm

function declaredIn(path: string, read: ReadSource): readonly Exported[] {
  return [...read(path).matchAll(DECLARATION)].map(([, comment, name = '']) => ({
    name,
    path,
    comment: comment ?? null,
  }))
}

/** An id of a requirement tells a user of the package nothing. */
const REQUIREMENT_ID = /(?<![\w.-])(?:[A-Z]-\d{1,2}|[IS]\d{1,2})[a-z]?(?![\w-])/

export function checkComments(exported: readonly Exported[]): readonly string[] {
  return exported.flatMap(({ name, path, comment }) => {
    if (comment === null) return [`${name} in ${path} is exported without a doc comment`]
    const id = REQUIREMENT_ID.exec(comment)
    return id ? [`the doc comment of ${name} in ${path} names ${id[0]}`] : []
  })
}
