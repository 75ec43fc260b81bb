// What turns and attempts get of the conversation, on the fake agent in this process.
import { describe, expect, test } from 'vitest'
import { openWritingThreads } from '../../../test/simulated/writing-world.ts'
import type { Thread, TurnOptions } from '../../api.ts'
import type { Carry } from '../../core/chain/carry.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'

const LONG = Array.from({ length: 400 }, (_, at) => `line-${String(at).padStart(4, '0')}`).join(' ')
const LOOKS: FakeScript = [
  { when: 'look', do: [{ type: 'tool', name: 'Bash', input: { command: 'look' }, result: LONG }] },
]

const decided = async (thread: Thread, prompt: string, options: TurnOptions = {}) =>
  (await thread.send(prompt, options).result).run

async function looked(...opened: Parameters<typeof openWritingThreads>) {
  const { reprise, ...around } = await openWritingThreads(...opened)
  const thread = await reprise.threads.create({ workDir: '/project' })
  const first = await decided(thread, 'look')
  return { ...around, reprise, thread, first }
}

describe('a turn that asks for a note', () => {
  test('E-15 D-2 gets a new session with a note from the store in place of session and transcript, and the next turn goes on there', async () => {
    const { thread, first, lastStart, reprise } = await looked(LOOKS)
    const run = await decided(thread, 'and now?', { carry: 'note' })
    expect(run).toMatchObject({
      status: 'completed',
      sessionResumed: false,
      decision: {
        action: 'handover',
        reason: { code: 'carried-over', way: 'note' },
        carry: { way: 'note', because: 'set' },
      },
      resumeSettings: { carry: 'note' },
      handoverNote: {
        task: 'look',
        turns: [{ turn: 1, tools: [{ name: 'Bash' }] }],
      },
    })
    expect(run.sessionId).not.toBe(first.sessionId)
    const start = lastStart()
    expect(start?.args).not.toContain('--resume')
    expect(start?.history).toEqual([])
    expect(start?.prompt).toContain('Your earlier session does not go on here.')
    expect(start?.prompt).toContain('line-0000')
    expect(start?.prompt).not.toContain('line-0399')
    expect(start?.prompt.match(/and now\?/g)).toHaveLength(1)
    const { words } = await reprise.runs.why(run.id)
    expect(words).toContain('it got a note: the setting `carry` says so')
    const next = await decided(thread, 'go on')
    expect(next).toMatchObject({ decision: { action: 'resume' }, sessionId: run.sessionId })
  })

  test('E-15 lets another agent join with a note, and gives the transcript to one that asks for nothing', async () => {
    const { thread, lastStart } = await looked(LOOKS)
    const noted = await decided(thread, 'your turn', { agent: 'second', carry: 'note' })
    expect(noted.decision).toMatchObject({
      action: 'handover',
      reason: { code: 'no-session' },
      carry: { way: 'note', because: 'set' },
    })
    expect(lastStart()?.prompt).toContain('You join a conversation that is under way. This note')
  })

  test('E-15 has nothing to note in its first turn', async () => {
    const { reprise } = await openWritingThreads()
    const thread = await reprise.threads.create({ workDir: '/project', carry: 'note' })
    expect((await decided(thread, 'one')).decision?.action).toBe('start')
  })
})

describe('a turn that asks for a trimmed session', () => {
  test('E-15 gets the path of an output that the agent keeps in a file, and that of our copy of its preview', async () => {
    const head =
      '<persisted-output>\nOutput too large (39.1KB). Full output saved to: /kept/tool-results/1.txt\n\nPreview (first 2KB):\n'
    const result = `${head}${LONG.slice(0, 2_000)}\n...\n</persisted-output>`
    const { world, thread } = await looked([
      { when: 'look', do: [{ type: 'tool', name: 'Bash', input: { command: 'look' }, result }] },
    ])
    const run = await decided(thread, 'and now?', { carry: 'trimmed' })
    expect(run.decision).toMatchObject({ carry: { way: 'trimmed', cut: { outputs: 1 } } })
    const copy = world.files.text(`/config/projects/-project/${run.sessionId}.jsonl`)
    expect(copy).toContain('saved to: /kept/tool-results/1.txt')
    expect(copy).toMatch(/Preview \(first 2KB\):\\n\[It is in [^"]+\/outputs\/[^"]+\.txt\.\]"/)
    expect(copy).not.toContain('line-0000')
    expect(copy).not.toContain('The whole output')
  })

  test('E-15 D-2 goes on in a copy with long outputs cut, also while the cache is warm; the session itself stays as it is', async () => {
    const { world, thread, first, lastStart } = await looked(LOOKS)
    const [, path = ''] = [first.sessionId, `/config/projects/-project/${first.sessionId}.jsonl`]
    const before = world.files.text(path)
    const run = await decided(thread, 'and now?', { carry: 'trimmed' })
    expect(run).toMatchObject({
      status: 'completed',
      decision: {
        action: 'fork',
        reason: { code: 'carried-over', way: 'trimmed' },
        carry: { way: 'trimmed', because: 'set', cut: { outputs: 1 } },
      },
    })
    expect(run.sessionId).not.toBe(first.sessionId)
    const got = world.files.text(`/config/projects/-project/${run.sessionId}.jsonl`) ?? ''
    expect(got).toContain('are left out here')
    expect(got).not.toContain('line-0200')
    const start = lastStart()
    expect(start?.args[start.args.indexOf('--resume') + 1]).toBe(run.sessionId)
    expect(start?.prompt).not.toContain('line-0000')
    expect(world.files.text(path)).toBe(before)
    const kept = world.files.paths().filter(name => name.includes('/outputs/'))
    expect(kept.map(name => world.files.text(name))).toEqual([LONG])
    // What is cut already is not cut again.
    const next = await decided(thread, 'go on', { carry: 'trimmed' })
    expect(next).toMatchObject({ decision: { action: 'resume' }, sessionId: run.sessionId })
  })

  test('E-15 F-5 goes on in the session itself where no copy can be written', async () => {
    const { thread, first, fillDisk } = await looked(LOOKS)
    fillDisk()
    const run = await decided(thread, 'and now?', { carry: 'trimmed' })
    expect(run).toMatchObject({ decision: { action: 'resume' }, sessionId: first.sessionId })
  })

  test('E-15 is cut by a standing setting only where no cache holds the session', async () => {
    const { world, thread } = await looked(LOOKS, { carry: 'trimmed' })
    expect((await decided(thread, 'at once')).decision?.action).toBe('resume')
    world.clock.pass(2 * 3_600_000)
    expect((await decided(thread, 'later')).decision).toMatchObject({
      action: 'fork',
      carry: { way: 'trimmed', because: 'set' },
    })
  })

  test.each([
    ['trimmed', 'set'],
    [undefined, 'cache-cold'],
  ] as const)(
    'E-15 W-3 is written with long outputs cut when it is a replay (carry: %s)',
    async (carry, because) => {
      const { world, thread, reprise } = await looked(LOOKS)
      const run = await decided(thread, 'again', { freshSession: true, ...(carry && { carry }) })
      expect(run.decision).toMatchObject({
        action: 'replay',
        form: 'native',
        carry: { way: 'trimmed', because, cut: { outputs: 1 } },
      })
      const got = world.files.text(`/config/projects/-project/${run.sessionId}.jsonl`) ?? ''
      expect(got).toContain('are left out here')
      expect(got).not.toContain('line-0200')
      const kept = world.files.paths().filter(name => name.includes('/outputs/'))
      expect(kept.map(name => world.files.text(name))).toEqual([LONG])
      expect(got).toContain(kept[0])
      const { words } = await reprise.runs.why(run.id)
      expect(words).toContain('it got the conversation with 1 long output cut')
    },
  )

  test.each([
    ['whole by default, since its paths would hold on one host only', {}, {}, false],
    ['whole for a standing note, which a fresh session does not get', { carry: 'note' }, {}, false],
    ['cut where the turn asks for it', {}, { carry: 'trimmed' }, true],
    ['cut where the config asks for it', { carry: 'trimmed' }, {}, true],
    ['cut where the config lets Reprise choose', { carry: 'auto' }, {}, true],
  ] as const)('E-15 V-1 W-3 a replay that other hosts can go on with is %s', async (...row) => {
    const [, settings, options, isCut] = row
    const { world, thread } = await looked(LOOKS, settings, { vaultIsShared: true })
    const asked = { freshSession: true, ...options }
    const foreseen = await thread.preview(asked)
    const run = await decided(thread, 'again', asked)
    expect(run.decision).toMatchObject({ action: 'replay', form: 'native' })
    expect('carry' in (run.decision ?? {})).toBe(isCut)
    expect('carry' in foreseen.decision).toBe(isCut)
    const got = world.files.text(`/config/projects/-project/${run.sessionId}.jsonl`) ?? ''
    expect(got.includes('line-0200')).toBe(!isCut)
  })

  test.each([
    ['says of an output that the store holds whole that it is whole', LONG, true],
    ['never says so of one of which the store holds the beginning', `${LONG} ${LONG}`, false],
  ])('E-15 W-3 %s', async (_, result, isWhole) => {
    const { world, thread } = await looked([
      { when: 'look', do: [{ type: 'tool', name: 'Bash', input: { command: 'look' }, result }] },
    ])
    const replayed = await decided(thread, 'again', { freshSession: true })
    const file = (id: string | null) => world.files.text(`/config/projects/-project/${id}.jsonl`)
    const got = file(replayed.sessionId) ?? ''
    expect(got.includes('The whole output')).toBe(isWhole)
    expect(got.includes('the output itself was longer')).toBe(!isWhole)
    // A copy of a session that was written with all that the store holds knows no more.
    const fresh = await decided(thread, 'all of it', { freshSession: true, carry: 'whole' })
    expect(file(fresh.sessionId)).toContain('line-0200')
    const copy = file((await decided(thread, 'cut it', { carry: 'trimmed' })).sessionId) ?? ''
    expect(copy.includes('The whole output')).toBe(isWhole)
    expect(copy.includes('the output itself was longer')).toBe(!isWhole)
  })

  test.each([
    ['of the turn', {}, { carry: 'whole' }],
    ['of the config', { carry: 'whole' }, {}],
  ] as const)('E-15 W-3 is written whole where `carry: whole` %s asks for it', async (...row) => {
    const [, settings, options] = row
    const { world, thread } = await looked(LOOKS, settings)
    const run = await decided(thread, 'again', { freshSession: true, ...options })
    expect(run.decision).toMatchObject({ action: 'replay', form: 'native' })
    expect(run.decision).not.toHaveProperty('carry')
    const got = world.files.text(`/config/projects/-project/${run.sessionId}.jsonl`)
    expect(got).toContain('line-0200')
  })
})

describe('E-15 a session that is too full', () => {
  const FILLS: FakeScript = [
    {
      when: 'look',
      do: [
        { type: 'tool', name: 'Bash', input: { command: 'look' }, result: LONG.repeat(40) },
        {
          type: 'billed',
          usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 170_000, outputTokens: 9 },
        },
      ],
    },
  ]

  test('goes on without its long outputs where that makes room, and loses nothing that cannot be read again', async () => {
    const { thread } = await looked(FILLS, { carry: 'auto' })
    const run = await decided(thread, 'and now?')
    expect(run.decision).toMatchObject({
      action: 'fork',
      carry: { way: 'trimmed', because: 'fits', cut: { outputs: 1 } },
    })
  })

  test.each(['native', 'prompt'] as const)(
    'F-5 is replayed in the prompt where nothing can be written (replay: %s)',
    async replay => {
      const { thread, fillDisk } = await looked(FILLS, { carry: 'auto', replay })
      fillDisk()
      const run = await decided(thread, 'and now?')
      expect(run).toMatchObject({
        status: 'completed',
        decision: { action: 'replay', form: 'prompt', reason: { code: 'context-full' } },
      })
    },
  )

  test('is replayed where nobody asked for anything', async () => {
    const { thread } = await looked(FILLS)
    const run = await decided(thread, 'and now?')
    expect(run.decision).toMatchObject({ action: 'replay', reason: { code: 'context-full' } })
  })
})

describe('what is nearest to a turn wins', () => {
  test('E-15 a turn over its thread, and a thread over the config', async () => {
    const { reprise } = await openWritingThreads(LOOKS, { carry: 'note' })
    const plain = await reprise.threads.create({ workDir: '/project' })
    const whole = await reprise.threads.create({ workDir: '/project', carry: 'whole' })
    expect((await whole.show()).carry).toBe('whole')
    const actions = async (thread: Thread, options: TurnOptions = {}) => {
      await decided(thread, 'look')
      return (await decided(thread, 'go on', options)).decision?.action
    }
    expect(await actions(plain)).toBe('handover')
    expect(await actions(whole)).toBe('resume')
    expect(await actions(whole, { carry: 'note' })).toBe('handover')
    // A fork of a thread keeps its settings.
    expect((await (await whole.fork()).show()).carry).toBe('whole')
    // A caller that asks for a fresh session wants the transcript.
    const fresh = await decided(plain, 'afresh', { freshSession: true })
    expect(fresh.decision?.action).toBe('replay')
  })

  test.each(['threads.create', 'thread.send', 'jobs.submit'])(
    'U-4 %s refuses a word that it does not know',
    async verb => {
      const { reprise } = await openWritingThreads()
      const carry = 'some' as 'note'
      const thread = await reprise.threads.create({ workDir: '/project' })
      const asked = {
        'threads.create': () => reprise.threads.create({ workDir: '/project', carry }),
        'thread.send': () => thread.send('one', { carry }).result,
        'jobs.submit': () => reprise.jobs.submit({ prompt: 'one', workDir: '/project', carry }),
      }[verb]
      await expect(asked?.()).rejects.toMatchObject({
        code: 'bad-input',
        message: '`carry` is "some"',
        hint: 'Use one of whole, trimmed, note, auto.',
      })
    },
  )
})

describe('a job with `carry: note`', () => {
  const FAILS: FakeScript = [
    {
      when: 'the work',
      do: [
        { type: 'tool', name: 'Bash', result: 'done' },
        { type: 'exit', code: 1, withoutResult: true },
      ],
    },
  ]
  const work = { prompt: 'the work', workDir: '/project', checkpoints: 'off' } as const

  test('E-15 J-3 begins a further attempt with a note of the one before', async () => {
    const { reprise } = await openWritingThreads(FAILS)
    const { id, policy } = await reprise.jobs.submit({
      ...work,
      carry: 'note',
      backoff: { firstMs: 0 },
    })
    expect(policy.carry).toBe('note')
    const { attempts } = await reprise.jobs.wait(id)
    expect(attempts[1]).toMatchObject({
      decision: { action: 'handover', carry: { way: 'note', because: 'set' } },
      handoverNote: { task: 'the work', turns: [{ turn: 1, interrupted: true }] },
    })
  })

  test('E-15 J-4 goes on in its session where the work must not be done twice', async () => {
    const { reprise } = await openWritingThreads(FAILS)
    const request = {
      ...work,
      carry: 'note',
      onSideEffects: 'stop',
      backoff: { firstMs: 0 },
    } as const
    const { id } = await reprise.jobs.submit(request)
    const { attempts } = await reprise.jobs.wait(id)
    expect(attempts[1]?.decision?.action).toBe('resume')
  })
})

describe('D-7 M-4 a preview', () => {
  test('has a row for a trimmed session and for a note, each with its price and what leads to it', async () => {
    const { thread } = await looked(LOOKS)
    const { ways, decision } = await thread.preview({ prompt: 'next' })
    expect(decision.action).toBe('resume')
    const rows = Object.fromEntries(ways.map(({ way, words }) => [way, words]))
    expect(rows).toMatchObject({
      resume: 'chosen: the session can go on',
      trimmed: 'with carry: trimmed',
      note: 'with carry: note',
      'replay-native': 'with a fresh session',
      'replay-prompt': 'with a fresh session and resume.replay: prompt',
    })
    const tokens = (name: string) => ways.find(({ way }) => way === name)?.estimate?.tokens ?? 0
    expect(tokens('trimmed')).toBeGreaterThan(0)
    expect(tokens('trimmed')).toBeLessThan(tokens('resume'))
    // A session that is written is priced as it would be written: with its long output cut.
    expect(tokens('replay-native')).toBeLessThan(tokens('resume'))
    expect(ways.find(({ way }) => way === 'note')?.estimate?.usage.outputTokens).toBeGreaterThan(0)
  })

  test('says what `carry` leads to, writes nothing, and offers the session itself', async () => {
    const { world, thread } = await looked(LOOKS)
    const before = world.files.paths()
    const { decision, ways, changes, words } = await thread.preview({ carry: 'note' })
    expect(decision).toMatchObject({ action: 'handover', carry: { way: 'note', because: 'set' } })
    expect(words).toContain('A new session starts with a handover note')
    expect(ways.map(({ way }) => way).slice(0, 3)).toEqual(['note', 'resume', 'trimmed'])
    expect(ways[1]?.words).toBe('with carry: whole')
    expect(changes).toMatchObject([{ action: 'resume', words: 'with carry: whole' }])
    expect(ways.find(({ way }) => way === 'replay-native')?.words).toBe(
      'with a fresh session and carry: whole',
    )
    expect(world.files.paths()).toEqual(before)
    const trimmed = await thread.preview({ carry: 'trimmed' })
    expect(trimmed.ways[0]).toMatchObject({ way: 'trimmed', isChosen: true })
  })

  test('W-3 prices a fresh session as it would be written: whole where its words say so, else with its long outputs cut', async () => {
    const replay = async (standing: Carry | undefined, asked: Carry | undefined) => {
      const { thread } = await looked(LOOKS, standing && { carry: standing })
      const { ways } = await thread.preview({ ...(asked && { carry: asked }) })
      const { words, estimate } = ways.find(({ way }) => way === 'replay-native') ?? {}
      return { words, tokens: estimate?.tokens ?? 0 }
    }
    const cut = await replay(undefined, undefined)
    const whole = await replay('whole', undefined)
    expect(cut.words).toBe('with a fresh session')
    expect(cut.tokens).toBeLessThan(whole.tokens)
    expect(await replay('note', undefined)).toEqual(cut)
    const asksForAll = { ...whole, words: 'with a fresh session and carry: whole' }
    expect(await replay(undefined, 'note')).toEqual(asksForAll)
    expect(await replay('note', 'trimmed')).toEqual(asksForAll)
  })

  test('has no row for a cut that would change nothing', async () => {
    const { reprise } = await openWritingThreads()
    const thread = await reprise.threads.create({ workDir: '/project' })
    await decided(thread, 'short')
    const { ways } = await thread.preview({ prompt: 'next' })
    expect(ways.map(({ way }) => way)).toEqual(['resume', 'note', 'replay-native', 'replay-prompt'])
  })
})
