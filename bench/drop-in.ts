// What `reprise claude` adds to a call: the same resume by the bare agent and through the drop-in, and the start of a call that it only passes on.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare, interleave, median, numberFlag, report } from './measure.ts'
import { startApiProcess } from './model-api-process.ts'
import { createWorld, REAL_AGENTS } from './real-agents.ts'

const ROUNDS = numberFlag('rounds', 20)
const TARGET = 1.3
const DROP_IN = fileURLToPath(new URL('../bin/reprise-claude', import.meta.url))
const STREAM = ['-p', '--output-format', 'stream-json', '--verbose']

const isMet: boolean[] = []
for (const agent of REAL_AGENTS) isMet.push(await compareCalls(agent))
process.exitCode = isMet.every(Boolean) ? 0 : 1

async function compareCalls({ version, executable }: (typeof REAL_AGENTS)[number]) {
  const api = await startApiProcess()
  const world = createWorld(executable, api.url)
  try {
    const home = join(world.directory, 'reprise')
    mkdirSync(home, { mode: 0o700 })
    const env = { ...world.env, REPRISE_HOME: home, REPRISE_NODE: process.execPath }
    const run = (file: string, args: readonly string[]) => {
      const { status } = spawnSync(file, args, { cwd: world.workDir, env, stdio: 'ignore' })
      if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`)
    }
    const [bare, through] = [randomUUID(), randomUUID()]
    run(executable, [...STREAM, '--session-id', bare, 'Begin.'])
    run(DROP_IN, [...STREAM, '--session-id', through, 'Begin.'])
    const lane = (name: string, file: string, id: string) => ({
      name,
      run: () => run(file, [...STREAM, '--resume', id, 'Go on.']),
    })
    const lanes = [lane('bare', executable, bare), lane('drop-in', DROP_IN, through)]
    const samples = await interleave(lanes, ROUNDS)
    console.log(`\n${version}, a resume, ${ROUNDS} pairs`)
    for (const [name, times] of samples) console.log(`  ${name}: ${Math.round(median(times))} ms`)
    return report('  drop-in / bare', compare(samples, 'drop-in', 'bare'), TARGET)
  } finally {
    world.remove()
    api.stop()
  }
}
