// Reads a YAML config file into our types. Errors name the line.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import type { ResumeSettings } from '../core/decide/settings.ts'
import { RepriseError } from '../errors.ts'
import { closest } from './closest.ts'
import { keysAt } from './keys-at.ts'
import {
  type ProjectFile,
  projectSchema,
  resumeSchema,
  type UserFile,
  userSchema,
} from './schema.ts'

export function readUserFile(path: string): UserFile {
  return withPolicyPaths(path, parseFile(path, userSchema) as UserFile)
}

export function readProjectFile(path: string): ProjectFile {
  return withPolicyPaths(path, parseFile(path, projectSchema) as ProjectFile)
}

/** Resume settings alone, without a `resume:` above them. */
export function readResumeFile(path: string): Partial<ResumeSettings> {
  return parseFile(path, resumeSchema) as Partial<ResumeSettings>
}

export function parseFile<S extends z.ZodType>(path: string, schema: S): z.infer<S> {
  const read = readDocument(path, schema)
  if ('value' in read) return read.value
  const [first] = read.problems
  const { line = null, message = 'is not valid', hint = HINT } = first ?? {}
  throw new RepriseError(
    'bad-config',
    `${path}${line === null ? '' : `:${line}`}: ${message}`,
    hint,
  )
}

export type FileProblem = {
  readonly line: number | null
  /** For example `resume.mode`; '' when it is the file as a whole. */
  readonly key: string
  readonly message: string
  readonly hint: string
}

/** Everything that is wrong with a file, not only the first thing. */
export function problemsIn(path: string, schema: z.ZodType): readonly FileProblem[] {
  const read = readDocument(path, schema)
  return 'problems' in read ? read.problems : []
}

/** Gives the line of a key in a YAML file; `null` when the file does not have the key. */
export function keyLines(path: string): (keys: readonly string[]) => number | null {
  const lines = new LineCounter()
  const document = parseDocument(readText(path), { lineCounter: lines, prettyErrors: false })
  return keys => {
    const start = startOf(document, keys)
    return start === null ? null : lines.linePos(start).line
  }
}

type Read<S extends z.ZodType> =
  | { readonly value: z.infer<S> }
  | { readonly problems: readonly FileProblem[] }

function readDocument<S extends z.ZodType>(path: string, schema: S): Read<S> {
  const lines = new LineCounter()
  const document = parseDocument(readText(path), { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    const hint = 'Correct the file or move it away; every setting has a default.'
    const problems = document.errors.map(({ pos, message }) => {
      const { line, col } = lines.linePos(pos[0])
      return { line, key: '', message: `column ${col}: this is not YAML: ${message}`, hint }
    })
    return { problems }
  }
  const parsed = schema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {})
  if (parsed.success) return { value: parsed.data }
  // A mistyped key is the cause of the missing one, so it comes first.
  const isUnknown = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys'
  const { issues } = parsed.error
  const sorted = [...issues.filter(isUnknown), ...issues.filter(issue => !isUnknown(issue))]
  return { problems: sorted.flatMap(issue => problemsOf({ issue, document, lines, schema })) }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new RepriseError(
      'bad-config',
      `${path} cannot be read: ${why}`,
      'Make the file readable or move it away.',
      error,
    )
  }
}

type Wrong = {
  readonly issue: z.core.$ZodIssue
  readonly document: Document
  readonly lines: LineCounter
  readonly schema: z.ZodType
}

function problemsOf(wrong: Wrong): readonly FileProblem[] {
  const { issue, document, lines } = wrong
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(wrong, key))
  const key = issue.path.map(String).join('.')
  const line = lineOf(document, lines, issue.path)
  return [{ line, key, message: `${key || 'the file'}: ${issue.message}`, hint: HINT }]
}

function unknownKey({ issue, document, lines, schema }: Wrong, name: string): FileProblem {
  const keys = [...issue.path, name]
  const key = keys.map(String).join('.')
  const line = lineOf(document, lines, keys)
  if (schema === projectSchema && accepts(userSchema, keys)) {
    return {
      line,
      key,
      message: `a project must not set \`${key}\`: a repository never chooses what is executed`,
      hint: 'Move it to config.yaml in the data directory; a project may set resume, policies and models.',
    }
  }
  const known = keysAt(schema, issue.path)
  const near = closest(name, known)
  const hint = near === null ? `Known keys here: ${known.join(', ')}.` : `Did you mean \`${near}\`?`
  return { line, key, message: `unknown key \`${key}\``, hint }
}

const HINT = 'Correct the value, or remove the line to get the default.'

/** The position of the deepest key of the path that the file really has. */
function lineOf(
  document: Document,
  lines: LineCounter,
  keys: readonly PropertyKey[],
): number | null {
  for (let length = keys.length; length > 0; length--) {
    const start = startOf(document, keys.slice(0, length))
    if (start !== null) return lines.linePos(start).line
  }
  return null
}

function startOf(document: Document, keys: readonly PropertyKey[]): number | null {
  const parent = keys.length === 1 ? document.contents : document.getIn(keys.slice(0, -1), true)
  if (!isMap(parent)) return null
  const key = parent.items.find(item => isScalar(item.key) && item.key.value === keys.at(-1))?.key
  return isScalar(key) ? (key.range?.[0] ?? null) : null
}

function accepts(schema: z.ZodType, keys: readonly PropertyKey[]): boolean {
  return keysAt(schema, keys.slice(0, -1)).includes(String(keys.at(-1)))
}

/** A relative path in a config file is relative to that file. */
function withPolicyPaths<F extends { policies?: Record<string, string> }>(
  path: string,
  file: F,
): F {
  if (!file.policies) return file
  const policies = Object.fromEntries(
    Object.entries(file.policies).map(([name, policy]) => [name, resolve(dirname(path), policy)]),
  )
  return { ...file, policies }
}
