// Says which part of a body, a query, a header or an id is wrong. Of several faults it names the one to repair first.
import type { z } from 'zod'
import { closest } from '../config/closest.ts'
import { keysAt } from '../config/keys-at.ts'
import { RepriseError } from '../errors.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

export function inputFault(
  target: string,
  error: z.core.$ZodError,
  schema: z.ZodType | null,
): RepriseError {
  const place = target === 'json' ? 'the body' : `the ${target}`
  const wordsOf = (path: Path) => path.map(String).join('.') || place
  const { issue, path, known, missing } = firstFault(error.issues, schema, [])
  if (issue?.code === 'unrecognized_keys') {
    return unknownField(issue.keys[0] ?? '', wordsOf(path), known)
  }
  const what =
    missing.length > 0
      ? `${missing.map(wordsOf).join(' or ')} is missing`
      : `${wordsOf(path)}: ${whyOf(issue)}`
  return new RepriseError('bad-input', what, HINT)
}

const HINT = 'See /docs for what is expected.'

function unknownField(key: string, place: string, known: readonly string[]): RepriseError {
  // Of alternatives, the nearest does not know it.
  if (known.includes(key)) {
    const what = `${key} does not go with the other fields of ${place}, or has a wrong value`
    return new RepriseError('bad-input', what, HINT)
  }
  const meant = closest(key, known)
  const hint = meant ? `Did you mean "${meant}"?` : `Known: ${known.join(', ') || 'nothing'}.`
  return new RepriseError('bad-input', `${place} has an unknown field ${quoted(key)}`, hint)
}

type Fault = {
  readonly issue: Issue | undefined
  readonly path: Path
  /** The fields that may stand at `path`. */
  readonly known: readonly string[]
  /** The fields of which one must be there. */
  readonly missing: readonly Path[]
}

/** `schema`: of the whole input; the issues are about what stands at `above`. */
function firstFault(issues: readonly Issue[], schema: z.ZodType | null, above: Path): Fault {
  // Report an unknown field first: often it is the missing one, misspelt.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const path = [...above, ...(issue?.path ?? [])]
  const isEnd = issue?.code !== 'invalid_union' || isMissing(issue) || isOfNoKind(issue)
  if (isEnd) {
    const known = schema ? keysAt(schema, path) : []
    return { issue, path, known, missing: issue && isMissing(issue) ? [path] : [] }
  }
  const faults = nearest(issue.errors).map(errors => firstFault(errors, schema, path))
  const [first = { issue, path, known: [], missing: [] }] = faults
  const missing = first.missing.length > 0 ? distinct(faults.flatMap(one => one.missing)) : []
  return { ...first, missing }
}

/** The alternatives that fit best: of the right kind, with the fewest fields too many or too few. */
function nearest(alternatives: readonly (readonly Issue[])[]) {
  const weights = alternatives.map(weightOf)
  const least = Math.min(...weights)
  return alternatives.filter((_, at) => weights[at] === least)
}

const WRONG_KIND = 1_000
const TOO_MANY_OR_TOO_FEW = 2

function weightOf(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + TOO_MANY_OR_TOO_FEW * issue.keys.length
    if (issue.code === 'invalid_type' && issue.path.length === 0) return sum + WRONG_KIND
    return sum + (isMissing(issue) ? TOO_MANY_OR_TOO_FEW : 1)
  }, 0)
}

function isMissing(issue: Issue): boolean {
  if (issue.code === 'invalid_type') return issue.message.endsWith('received undefined')
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return false
  return issue.errors.every(([first]) => first?.path.length === 0 && isMissing(first))
}

/** The value is of another kind than every alternative, such as a number for a text or an object. */
function isOfNoKind(issue: Issue): boolean {
  return (
    issue.code === 'invalid_union' && issue.errors.every(errors => weightOf(errors) >= WRONG_KIND)
  )
}

function whyOf(issue: Issue | undefined): string {
  if (issue?.code !== 'invalid_union') return issue?.message ?? 'not what was expected'
  const kinds = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? first.expected : [],
  )
  return kinds.length > 0
    ? `Invalid input: expected ${[...new Set(kinds)].join(' or ')}`
    : issue.message
}

function distinct(paths: readonly Path[]): readonly Path[] {
  return [...new Map(paths.map(path => [path.join('.'), path])).values()]
}

function quoted(key: string): string {
  return JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}…` : key)
}
