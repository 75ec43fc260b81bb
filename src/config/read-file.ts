// Reads a YAML config file into our types. Errors name the line.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import type { ResumeSettings } from '../core/decide/settings.ts'
import { RepriseError } from '../errors.ts'
import { closest } from './closest.ts'
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
  const lines = new LineCounter()
  const document = parseDocument(readText(path), { lineCounter: lines, prettyErrors: false })
  const broken = document.errors[0]
  if (broken) {
    const { line, col } = lines.linePos(broken.pos[0])
    throw new RepriseError(
      'bad-config',
      `${path}:${line}:${col}: this is not YAML: ${broken.message}`,
      'Correct the file or move it away; every setting has a default.',
      broken,
    )
  }
  const parsed = schema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {})
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  // A mistyped key is the cause of the missing one.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  throw complaint(path, { issue, document, lines, schema })
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
  readonly issue: z.core.$ZodIssue | undefined
  readonly document: Document
  readonly lines: LineCounter
  readonly schema: z.ZodType
}

function complaint(path: string, { issue, document, lines, schema }: Wrong): RepriseError {
  if (!issue)
    return new RepriseError(
      'bad-config',
      `${path} is not valid`,
      'Correct the file; `reprise doctor` checks it, and docs/cli.md lists the settings.',
    )
  const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const keys = unknownKey === undefined ? issue.path : [...issue.path, unknownKey]
  const place = `${path}${lineOf(document, lines, keys)}`
  const key = keys.map(String).join('.')
  if (unknownKey === undefined) {
    return new RepriseError('bad-config', `${place}: ${key || 'the file'}: ${issue.message}`, HINT)
  }
  if (schema === projectSchema && accepts(userSchema, keys)) {
    return new RepriseError(
      'bad-config',
      `${place}: a project must not set \`${key}\`: a repository never chooses what is executed`,
      'Move it to config.yaml in the data directory; a project may set resume, policies and models.',
    )
  }
  const known = keysAt(schema, issue.path)
  const near = closest(unknownKey, known)
  const hint = near === null ? `Known keys here: ${known.join(', ')}.` : `Did you mean \`${near}\`?`
  return new RepriseError('bad-config', `${place}: unknown key \`${key}\``, hint)
}

const HINT = 'Correct the value, or remove the line to get the default.'

/** The position of the deepest key of the path that the file really has. */
function lineOf(document: Document, lines: LineCounter, keys: readonly PropertyKey[]): string {
  for (let length = keys.length; length > 0; length--) {
    const start = startOf(document, keys.slice(0, length))
    if (start !== null) return `:${lines.linePos(start).line}`
  }
  return ''
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

function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema
  for (const key of path) {
    const inner = unwrap(at)
    if (inner instanceof z.ZodObject) at = inner.shape[String(key)]
    else if (inner instanceof z.ZodRecord) at = inner.valueType
    else if (inner instanceof z.ZodArray) at = inner.element
    else return []
  }
  const inner = unwrap(at)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema
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
