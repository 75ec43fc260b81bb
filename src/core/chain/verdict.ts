// The verdict that a tier's agent gives at its end. A verdict only asks; the supervisor decides.

/** What the agent found out about one service. */
export type Finding = {
  readonly service: string
  readonly status: string
  readonly detail: string
}

/** What the agent of a tier says at its end. It can only ask for the next tier. */
export type Verdict = {
  readonly verdict: 'resolved' | 'escalate' | 'failed'
  readonly summary: string
  /** Why it asks for the next tier or gave up; `null` when it said nothing. */
  readonly reason: string | null
  readonly findings: readonly Finding[]
}

/** How the agent gives its verdict: as structured output, or as the block that ends its answer. */
export type VerdictForm = 'structured' | 'block'

export type VerdictRead =
  | { readonly read: 'verdict'; readonly verdict: Verdict }
  | { readonly read: 'problem'; readonly problem: string }

const VERDICTS = ['resolved', 'escalate', 'failed'] as const
const MAX_TEXT_CHARS = 4_000
const MAX_FINDINGS = 100

const text = { type: 'string' }

/** For agents that check their own output. It is the same for all tiers, because it is part of the tools that the model sees. */
export const VERDICT_SCHEMA = JSON.stringify({
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: VERDICTS },
    summary: text,
    reason: text,
    findings: {
      type: 'array',
      items: {
        type: 'object',
        properties: { service: text, status: text, detail: text },
        required: ['service', 'status', 'detail'],
      },
    },
  },
  required: ['verdict', 'summary'],
})

export type FinalAnswer = {
  /** The agent's structured output; `null` when it gave none. */
  readonly structured: unknown
  /** The text of the last message alone. Tool results and earlier messages never count as a verdict. */
  readonly text: string | null
}

/** Reads the verdict. Where the agent can give structured output, the text of its answer never counts. */
export function readVerdict(form: VerdictForm, answer: FinalAnswer): VerdictRead {
  if (form === 'structured') {
    return answer.structured === null || answer.structured === undefined
      ? problem('the agent gave no structured output')
      : verdictIn(answer.structured)
  }
  const block = lastBlock(answer.text ?? '')
  if (block === null) return problem('the answer does not end with a fenced block')
  try {
    return verdictIn(JSON.parse(block))
  } catch {
    return problem('the block at the end of the answer is not JSON')
  }
}

/** The fenced block that ends the text; `null` when anything follows it, or there is none. */
function lastBlock(answer: string): string | null {
  const lines = answer.trimEnd().split('\n')
  if (lines.at(-1)?.trim() !== '```') return null
  const start = lines.findLastIndex(
    (line, index) => index < lines.length - 1 && /^\s*```(?:json|verdict)?\s*$/.test(line),
  )
  return start < 0 ? null : lines.slice(start + 1, -1).join('\n')
}

function verdictIn(value: unknown): VerdictRead {
  const fields = fieldsIn(value)
  if (!fields) return problem('the verdict is not an object')
  const verdict = VERDICTS.find(known => known === fields.verdict)
  if (!verdict) return problem(`"verdict" is none of ${VERDICTS.join(', ')}`)
  if (typeof fields.summary !== 'string') return problem('"summary" is not a text')
  if (fields.reason !== undefined && typeof fields.reason !== 'string') {
    return problem('"reason" is not a text')
  }
  const findings = findingsIn(fields.findings ?? [])
  if (!findings) return problem('"findings" is not a list of { service, status, detail }')
  const reason = fields.reason === undefined ? null : bounded(fields.reason)
  return {
    read: 'verdict',
    verdict: { verdict, summary: bounded(fields.summary), reason, findings },
  }
}

function findingsIn(value: unknown): readonly Finding[] | null {
  if (!Array.isArray(value)) return null
  const findings = value.slice(0, MAX_FINDINGS).map(findingIn)
  return findings.every(finding => finding !== null) ? findings : null
}

function findingIn(value: unknown): Finding | null {
  const { service, status, detail } = fieldsIn(value) ?? {}
  if (typeof service !== 'string' || typeof status !== 'string' || typeof detail !== 'string') {
    return null
  }
  return { service: bounded(service), status: bounded(status), detail: bounded(detail) }
}

function fieldsIn(value: unknown): Readonly<Record<string, unknown>> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : null
}

function bounded(value: string): string {
  const cut = value.length > MAX_TEXT_CHARS ? `${value.slice(0, MAX_TEXT_CHARS)}…` : value
  return cut.toWellFormed()
}

function problem(words: string): VerdictRead {
  return { read: 'problem', problem: words }
}
