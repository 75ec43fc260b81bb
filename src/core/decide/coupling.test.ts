// D-2, the most important invariant, on the pure core: the model sees the view and the message, each exactly once.

import { expect, test } from 'vitest'
import { countOf } from '../../../test/counts.ts'
import { fc } from '../../../test/properties.ts'
import type { Carry } from '../chain/carry.ts'
import { noteText, usableNote } from '../chain/handover-note.ts'
import { buildThreadNote } from '../chain/thread-note.ts'
import type { Message } from '../conversation/messages.ts'
import { hashOf } from '../conversation/messages.ts'
import { composePrompt } from '../conversation/prompt.ts'
import type { Seen } from '../conversation/session.ts'
import { carryWish } from './carry-wish.ts'
import { continuationOf } from './continuation.ts'
import { decide } from './decide.ts'
import type { Decision, Facts, SessionFacts } from './decision.ts'
import { relate } from './history.ts'
import { DEFAULT_RESUME, type ResumeSettings } from './settings.ts'

const RUNS = countOf('REPRISE_PROPERTY_RUNS', { usual: 5_000, storm: 100_000 })

/** No text is part of another one, so that counting them in a prompt is exact. */
const textOf = (n: number) => `«message ${n}»`

const messageOf = (n: number): Message => {
  const role = n % 2 === 0 ? 'user' : 'assistant'
  const content = { role, agent: role === 'user' ? null : 'claude', text: textOf(n) } as const
  const rest = { tools: [], interrupted: false, runId: null, createdAt: n }
  return { ...content, ...rest, id: `msg_${n}`, hash: hashOf(content) }
}

/** Numbers of messages: a common beginning, then what the thread holds now and what a session saw instead. */
const history = fc.record({
  shared: fc.nat(6),
  rest: fc.array(fc.integer({ min: 100, max: 120 }), { maxLength: 4 }),
})
const seenHistory = fc.record({
  shared: fc.nat(8),
  other: fc.array(fc.integer({ min: 200, max: 220 }), { maxLength: 3 }),
  anchored: fc.boolean(),
})

const maybe = fc.boolean()
const mostly = fc.integer({ min: 0, max: 9 }).map(n => n > 0)

const sessionFacts = fc.record({
  seen: seenHistory,
  pointer: fc.constantFrom('confirmed', 'confirmed', 'confirmed', 'announced', 'retired'),
  sameDir: mostly,
  sameRuntime: mostly,
  tokens: fc.constantFrom(1_000, 1_000, 1_000, 190_000, null),
  file: fc.constantFrom('present', 'present', 'present', 'missing', 'damaged', 'unknown'),
  held: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  fruitless: fc.constantFrom(0, 0, 0, 3),
})

const world = fc.record({
  view: history,
  sessions: fc.array(sessionFacts, { maxLength: 3 }),
  resume: mostly,
  fork: maybe,
  fresh: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  mode: fc.constantFrom('auto', 'auto', 'auto', 'never'),
  whenUnknown: fc.constantFrom('replay', 'resume'),
  chooseId: maybe,
  writes: maybe,
  /** A turn of a thread, or a run of a chain that enters a tier or stays in it. */
  purpose: fc.constantFrom(null, null, 'enters', 'stays'),
  carry: fc.constantFrom('whole', 'trimmed', 'note', 'auto'),
})

type World = typeof world extends fc.Arbitrary<infer T> ? T : never

const count = (text: string, part: string) => text.split(part).length - 1

test(`D-2 never blind and never twice, over ${RUNS} random fact sets`, () => {
  const actions = new Map<string, number>()
  const ways = new Map<string, number>()
  fc.assert(
    fc.property(world, drawn => {
      const { view, facts, seen } = build(drawn)
      const settings = {
        ...DEFAULT_RESUME,
        mode: drawn.mode as 'auto' | 'never',
        whenUnknown: drawn.whenUnknown as 'replay' | 'resume',
      }
      const decision = decide(facts, settings)
      actions.set(decision.action, (actions.get(decision.action) ?? 0) + 1)
      // E-6: a tier gets a note where a turn gets the transcript; E-3: the session of a lower tier stays as it is.
      expect(decision.action).not.toBe(facts.purpose ? 'replay' : 'handover')
      if (decision.action === 'fork' && decision.at === null) {
        expect(isOwn(facts, decision.session)).toBe(false)
      }
      if (decision.action === 'resume' && facts.purpose && facts.abilities.fork) {
        expect(isOwn(facts, decision.session)).toBe(true)
      }
      if (decision.action === 'wait') return
      check(view, facts, { decision, seen })
      const carried = carriedBy(decision, { carry: drawn.carry as Carry, facts, settings })
      if (carried === null) return
      ways.set(carried.way, (ways.get(carried.way) ?? 0) + 1)
      check(view, facts, { decision: carried.decision, seen })
    }),
    { numRuns: RUNS },
  )
  // The property would be worth nothing if it only ever saw one kind of decision.
  for (const action of ['resume', 'fork', 'replay', 'handover', 'start', 'wait']) {
    expect(actions.get(action) ?? 0, action).toBeGreaterThan(RUNS / 1_000)
  }
  for (const way of ['trimmed', 'note']) {
    expect(ways.get(way) ?? 0, way).toBeGreaterThan(RUNS / 1_000)
  }
})

type Sent = Exclude<Decision, { action: 'wait' }>

/** What `carry` makes of a turn of a thread; `null`: nothing, or the run is a tier. */
function carriedBy(
  decided: Sent,
  asked: { readonly carry: Carry; readonly facts: Facts; readonly settings: ResumeSettings },
): { readonly way: string; readonly decision: Sent } | null {
  const wish = asked.facts.purpose
    ? null
    : carryWish(decided, { ...asked, writtenWasRefused: false })
  if (wish?.kind === 'note') return { way: 'note', decision: wish.decision }
  if (wish?.kind !== 'copy') return null
  const { decision } = wish
  const { reason, checks } = decision
  if (wish.carry === 'note') {
    return { way: 'note', decision: { action: 'handover', reason, checks } }
  }
  const carry = { way: 'trimmed', because: 'set' } as const
  return { way: 'trimmed', decision: { ...decision, carry } }
}

function isOwn({ purpose }: Facts, { sessionId }: { sessionId: string }): boolean {
  return purpose?.ownSessions?.includes(sessionId) === true
}

function check(
  view: readonly Message[],
  facts: Facts,
  {
    decision,
    seen,
  }: {
    decision: Sent
    seen: ReadonlyMap<string, readonly Seen[]>
  },
): void {
  const continuation = continuationOf(decision, 'new-id')
  const message = '«the new message»'
  const mark = 'k'.repeat(20)
  const parts = { view, message, instructions: null, mark, maxChars: 1_000_000 }
  // Without a note the transcript takes its place, so nothing is lost.
  const note = facts.purpose ? null : usableNote(buildThreadNote(view))
  const prompt = composePrompt(decision, {
    ...parts,
    ...(facts.purpose && { purpose: 'chain' }),
    ...(note && { note: noteText(note) }),
  })
  // A trimmed copy holds what the session that it is made of has seen.
  const known =
    decision.action === 'fork' && decision.carry
      ? (seen.get(decision.session.sessionId) ?? [])
      : knownTo(continuation, seen, { facts, view })
  expect(count(prompt.text, message)).toBe(1)
  expect(prompt.leftOut).toBe(0)
  // Every message of the view reaches the model exactly as often as it was said, by session or by prompt.
  for (const { hash, text } of view) {
    const inSession = known.filter(entry => entry.hash === hash).length
    const wanted = view.filter(entry => entry.hash === hash).length
    expect(inSession + count(prompt.text, text)).toBe(wanted)
  }
  // The session holds nothing that was edited or removed.
  expect(known.map(entry => entry.hash)).toEqual(
    view.slice(0, known.length).map(({ hash }) => hash),
  )
  if (continuation.kind === 'new' || continuation.kind === 'written') return
  const used = facts.sessions.find(({ sessionId }) =>
    continuation.kind === 'resume'
      ? sessionId === continuation.sessionId
      : sessionId === continuation.from,
  )
  expect(used).toMatchObject({ pointer: 'confirmed', workDir: '/a', runtime: 'r1', heldBy: null })
}

/** What the agent will have in its own conversation before it reads the prompt. */
function knownTo(
  continuation: ReturnType<typeof continuationOf>,
  seen: ReadonlyMap<string, readonly Seen[]>,
  { facts, view }: { facts: Facts; view: readonly Message[] },
): readonly Seen[] {
  if (continuation.kind === 'new') return []
  // We write all of it.
  if (continuation.kind === 'written') {
    return view.map(({ hash }) => ({ hash, anchor: null, isPart: false }))
  }
  const id = continuation.kind === 'resume' ? continuation.sessionId : continuation.from
  const all = seen.get(id) ?? []
  expect(facts.sessions.some(({ sessionId }) => sessionId === id)).toBe(true)
  if (continuation.kind === 'resume' || continuation.at === null) return all
  return all.slice(0, all.findIndex(({ anchor }) => anchor === continuation.at) + 1)
}

function build(drawn: World) {
  const start = Array.from({ length: drawn.view.shared }, (_, n) => n)
  const view = [...start, ...drawn.view.rest].map(messageOf)
  const seen = new Map<string, readonly Seen[]>()
  const sessions = drawn.sessions.map((session, index): SessionFacts => {
    const id = `session-${index}`
    const numbers = [
      ...[...start, ...drawn.view.rest].slice(0, session.seen.shared),
      ...session.seen.other,
    ]
    const entries = numbers.map((n, position) => ({
      hash: messageOf(n).hash,
      anchor: session.seen.anchored && n % 2 === 1 ? `${id}-${position}` : null,
      isPart: false,
    }))
    seen.set(id, entries)
    return {
      id: `ses_${index}`,
      sessionId: id,
      pointer: session.pointer as SessionFacts['pointer'],
      retiredBecause: session.pointer === 'retired' ? { code: 'never-persisted' } : null,
      workDir: session.sameDir ? '/a' : '/b',
      runtime: session.sameRuntime ? 'r1' : 'r2',
      lastMessageAt: index,
      fruitlessResumes: session.fruitless,
      contextTokens: session.tokens,
      file:
        session.file === 'missing'
          ? { state: 'missing', path: '/f' }
          : session.file === 'damaged'
            ? { state: 'damaged', path: '/f', detail: 'torn' }
            : { state: session.file as 'present' | 'unknown' },
      heldBy: session.held ? 'run_x' : null,
      relation: relate(view, entries),
    }
  })
  const facts: Facts = {
    gatheredAt: 1_000,
    agent: 'claude',
    abilities: {
      resume: drawn.resume,
      fork: drawn.fork,
      forkAtMessage: drawn.fork,
      chooseSessionId: drawn.chooseId,
      resumeAcrossWorkDirs: false,
    },
    freshSession: drawn.fresh,
    viewLength: view.length,
    workDir: '/a',
    runtime: 'r1',
    contextWindow: 200_000,
    sessions,
    replayForm: drawn.writes ? { form: 'native' } : { form: 'prompt', formBecause: 'agent' },
    ...(drawn.purpose && {
      purpose: {
        kind: 'chain' as const,
        tier: 2,
        enters: drawn.purpose === 'enters',
        ownSessions:
          drawn.purpose === 'enters' ? [] : sessions.slice(0, 1).map(({ sessionId }) => sessionId),
      },
    }),
  }
  return { view, facts, seen }
}
