// The agents of test/faults/chaos-host.ts. They are in the process of their host, so that thousands of them fit on one machine; what they
// do, they do on the disk: each line of a ledger is one piece of work that was done.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setImmediate as moment } from 'node:timers/promises'
import type { AgentCommand } from '../../src/runner/runner.ts'
import { diskFiles } from '../../src/testing/fake-agent/disk-files.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { fakeSessionPath } from '../../src/testing/fake-agent/session-file.ts'
import { createFakeRunner, type FakeRunner } from '../../src/testing/fake-runner.ts'

/** The ledger in a work dir: a line with the id of the run for each time that the work was done. */
export const MADE = 'made.log'
/** How long an agent takes that only waits, as one does for its model. */
export const THINKS_MS = 2_000
/** By this the agent knows later that it has done the work. */
const RESULT = 'the work is made'

const FINISHED: FakeScript = [{ do: [{ type: 'text', text: 'finished' }] }]

const WORK: FakeScript = [
  { when: 'hang', do: [{ type: 'hang' }] },
  { when: 'think', do: [{ type: 'sleep', ms: THINKS_MS }] },
  {
    do: [
      { type: 'text', text: ['Let me see. ', { sleepMs: 100 }, 'One moment.'] },
      {
        ...{ type: 'tool', name: 'Bash', input: { command: 'make' }, result: RESULT },
        appends: { file: MADE, line: '' },
      } as const,
      { type: 'sleep', ms: 200 },
      { type: 'text', text: ['It is ', { sleepMs: 200 }, 'made.'] },
    ],
  },
]

export const directoryOfJob = (number: number) => `job-${number}`

export function runnerOnDisk(): FakeRunner {
  const disk = diskFiles()
  const start: FakeRunner['start'] = async (command, marker, limits) => {
    let hasEnded = false
    const append = async (path: string, content: string) => {
      if (path !== MADE) return disk.append(path, content)
      // A call needs a moment to take effect. A host that was paused uses it to end the agents whose leases it has lost.
      await moment()
      if (!hasEnded) appendFileSync(resolve(command.workDir, path), `${marker}\n`)
    }
    const script = await scriptFor(command)
    const files = { ...disk, append }
    const runner = createFakeRunner({ files, script, hangs: 'until-stopped' })
    const process = await runner.start(command, marker, limits)
    void process.exit.then(() => {
      hasEnded = true
    })
    return process
  }
  return Object.assign(Object.create(createFakeRunner({ files: disk })) as FakeRunner, { start })
}

/**
 * An agent that goes on with a job does the work unless it remembers that it did. If it does not remember, it looks, because the
 * prompt tells it to: the host may have died before anybody could note it.
 */
async function scriptFor(command: AgentCommand): Promise<FakeScript> {
  const { workDir } = command
  if (!basename(workDir).startsWith('job-')) return WORK
  const prompt = new TextDecoder().decode(command.stdin)
  if (`${await sessionOf(command)}${prompt}`.includes(RESULT)) return FINISHED
  const looks = prompt.includes('was interrupted')
  return looks && existsSync(join(workDir, MADE)) ? FINISHED : WORK
}

async function sessionOf({ args, env, workDir }: AgentCommand): Promise<string> {
  const session = args[args.indexOf('--resume') + 1]
  if (!args.includes('--resume') || session === undefined) return ''
  const place = { files: diskFiles(), env, cwd: workDir, everywhere: false }
  const path = await fakeSessionPath(place, session)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The runs that did the work in a directory, once for each time. */
export function workIn(directory: string): readonly string[] {
  const ledger = join(directory, MADE)
  return existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').slice(0, -1) : []
}
