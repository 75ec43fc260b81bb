// A job whose daemon, agent, or both are killed with SIGKILL in the middle of a tool call; on the fake agent and on the real ones.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JobDetails } from '../../../src/api.ts'
import { appears, eventually } from '../../e2e/daemon/serve-world.ts'
import { append, getStuck, say } from '../harness/acts.ts'
import { useDaemon } from '../harness/daemon-world.ts'
import type { Kind } from '../harness/program.ts'

const TASK = 'rebuild the index of the library'

export function jobDaemonScenarios(kind: Kind): void {
  describe(`a job under a daemon that dies, on ${kind}`, () => {
    const current = useDaemon(kind)

    test.each(['daemon', 'agent', 'both'] as const)(
      'J-2 J-8 U-3 kill -9 of %s: the same session goes on, what was done is known and done once',
      async whom => {
        const { world, model } = current()
        const [effects, reached] = [world.path('effects'), world.path('reached')]
        model.plan([append(effects, 'done'), getStuck(reached)])
        const reprise = world.connect(current().daemon)
        const { id } = await reprise.jobs.submit({
          prompt: TASK,
          workDir: world.workDir,
          allowedTools: ['Bash'],
          backoff: { firstMs: 20 },
        })
        await appears(reached)
        const runId = (await reprise.jobs.get(id)).attempts[0]?.id ?? ''
        model.plan([say('finished')])
        if (whom !== 'daemon') process.kill(agentOf(runId), 'SIGKILL')
        if (whom !== 'agent') {
          const { daemon } = current()
          daemon.signal('SIGKILL')
          await daemon.end
          current().daemon = await world.serve(['--port', String(daemon.port)])
        }
        const job = await reprise.jobs.wait(id)
        await expectWentOn(job, effects)
        await eventually(() => processesOf(runId).length === 0)
        await reprise.close()
      },
    )

    async function expectWentOn(job: JobDetails, effects: string): Promise<void> {
      const { model } = current()
      const [first, second] = job.attempts
      expect(job.status).toBe('completed')
      expect(job.attempts).toHaveLength(2)
      expect(second).toMatchObject({ sessionResumed: true, sessionId: first?.sessionId })
      const saw = (await model.saw(second?.id ?? '')).join('\n')
      expect(saw.split(TASK)).toHaveLength(2)
      expect(saw).toContain('The work on this task was interrupted')
      expect(await model.everything(second?.id ?? '')).toContain(effects)
      expect(readFileSync(effects, 'utf8')).toBe('done\n')
    }
  })
}

function processesOf(runId: string): readonly number[] {
  const marker = `REPRISE_RUN_ID=${runId}`
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => readProc(pid, 'environ').includes(marker))
    .map(Number)
}

function agentOf(runId: string): number {
  const agent = processesOf(runId).find(pid => readProc(String(pid), 'cmdline').includes('--print'))
  if (agent) return agent
  throw new Error(`No agent is running for run ${runId}`)
}

function readProc(pid: string, what: 'environ' | 'cmdline'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8').split('\0')
  } catch {
    return [] // Gone, or somebody else's.
  }
}
