import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import { createReprise } from '../../reprise.ts'
import type { ProbeOutput, Runner } from '../../runner/runner.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'

type Probe = (args: readonly string[], output: ProbeOutput) => ProbeOutput

async function worldOf(probe: Probe, store = sqlite(':memory:')) {
  const files = memoryFiles()
  await files.write('/bin/claude', memoryExecutable())
  await files.makeDirectory('/work')
  const fake = createFakeRunner({ files })
  const probes: string[] = []
  const runner: Runner = {
    ...fake,
    probe: async (file, args, env) => {
      probes.push(args.join(' '))
      return probe(args, await fake.probe(file, args, env))
    },
  }
  const reprise = createReprise({
    store,
    agents: [claudeCode({ executable: '/bin/claude' })],
    environment: { HOME: '/home/user', PATH: '/bin' },
    dependencies: { files, runner },
  })
  return { reprise, probes }
}

describe('a program that is not known yet', () => {
  test('U-4 is probed once when 50 threads.create on a new store run in parallel', async () => {
    const { reprise, probes } = await worldOf((_, output) => output)
    const created = Array.from({ length: 50 }, () => reprise.threads.create({ workDir: '/work' }))
    expect(new Set((await Promise.all(created)).map(thread => thread.id)).size).toBe(50)
    expect(probes).toEqual(['--version', '--help'])
    await reprise.close()
  })

  test('U-4 is probed again after an answer that was cut off', async () => {
    let cut = true
    const { reprise, probes } = await worldOf((_, { text }) => ({ text, outputCut: cut }))
    await reprise.agents()
    cut = false
    await reprise.agents()
    await reprise.agents()
    expect(probes.filter(args => args === '--version')).toHaveLength(2)
    await reprise.close()
  })

  test('U-4 is not usable without a version, and the error names a cut answer as the cause', async () => {
    const { reprise } = await worldOf(() => ({ text: '', outputCut: true }))
    const [report] = await reprise.agents()
    expect(report?.problem).toContain('held its output, so it was cut off')
    await reprise.close()
  })
})

describe('I13 a program that an earlier version of Reprise has probed', () => {
  /** Quirks that this version reads, from a store in which an earlier version has left none. */
  async function quirksAfter(earlier: (row: Record<string, unknown>) => Record<string, unknown>) {
    const directory = mkdtempSync(join(tmpdir(), 'reprise-agents-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'store.sqlite')
    const first = await worldOf((_, output) => output, sqlite(file))
    const [before] = await first.reprise.agents()
    await first.reprise.close()
    const database = new Database(file)
    const json = database.prepare('select json from runtimes').pluck().get() as string
    const row = earlier({ ...JSON.parse(json), quirks: [] })
    database.prepare('update runtimes set json = ?').run(JSON.stringify(row))
    database.close()
    const { reprise, probes } = await worldOf((_, output) => output, sqlite(file))
    const [now] = await reprise.agents()
    await reprise.close()
    expect(before?.quirks).not.toEqual([])
    expect(now?.quirks).toEqual(before?.quirks)
    return probes
  }

  test('is probed again when only what that version made of the output was kept', async () => {
    expect(await quirksAfter(({ printed: _, ...row }) => row)).toEqual(['--version', '--help'])
  })

  test('is known by its output, which is parsed by this version', async () => {
    expect(await quirksAfter(row => row)).toEqual([])
  })
})
