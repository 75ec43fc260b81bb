// What a run gets of the conversation so far: all of it, all of it with long outputs cut, or a note. For the tiers of a chain and for turns.

export const CARRIES = ['whole', 'trimmed', 'note', 'auto'] as const

/** As a turn, a thread, a job, a policy or `resume.carry` says it. */
export type Carry = (typeof CARRIES)[number]

/** How a run got the conversation, and why in this way. */
export type CarryOver = {
  readonly way: Exclude<Carry, 'auto'>
  readonly because: CarryBecause
  /** What the tier was expected to cost with each, where `auto` chose by it. */
  readonly expectedUsd?: ExpectedUsd
  /** How much shorter the conversation became; absent where nothing was cut. */
  readonly cut?: { readonly outputs: number; readonly chars: number }
}

export type ExpectedUsd = { readonly whole: number; readonly trimmed: number }

export type CarryBecause =
  /** Somebody asked for it. */
  | 'set'
  /** The same model read the conversation a moment ago: reading it again from the cache costs least. */
  | 'cache-warm'
  /** No cache holds the conversation, so each character is paid for. */
  | 'cache-cold'
  /** It is expected to cost less, by what earlier runs reported. */
  | 'cheaper'
  /** The whole session is too full for the window of the model, and with its long outputs cut it is not. */
  | 'fits'
  /** No output is long. */
  | 'nothing-long'
  /** Nobody can write sessions for this agent or this version of it. */
  | 'agent'
  /** The session waits at a call, with which the tier begins. */
  | 'call-waits'
  /** The trimmed copy could not be written. */
  | 'disk'

export type CarryFacts = {
  /** What was asked for. */
  readonly carry: Carry
  readonly canWrite: boolean
  readonly callWaits: boolean
  /** How many outputs are over the limit. */
  readonly longOutputs: number
  /** The model of the tier is the one that used the session last, with the same tools, and its cache still lives. */
  readonly isWarm: boolean
  /** What the tier is expected to cost; `null`: not known. */
  readonly expectedUsd: ExpectedUsd | null
}

export function chooseCarry(facts: CarryFacts): Omit<CarryOver, 'cut'> {
  const { carry, isWarm } = facts
  if (facts.callWaits) return { way: 'whole', because: carry === 'whole' ? 'set' : 'call-waits' }
  if (carry === 'whole' || carry === 'note') return { way: carry, because: 'set' }
  if (carry === 'auto' && isWarm) return { way: 'whole', because: 'cache-warm' }
  if (!facts.canWrite) return { way: 'whole', because: 'agent' }
  // A note would be as cheap, but what it leaves out cannot be read again.
  if (facts.longOutputs === 0) return { way: 'whole', because: 'nothing-long' }
  if (carry === 'trimmed') return { way: 'trimmed', because: 'set' }
  const { expectedUsd } = facts
  if (expectedUsd === null) return { way: 'trimmed', because: 'cache-cold' }
  const way = expectedUsd.trimmed < expectedUsd.whole ? 'trimmed' : 'whole'
  return { way, because: 'cheaper', expectedUsd }
}

/** Longer outputs are cut. What is left of them must still say what the tier below went by. */
const MAX_OUTPUT_CHARS = 1_000
const HEAD_CHARS = 400
const TAIL_CHARS = 250

export function isLong(output: string): boolean {
  return output.length > MAX_OUTPUT_CHARS
}

type KeptOutput = {
  readonly path: string
  readonly hash: string
  /** Reprise itself has only the beginning of it. */
  readonly isPart?: boolean
}

/** The beginning and the end of an output, with where the rest of it can be read. */
export function cutOutput(output: string, { path, hash, isPart = false }: KeptOutput): string {
  const cut = output.length - HEAD_CHARS - TAIL_CHARS
  const sum = `sha256 ${hash.slice(0, 12)}`
  const note = isPart
    ? `[${cut} of the ${output.length} characters that Reprise kept are left out here. All that it kept (${sum}) is in ${path}; the output itself was longer.]`
    : `[${cut} of ${output.length} characters are left out here. The whole output (${sum}) is in ${path}: read it there if you need it.]`
  const text = `${output.slice(0, HEAD_CHARS)}\n${note}\n${output.slice(-TAIL_CHARS)}`
  return text.toWellFormed()
}

/**
 * What stands for an output that is only a preview: `head`, which says where all of it can be read, and where the preview is. A tool can
 * print what only looks like a preview, so that our own copy of it is named as well.
 */
export function cutPreview({ head, path }: { head: string; path: string }): string {
  return `${head}[It is in ${path}.]`
}

/** How a session file is copied with shorter outputs of its calls. */
export type SessionTrimming = {
  /** The id of the copy. */
  readonly sessionId: string
  /** Gives what stands in the copy for an output. */
  readonly shorten: (output: string) => string
}

/** Of a decision in words; empty where nobody chose. */
export function carryWords(carry: CarryOver | undefined): string {
  if (carry === undefined || (carry.way === 'whole' && carry.because === 'set')) return ''
  return ` (${WAY_WORDS[carry.way](carry)}: ${BECAUSE_WORDS[carry.because]}${expectedWords(carry)})`
}

function expectedWords({ expectedUsd }: CarryOver): string {
  if (expectedUsd === undefined) return ''
  const [trimmed, whole] = [expectedUsd.trimmed, expectedUsd.whole].map(usd => usd.toFixed(4))
  return `, about $${trimmed} trimmed and $${whole} whole`
}

const WAY_WORDS: Record<CarryOver['way'], (carry: CarryOver) => string> = {
  whole: () => 'it got the whole conversation',
  trimmed: ({ cut }) =>
    `it got the conversation with ${cut?.outputs === 1 ? '1 long output' : `${cut?.outputs ?? 0} long outputs`} cut by ${cut?.chars ?? 0} characters`,
  note: () => 'it got a note',
}

/** Why the conversation goes this way, in words. */
export function carryBecause(because: CarryBecause): string {
  return BECAUSE_WORDS[because]
}

const BECAUSE_WORDS: Record<CarryBecause, string> = {
  set: 'the setting `carry` says so',
  'cache-warm': 'its model reads the conversation from a warm cache',
  'cache-cold': 'no cache of its model holds the conversation, and what is cut can be read again',
  cheaper: 'it is expected to cost less',
  fits: 'the whole session would leave too little room in the window of the model',
  'nothing-long': 'no output in it is long',
  agent: 'Reprise cannot write sessions for this agent or this version of it',
  'call-waits': 'the session waits at a call',
  disk: 'the trimmed copy could not be written',
}
