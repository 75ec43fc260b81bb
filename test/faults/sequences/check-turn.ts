// D-2 as an oracle of its own: what the agent was given, against what the thread says. Knows nothing of how it was decided.
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { ThreadDetails, TurnResult } from '../../../src/api.ts'
import type { Message } from '../../../src/core/conversation/messages.ts'
import type { Session } from '../../../src/core/conversation/session.ts'
import { isNative } from '../../../src/core/decide/continuation.ts'
import type { Run } from '../../../src/core/run/run.ts'
import type { JournalEntry } from '../../../src/testing/fake-agent/journal.ts'
import { type Behaviour, MUST_COMPLETE } from './commands.ts'

/** Who has written a session, by the agent's own journal. */
export type Author = {
  readonly threadId: string
  readonly agent: string
  readonly cwd: string
  readonly program: number
}

export type GivenTurn = {
  readonly threadId: string
  readonly agent: string
  readonly workDir: string
  readonly program: number
  /** The branch and the sessions before the turn. */
  readonly branch: readonly Message[]
  readonly sessions: readonly Session[]
  readonly view: 'all' | 'own'
  readonly prompt: string
  readonly authors: ReadonlyMap<string, Author>
  /** Answers that broke off, of any turn before: an edit may bring their words back. */
  readonly halves: ReadonlySet<string>
}

/** Texts of messages are made of these, so that every one can be found wherever it stands. */
const TOKEN = /\b[a-z]+-\d+;/g

export function tokensIn(text: string): readonly string[] {
  return text.match(TOKEN) ?? []
}

/** One process that was started for the turn, and the record of it. */
export function checkSpawn(entry: JournalEntry, run: Run, turn: GivenTurn): void {
  expect(run).toMatchObject({ threadId: turn.threadId, agent: turn.agent, workDir: turn.workDir })
  expect(entry.cwd).toBe(turn.workDir)
  checkArguments(entry, run)
  checkSession(entry, run, turn)
  if (!worksElsewhere(entry)) checkVisible(entry, turn)
}

/** One turn of a process that was kept: what it has in its memory is what the session would have brought. */
export function checkKept(entry: JournalEntry, run: Run, turn: GivenTurn): void {
  const { threadId, agent, workDir, program } = turn
  expect(run).toMatchObject({ threadId, agent, workDir, process: 'warm' })
  expect(entry.cwd).toBe(workDir)
  const { decision } = run
  expect(decision?.action, 'warm is how a resume is carried out').toBe('resume')
  expect(decision?.action === 'resume' && decision.session.sessionId).toBe(entry.sessionId)
  expect(/<transcript-[a-z2-7]{20}>/.test(entry.prompt)).toBe(false)
  const stored = turn.sessions.find(({ sessionId }) => sessionId === entry.sessionId)
  expect(stored, 'the pointer').toMatchObject({ pointer: 'confirmed', threadId, agent, workDir })
  const author = { threadId, agent, cwd: workDir, program }
  expect(turn.authors.get(entry.sessionId ?? ''), 'who wrote it').toEqual(author)
  checkVisible(entry, turn)
}

/** The decision, argv and the blocks of the prompt say the same. */
function checkArguments(entry: JournalEntry, { decision, sessionId }: Run): void {
  const resumed = flagValue(entry.args, '--resume')
  const continues = decision?.action === 'resume' || decision?.action === 'fork'
  const isWritten = decision !== null && isNative(decision)
  const source = continues ? decision.session.sessionId : isWritten ? sessionId : null
  expect(resumed, 'the session in argv is the one of the decision').toBe(source)
  expect(entry.args.includes('--fork-session')).toBe(decision?.action === 'fork')
  const anchor = decision?.action === 'fork' ? decision.at : null
  expect(flagValue(entry.args, '--resume-session-at')).toBe(anchor)
  const hasTranscript = /<transcript-[a-z2-7]{20}>/.test(entry.prompt)
  expect(hasTranscript, 'a transcript goes with a replay that we do not write').toBe(
    decision?.action === 'replay' && !isWritten,
  )
}

/** C-2, D-3: confirmed, of this thread and agent, of this directory, written by this very program. */
function checkSession(entry: JournalEntry, run: Run, turn: GivenTurn): void {
  const sessionId = flagValue(entry.args, '--resume')
  if (sessionId === null) return
  const { threadId, agent, workDir, program } = turn
  const stored = turn.sessions.find(session => session.sessionId === sessionId)
  if (run.decision && isNative(run.decision)) {
    expect(stored, 'a session that we write is a new one').toBeUndefined()
    return
  }
  const fitting = { pointer: 'confirmed', threadId, agent, workDir, runtime: run.runtime }
  expect(stored, 'the pointer').toMatchObject(fitting)
  const author = { threadId, agent, cwd: workDir, program }
  expect(turn.authors.get(sessionId), 'who wrote it').toEqual(author)
}

/** Every message of the view once and in order, then the new one, and nothing else. */
export function checkVisible(
  entry: JournalEntry,
  turn: Pick<GivenTurn, 'branch' | 'view' | 'agent' | 'prompt'> & Partial<GivenTurn>,
): void {
  const texts = entry.history.filter(isSaid).map(said => said.text)
  const visible = tokensIn([...texts, entry.prompt].join('\n'))
  const view = viewOf(turn.branch, turn.view, turn.agent)
  const expected = [...view.map(({ text }) => text), turn.prompt].flatMap(tokensIn)
  const seen = withoutHalves(visible, expected, turn.halves ?? halvesIn(turn.branch))
  expect(seen, `what the model saw (${entry.args.join(' ')})`).toEqual(expected)
}

/** What a user answered to a question stands in the session as the result of a call. */
function isSaid({ role, text }: JournalEntry['history'][number]): boolean {
  return role !== 'tool' || text.startsWith('Your questions have been answered')
}

export function halvesIn(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.filter(({ interrupted }) => interrupted).flatMap(m => tokensIn(m.text)))
}

/**
 * An answer that broke off may stand in the session in part. What it lacks (a call whose end nobody knows) comes
 * with the whole message, so its words may come a second time, directly after the first.
 */
function withoutHalves(
  visible: readonly string[],
  expected: readonly string[],
  halves: ReadonlySet<string>,
): readonly string[] {
  const seen: string[] = []
  for (const token of visible) {
    const isSecond = expected[seen.length - 1] === token && halves.has(token)
    if (!isSecond || expected[seen.length] === token) seen.push(token)
  }
  return seen
}

/** An agent that was asked to resume and took another session: its own fault, found after the fact. */
function worksElsewhere(entry: JournalEntry): boolean {
  const asked = flagValue(entry.args, '--session-id') ?? flagValue(entry.args, '--resume')
  return entry.sessionId !== asked && flagValue(entry.args, '--resume') !== null
}

/** F-2, F-3, I11: one more process for a session that was refused, and one for a written session that was, only when no tool ran. */
export function checkFurtherSpawns(runs: readonly Run[]): void {
  expect(runs.length).toBeLessThanOrEqual(3)
  for (const [index, next] of runs.slice(1).entries()) {
    const refused = runs[index]
    expect(refused).toMatchObject({ status: 'failed', continuedBy: next.id })
    const wasWritten = refused?.decision ? isNative(refused.decision) : false
    const refusals = ['resume-refused', 'anchor-missing', ...(wasWritten ? ['bad-request'] : [])]
    expect(refusals).toContain(refused?.failure?.class)
    expect(refused?.failure?.toolsRan, 'no tool had run').toBe(0)
    expect(next.decision?.action).toBe('replay')
    const isPrompt = next.decision !== null && !isNative(next.decision)
    if (wasWritten || index > 0)
      expect({ wasWritten, isPrompt }).toEqual({ wasWritten: true, isPrompt: true })
  }
}

/** What was there is there, up to where the turn goes on from; its prompt was taken whole or not at all. */
export function checkBranch(
  given: GivenTurn,
  { before, after }: { readonly before: ThreadDetails; readonly after: ThreadDetails },
): void {
  const { messages, runs } = after
  expect(runs.filter(({ endedAt }) => endedAt === null)).toEqual([])
  if (isDeepStrictEqual(messages, before.messages)) return
  expect(messages.slice(0, given.branch.length)).toEqual(given.branch)
  const [prompt, answer, ...rest] = messages.slice(given.branch.length)
  expect(rest).toEqual([])
  if (prompt) expect(prompt).toMatchObject({ role: 'user', text: given.prompt })
  if (answer) expect(answer).toMatchObject({ role: 'assistant', agent: given.agent })
}

/** I1: a prompt that was taken and had no turn; a branch that was cut for one has it. */
export function unsentPrompt(
  given: GivenTurn,
  { before, after }: { readonly before: ThreadDetails; readonly after: ThreadDetails },
): string | null {
  if (after.messages.length > given.branch.length) return null
  const taken = after.runs.length > before.runs.length
  const wasCut = after.messages.length < before.messages.length
  if (wasCut) expect(taken, 'the prompt is kept').toBe(true)
  return taken ? (after.runs.at(-1)?.promptMessageId ?? null) : null
}

/** The branch has grown by the prompt, and by the answer if there is one. */
export function checkMessages(
  { branch }: GivenTurn,
  { run, messageId }: TurnResult,
  { messages }: ThreadDetails,
): void {
  const answer = run.answerMessageId === null ? [] : [run.answerMessageId]
  const expected = [...branch.map(({ id }) => id), messageId, ...answer]
  expect(messages.map(({ id }) => id)).toEqual(expected)
}

/** What must come of a turn in which the agent behaves so, and answers so. */
export function checkEnd(
  { run, text }: TurnResult,
  { behaviour, answer }: { readonly behaviour: Behaviour; readonly answer: string },
): void {
  // A reply has the run that asked as its parent.
  const isFirst = run.parentRunId === null || run.repliesTo !== null
  if (behaviour === 'refuses-after-tool') expect(isFirst, 'I11').toBe(true)
  if (!MUST_COMPLETE.has(behaviour)) return
  expect(run).toMatchObject({ status: 'completed', failure: null })
  expect(tokensIn(text)).toEqual([answer])
}

function viewOf(branch: readonly Message[], view: 'all' | 'own', agent: string) {
  if (view === 'all') return branch
  const foreign = branch.map(message => message.role === 'assistant' && message.agent !== agent)
  return branch.slice(foreign.lastIndexOf(true) + 1)
}

export function flagValue(args: readonly string[], flag: string): string | null {
  const index = args.indexOf(flag)
  return index < 0 ? null : (args[index + 1] ?? null)
}
