import { describe, expect, test } from 'vitest'
import { claudeCode, createReprise } from '../../reprise.ts'
import type { ProbeOutput, Runner } from '../../runner/runner.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'

type Probe = (args: readonly string[], output: ProbeOutput) => ProbeOutput

async function worldOf(probe: Probe) {
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
    store: sqlite(':memory:'),
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

  test('U-4 is not usable without a version, and a cut answer is told as the cause', async () => {
    const { reprise } = await worldOf(() => ({ text: '', outputCut: true }))
    const [report] = await reprise.agents()
    expect(report?.problem).toContain('held its output, so it was cut off')
    await reprise.close()
  })
})
