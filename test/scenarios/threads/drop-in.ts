// Scenarios of `reprise-claude` in front of a real version: calls that name no session, and damaged session files.
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Run } from '../../../src/core/run/run.ts'
import { DROP_IN, DropInWorld } from '../harness/drop-in-world.ts'
import type { RealVersion } from '../harness/program.ts'

const JSON_OUT = ['-p', '--output-format', 'json'] as const

export function dropInScenarios(version: RealVersion): void {
  let world: DropInWorld
  let first: string
  let bare: string

  beforeAll(async () => {
    world = await DropInWorld.open(version)
  })
  afterAll(() => world.harness.close())

  /** One call; gives the session in which the program answered. */
  async function ask(file: string, ...args: readonly string[]): Promise<string> {
    const { code, out, err } = await world.call(file, [...JSON_OUT, ...args])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return JSON.parse(out).session_id
  }

  /** The last call on record, and what the model heard in it. */
  async function lastCall(): Promise<{ readonly run: Run; readonly heard: readonly string[] }> {
    const reprise = world.record()
    try {
      const [run] = await reprise.runs.list({ limit: 1 })
      if (!run) throw new Error('nothing is on record')
      return { run, heard: await world.harness.model.saw(run.processRunId ?? run.id) }
    } finally {
      await reprise.close()
    }
  }

  /** A file that nobody has written to for a minute. */
  function damage(sessionId: string, change: (text: string) => string) {
    const path = world.harness.sessionFile(sessionId)
    const text = change(readFileSync(path, 'utf8'))
    writeFileSync(path, text)
    const before = new Date(Date.now() - 60_000)
    utimesSync(path, before, before)
    return { path, text }
  }

  const torn = (text: string) => text.slice(0, text.lastIndexOf('"type":"assistant"') + 40)

  test('W-2 --continue goes on with the latest session of the directory, and is on record as its next turn', async () => {
    first = await ask(DROP_IN, 'first words')
    expect(await ask(DROP_IN, '--continue', 'second words')).toBe(first)
    const { run, heard } = await lastCall()
    expect(run).toMatchObject({ sessionId: first, decision: { action: 'resume' } })
    expect(heard.join('\n')).toMatch(/first words.*second words/s)
    bare = await ask(world.executable, 'bare words')
    expect(await ask(DROP_IN, '-c', 'more words')).toBe(bare)
    const reprise = world.record()
    try {
      const turns = (await reprise.threads.list()).map(({ turnCount }) => turnCount)
      expect(turns).toEqual([1, 2])
    } finally {
      await reprise.close()
    }
  })

  test('W-2 --continue with a fork begins a thread of its own from the latest session', async () => {
    const fork = await ask(DROP_IN, '-c', '--fork-session', 'another way')
    expect([first, bare]).not.toContain(fork)
    const { run, heard } = await lastCall()
    expect(run).toMatchObject({ sessionId: fork, decision: { action: 'fork' } })
    expect(heard.join('\n')).toMatch(/bare words.*more words.*another way/s)
    rmSync(world.harness.sessionFile(fork))
  })

  test('W-2 where it is not certain which session goes on, the program runs alone, and one line says so', async () => {
    const at = new Date(Date.now() - 60_000)
    for (const id of [first, bare]) utimesSync(world.harness.sessionFile(id), at, at)
    const { code, err, out } = await world.call(DROP_IN, [...JSON_OUT, '-c', 'which one?'])
    expect(code).toBe(0)
    expect([first, bare]).toContain(JSON.parse(out).session_id)
    expect(err).toMatch(/^reprise: this call is not recorded: two sessions .* same time\n$/)
  })

  test('V-2 W-2 a torn session file is replaced by our copy: the model hears what the program alone would not know', async () => {
    const { path, text } = damage(first, torn)
    const fork = ['--resume', first, '--fork-session', 'what do you know?']
    const { id } = await world.call(world.executable, [...JSON_OUT, ...fork])
    expect((await world.harness.model.saw(id)).join('\n')).not.toContain('echo: second words')
    expect(await ask(DROP_IN, '--resume', first, 'third words')).toBe(first)
    const { heard } = await lastCall()
    expect(heard.join('\n')).toContain('echo: second words')
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(text)
  })

  test('V-2 W-2 without a copy, the session is written from the thread', async () => {
    rmSync(join(world.home, 'vault'), { recursive: true })
    const { path, text } = damage(first, whole => whole.replaceAll(/"model":"[^"]*"/g, '"m":""'))
    expect(await ask(DROP_IN, '--resume', first, 'fourth words')).toBe(first)
    const { heard } = await lastCall()
    const said = heard.join('\n')
    for (const words of ['first', 'second', 'third']) expect(said).toContain(`echo: ${words} words`)
    expect(readFileSync(`${path}.damaged-2`, 'utf8')).toBe(text)
  })

  test('V-2 W-2 a damaged file that Reprise has never seen is repaired, and the session becomes a thread', async () => {
    const stranger = await ask(world.executable, 'words of a stranger')
    await ask(world.executable, '--resume', stranger, 'their last words')
    const { path, text } = damage(stranger, torn)
    expect(await ask(DROP_IN, '--resume', stranger, 'go on')).toBe(stranger)
    const { heard } = await lastCall()
    expect(heard.join('\n')).toMatch(/words of a stranger.*go on/s)
    const kept = readdirSync(dirname(path)).filter(name => name.startsWith(stranger))
    expect(kept.toSorted()).toEqual([`${stranger}.jsonl`, `${stranger}.jsonl.damaged`])
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(text)
  })
}
