// The verbs for runs that users call: look, cancel, answer, explain. Their events are in follow/events-api.ts.
import type { Reprise } from '../../api.ts'
import { given } from '../../core/optional.ts'
import type { Run } from '../../core/run/run.ts'
import { waitWords } from '../../core/run/wait-reason.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { answerQuestion } from '../questions/answers.ts'
import type { LiveRuns } from '../queue/live-runs.ts'
import { noCursor } from '../threads/check-input.ts'
import { existingThread } from '../threads/threads.ts'
import { explainRun } from './explain-run.ts'
import { workOfRun } from './run-work.ts'
import { runReply } from './send-turn.ts'

type RunSurroundings = { readonly ready: () => Promise<Dependencies>; readonly live: LiveRuns }

export async function existingRun({ store }: Dependencies, id: string): Promise<Run> {
  const run = await store.run(id)
  if (run) return run
  throw new RepriseError('not-found', `there is no run ${id}`, 'Run `reprise runs` to see them.')
}

export function runsApi({
  ready,
  live,
}: RunSurroundings): Omit<Reprise['runs'], 'events' | 'follow'> {
  const runOf = async (id: string) => existingRun(await ready(), id)
  return {
    get: async id => {
      const run = await runOf(id)
      const reason = run.status === 'queued' ? live.waiting.get(id)?.() : undefined
      return reason ? { ...run, waitsFor: { ...reason, words: waitWords(reason) } } : run
    },
    list: async (filter = {}) => {
      const dependencies = await ready()
      if (filter.threadId) await existingThread(dependencies, filter.threadId)
      if (filter.cursor && !(await dependencies.store.run(filter.cursor)))
        throw noCursor(filter.cursor, 'run')
      return dependencies.store.listRuns({ limit: 50, ...given(filter) })
    },
    cancel: async id => {
      const dependencies = await ready()
      await existingRun(dependencies, id)
      await dependencies.store.requestCancel(id, dependencies.clock.now())
      live.queue.wake(id)
      live.answers.wake(id)
      await live.stop(id, 'cancelled')
      return runOf(id)
    },
    work: async id => {
      const dependencies = await ready()
      return workOfRun(dependencies, await existingRun(dependencies, id))
    },
    questions: async id => {
      await runOf(id)
      return (await ready()).store.questions({ runId: id, limit: 1_000 })
    },
    answer: async (id, { toolUseId, ...answer }) => {
      const dependencies = await ready()
      const run = await answerQuestion(dependencies, {
        run: await runOf(id),
        toolUseId,
        given: answer,
      })
      const reply = run.continuedBy === null ? null : await runOf(run.continuedBy)
      return { run, turn: reply && runReply(dependencies, reply) }
    },
    prompt: async id => {
      const dependencies = await ready()
      const { status } = await existingRun(dependencies, id)
      const prompt = await dependencies.store.promptOf(id)
      if (prompt) return prompt
      const what = `run ${id} is ${status}: there is no record of what its agent was given`
      throw new RepriseError(
        'not-found',
        what,
        `Run \`reprise runs show ${id}\` to see when it has started, then ask again.`,
      )
    },
    why: async (id, settings) =>
      explainRun(await ready(), await runOf(id), settings && given(settings)),
  }
}
