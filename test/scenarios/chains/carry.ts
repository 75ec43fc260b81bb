// Scenarios of what a tier gets of the conversation below: trimmed to what matters, with whole outputs that it can read again.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import type { Carry } from '../../../src/core/chain/carry.ts'
import { hashText } from '../../../src/core/hash-text.ts'
import { call, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { escalate, opsPolicy, runChain } from './chains.ts'

const LOOK = { command: "seq -f 'line-%04g' 400", description: 'look' }

export function carryScenarios(world: () => Harness): void {
  test('E-15 with `resume.carry: auto`, a turn of a thread gets the whole session while its cache is warm, and a cut copy with another model', async () => {
    await world().restart({ resume: { carry: 'auto' } })
    const thread = await world().thread()
    const options = { allowedTools: ['Bash'] }
    await world().turn(thread, 'look', { ...options, acts: [call('Bash', LOOK)] })
    const warm = await world().turn(thread, 'and?', options)
    expect(warm.run.decision?.action).toBe('resume')
    const other = await world().turn(thread, 'so?', { ...options, model: 'claude-haiku-4-5' })
    expect(other.run.decision).toMatchObject({
      action: 'fork',
      reason: { code: 'carried-over' },
      carry: { way: 'trimmed', because: 'cheaper', cut: { outputs: 1 } },
    })
    const got = await world().model.everything(other.run.id)
    for (const part of ['line-0001', 'line-0400', 'are left out here']) expect(got).toContain(part)
    expect(got).not.toContain('line-0200')
    const next = await world().turn(thread, 'again?', { ...options, model: 'claude-haiku-4-5' })
    expect(next.run).toMatchObject({
      decision: { action: 'resume' },
      sessionId: other.run.sessionId,
    })
  })

  test('E-15 a trimmed tier gets the conversation with its roles and calls, long outputs cut; it can read them whole in its sandbox, and they go with the thread', async () => {
    const policy = opsPolicy()
    const carries: readonly Carry[] = ['whole', 'auto', 'trimmed']
    const tiers = policy.tiers.map((tier, at) => ({ ...tier, carry: carries[at] ?? 'auto' }))
    const outputs = world().path('data/outputs')
    const readAgain = { command: `cat '${outputs}'/*/*.txt`, description: 'read' }
    const { chain } = await runChain(
      world(),
      [
        [call('Bash', LOOK), escalate('a restart is needed')],
        [escalate('a playbook is needed')],
        [call('Bash', readAgain), verdict('resolved')],
      ],
      { policy: { ...policy, tiers } },
    )
    expect(chain.status).toBe('resolved')
    const [one, two, three] = chain.runs
    const cut = { outputs: 1, chars: expect.any(Number) }
    expect(chain.runs.map(run => run.decision)).toMatchObject([
      { action: 'start' },
      { action: 'fork', carry: { way: 'trimmed', because: 'cheaper', cut } },
      // What tier 2 got is short already.
      { action: 'fork', carry: { way: 'whole', because: 'nothing-long' } },
    ])
    const got = await world().model.everything(two?.id ?? '')
    for (const part of ['line-0001', 'line-0400', LOOK.command, 'are left out here']) {
      expect(got).toContain(part)
    }
    expect(got).not.toContain('line-0200')
    expect(await world().model.everything(three?.id ?? '')).toContain('line-0200')
    const { words } = await world().reprise.runs.why(two?.id ?? '')
    expect(words).toContain('it got the conversation with 1 long output cut by')
    const args = world().argumentsOf({ run: { id: two?.id ?? '' } })
    expect(args[args.indexOf('--resume') + 1]).toBe(two?.sessionId)
    expect(args).not.toContain('--fork-session')
    // The session of the tier below stays as it was.
    expect(readFileSync(world().sessionFile(one?.sessionId ?? ''), 'utf8')).toContain('line-0200')
    expect(existsSync(outputs)).toBe(true)
    await (await world().reprise.threads.get(chain.threadId)).remove()
    expect(existsSync(`${outputs}/${chain.threadId}`)).toBe(false)
  })

  test.each([
    ['default', 'project'],
    ['dontAsk', 'none'],
    ['acceptEdits', 'none'],
    ['plan', 'user'],
  ] as const)(
    'E-15 E-12 W-3 a session that was written with an output cut can read it by its path without being allowed any tool, also in its next turn, and nothing else there (mode %s, trust %s)',
    async (permissionMode, trust) => {
      const thread = await world().thread()
      const options = { permissionMode, trust, questions: 'none' } as const
      const looked = { ...options, allowedTools: ['Bash'], acts: [call('Bash', LOOK)] }
      await world().turn(thread, 'look', looked)
      const { messages } = await thread.show()
      const output = messages[1]?.tools[0]?.result ?? ''
      const directory = world().path(`data/outputs/${thread.id}`)
      const file_path = `${directory}/${hashText(output).slice(0, 32)}.txt`
      const read = call('Read', { file_path, offset: 200, limit: 1 })
      const secret = world().path('data/secret.txt')
      writeFileSync(secret, 'not for agents')
      const notes = `${directory}/CLAUDE.md`
      const write = call('Write', { file_path: notes, content: 'obey' })
      const acts = [read, call('Read', { file_path: secret }), write]
      const fresh = await world().turn(thread, 'again', { ...options, freshSession: true, acts })
      expect(fresh.run.decision).toMatchObject({ form: 'native', carry: { way: 'trimmed' } })
      const got = await world().model.everything(fresh.run.id)
      expect(got).toContain(file_path)
      expect(got).toContain('line-0200')
      expect(got).not.toContain('not for agents')
      expect(existsSync(notes)).toBe(false)
      const further = call('Read', { file_path, offset: 201, limit: 1 })
      const next = await world().turn(thread, 'and?', { ...options, acts: [further] })
      expect(next.run.decision?.action).toBe('resume')
      expect(await world().model.everything(next.run.id)).toContain('line-0201')
    },
  )

  test('E-15 W-3 a cut output can be read by its path also where a link leads to the data directory', async () => {
    const [data, linked] = [world().path('data'), world().path('linked')]
    const thread = await world().thread()
    await world().turn(thread, 'look', { allowedTools: ['Bash'], acts: [call('Bash', LOOK)] })
    mkdirSync(data, { recursive: true })
    renameSync(data, linked)
    symlinkSync(linked, data)
    const { messages } = await thread.show()
    const hash = hashText(messages[1]?.tools[0]?.result ?? '')
    const file_path = `${data}/outputs/${thread.id}/${hash.slice(0, 32)}.txt`
    const acts = [call('Read', { file_path, offset: 200, limit: 1 })]
    const fresh = await world().turn(thread, 'again', { freshSession: true, acts })
    expect(await world().model.everything(fresh.run.id)).toContain('line-0200')
  })
}
